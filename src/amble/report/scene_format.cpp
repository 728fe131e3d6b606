#include "amble/report/scene_format.hpp"

namespace amble::scene_format {

std::array<double, 7> numbers_of(const Pose& X) {
  const Quaternion<double> r = X.rotation().quaternion();
  const Vector3<double>& p = X.translation();
  return {p[0], p[1], p[2], r.v[0], r.v[1], r.v[2], r.w};
}

Json json_of(const Vector3<double>& v) { return {v[0], v[1], v[2]}; }

Json json_of(const SO3<double>& R) {
  const Quaternion<double> r = R.quaternion();
  return {r.v[0], r.v[1], r.v[2], r.w};
}

Json json_of(const Pose& X) { return numbers_of(X); }

Json springs_json(const Mechanism& m) {
  Json out = Json::array();
  for (const Spring& s : m.springs())
    out.push_back({{"name", s.name},
                   {"link_a", s.link_a},
                   {"point_a", json_of(s.p_A)},
                   {"link_b", s.link_b},
                   {"point_b", json_of(s.p_B)}});
  return out;
}

std::string joined(const Json& head, const Blocks& blocks) {
  std::string text = head.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = text.size();
  std::string out = "AMBLESCN";
  out.append(reinterpret_cast<const char*>(&length), sizeof length);
  return out + text + blocks.bytes();
}

}  // namespace amble::scene_format
