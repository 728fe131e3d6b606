#include "amble/report/gltf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "amble/base/error.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/base/palette.hpp"
#include "amble/report/scene_model.hpp"

namespace amble {

namespace {

using Json = nlohmann::ordered_json;

// Numbers of the format.
constexpr int kFloat = 5126, kArrayBuffer = 34962;
constexpr std::uint32_t kMagic = 0x46546C67, kJsonChunk = 0x4E4F534A, kBinaryChunk = 0x004E4942;
constexpr double kCrease = 0.75;  // cosine: faces that meet more sharply are not smoothed over

/// A colour "#rrggbb" as the format has it: linear.
std::array<double, 4> linear(const std::array<double, 4>& srgb) {
  const auto channel = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
  return {channel(srgb[0]), channel(srgb[1]), channel(srgb[2]), srgb[3]};
}
std::array<double, 4> color_of(const char* hex) {
  const long rgb = std::strtol(hex + 1, nullptr, 16);
  return {(rgb >> 16) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0, 1.0};
}

/// Corners of faces one after the other, each with a normal of its own: the mean of those faces around it
/// that do not bend away.
struct Corners {
  std::vector<float> points, normals;
};
Corners corners_of(const Triangles& t) {
  std::vector<Vector3<double>> normals;
  std::vector<std::vector<std::size_t>> around(t.corners.size());
  for (std::size_t f = 0; f < t.faces.size(); ++f) {
    const auto& [a, b, c] = t.faces[f];
    normals.push_back(cross<double>(t.corners[b] - t.corners[a], t.corners[c] - t.corners[a]));
    for (const int corner : t.faces[f]) around[corner].push_back(f);
  }
  Corners out;
  for (std::size_t f = 0; f < t.faces.size(); ++f) {
    const Vector3<double> own = normals[f].normalized();
    if (!own.allFinite() || normals[f].isZero(0.0)) continue;
    for (const int corner : t.faces[f]) {
      Vector3<double> sum = Vector3<double>::Zero();
      for (const std::size_t g : around[corner])
        if (normals[g].normalized().dot(own) > kCrease) sum += normals[g];
      sum.normalize();
      for (const double x : t.corners[corner]) out.points.push_back(static_cast<float>(x));
      for (const double x : sum) out.normals.push_back(static_cast<float>(x));
    }
  }
  return out;
}

class GltfWriter {
 public:
  explicit GltfWriter(const Recording& r) : r_(r), m_(r.mechanism()), work_(m_) {
    json_ = {{"asset", {{"version", "2.0"}, {"generator", fmt::format("Amble {}", r.origin().version)}}},
             {"scene", 0},
             {"scenes", {{{"name", m_.name()}, {"nodes", {0}}}}}};
  }

  std::string write(double frame_rate) {
    add_nodes();
    add_animation(frame_rate);
    if (!materials_.empty()) json_["materials"] = materials_;
    if (!meshes_.empty()) json_["meshes"] = meshes_;
    json_["nodes"] = nodes_, json_["accessors"] = accessors_, json_["bufferViews"] = views_;
    json_["buffers"] = {{{"byteLength", bytes_.size()}}};
    return joined();
  }

 private:
  static void append(std::string& out, std::uint32_t number) {
    out.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  static void append_chunk(std::string& out, std::uint32_t kind, std::string content, char filler) {
    content.resize((content.size() + 3) / 4 * 4, filler);
    append(out, static_cast<std::uint32_t>(content.size()));
    append(out, kind);
    out += content;
  }
  std::string joined() const {
    std::string chunks, out;
    append_chunk(chunks, kJsonChunk, json_.dump(-1, ' ', false, Json::error_handler_t::replace), ' ');
    append_chunk(chunks, kBinaryChunk, bytes_, '\0');
    append(out, kMagic), append(out, 2), append(out, static_cast<std::uint32_t>(12 + chunks.size()));
    return out + chunks;
  }

  /// Numbers, `size` of them together; with the bounds where the format asks for them.
  std::size_t add_numbers(const std::vector<float>& numbers, int size, bool bounds, bool vertices) {
    static constexpr const char* kTypes[] = {"", "SCALAR", "", "VEC3", "VEC4"};
    Json view{{"buffer", 0}, {"byteOffset", bytes_.size()}, {"byteLength", numbers.size() * sizeof(float)}};
    if (vertices) view["target"] = kArrayBuffer;
    bytes_.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float));
    Json accessor{{"bufferView", views_.size()},
                  {"componentType", kFloat},
                  {"count", numbers.size() / static_cast<std::size_t>(size)},
                  {"type", kTypes[size]}};
    if (bounds) accessor["min"] = bound(numbers, size, true), accessor["max"] = bound(numbers, size, false);
    views_.push_back(std::move(view)), accessors_.push_back(std::move(accessor));
    return accessors_.size() - 1;
  }
  static Json bound(const std::vector<float>& numbers, int size, bool least) {
    std::vector<float> out(numbers.begin(), numbers.begin() + size);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      float& b = out[i % static_cast<std::size_t>(size)];
      b = least ? std::min(b, numbers[i]) : std::max(b, numbers[i]);
    }
    return out;
  }

  std::size_t material(const std::array<double, 4>& color) {
    const auto [found, is_new] = material_of_.try_emplace(color, materials_.size());
    if (!is_new) return found->second;
    Json material{{"pbrMetallicRoughness",
                   {{"baseColorFactor", linear(color)}, {"metallicFactor", 0.05}, {"roughnessFactor", 0.6}}}};
    if (color[3] < 1.0) material["alphaMode"] = "BLEND";
    materials_.push_back(std::move(material));
    return found->second;
  }

  static Json placed(Json node, const Pose& X) {
    const Vector3<double>& p = X.translation();
    const Quaternion<double> r = X.rotation().quaternion();
    node["translation"] = {p[0], p[1], p[2]}, node["rotation"] = {r.v[0], r.v[1], r.v[2], r.w};
    return node;
  }

  void add_nodes() {
    // Our z is up, theirs y.
    constexpr double kHalf = 0.70710678118654752440;
    nodes_.push_back(
        {{"name", m_.name()}, {"rotation", {-kHalf, 0.0, 0.0, kHalf}}, {"children", Json::array()}});
    const SceneModel model = scene_model(m_);
    const std::vector<std::string> names = link_names(m_);
    for (std::size_t link = 0; link < model.links.size(); ++link) {
      Json children = Json::array();
      const std::size_t index = nodes_.size();
      nodes_.push_back({{"name", names[link]}});
      nodes_[0]["children"].push_back(index), node_of_link_.push_back(index);
      for (const ViewShape& shape : model.links[link])
        if (const std::size_t made = add_shape(shape); made != 0) children.push_back(made);
      if (!children.empty()) nodes_[index]["children"] = children;
    }
    if (meshes_.empty()) throw Error(fmt::format("'{}' has nothing to show", m_.name()));
  }

  /// Its node, or 0.
  std::size_t add_shape(const ViewShape& shape) {
    const Corners corners = corners_of(triangles_of(shape));
    if (corners.points.empty()) return 0;
    const std::array<double, 4> color = shape.color.value_or(color_of(palette::kFaint));
    meshes_.push_back({{"primitives",
                        {{{"attributes",
                           {{"POSITION", add_numbers(corners.points, 3, true, true)},
                            {"NORMAL", add_numbers(corners.normals, 3, false, true)}}},
                          {"material", material(color)}}}}});
    nodes_.push_back(placed({{"name", shape.body}, {"mesh", meshes_.size() - 1}}, shape.X_LS));
    return nodes_.size() - 1;
  }

  void add_animation(double frame_rate) {
    std::vector<float> times;
    std::vector<std::vector<float>> moved(m_.links().size()), turned(m_.links().size());
    double tick = -1.0;
    for (Eigen::Index i = 0; i < r_.rows(); ++i) {
      const double t = r_.t()[static_cast<std::size_t>(i)] - r_.t()[0],
                   now = std::floor(t * frame_rate + 1e-6);
      const bool is_new = times.empty() || static_cast<float>(t) > times.back();
      if ((now <= tick && i + 1 < r_.rows()) || !is_new) continue;
      tick = now;
      times.push_back(static_cast<float>(t));
      add_pose(r_.q().row(i).transpose(), moved, turned);
    }
    Json samplers = Json::array(), channels = Json::array();
    const std::size_t input = add_numbers(times, 1, true, false);
    const auto add = [&](std::size_t link, const std::vector<float>& numbers, int size, const char* path) {
      samplers.push_back({{"input", input}, {"output", add_numbers(numbers, size, false, false)}});
      channels.push_back(
          {{"sampler", samplers.size() - 1}, {"target", {{"node", node_of_link_[link]}, {"path", path}}}});
    };
    for (std::size_t link = 1; link < m_.links().size(); ++link)
      add(link, moved[link], 3, "translation"), add(link, turned[link], 4, "rotation");
    if (!channels.empty())
      json_["animations"] = {{{"name", "motion"}, {"samplers", samplers}, {"channels", channels}}};
  }

  void add_pose(const VectorRef& q, std::vector<std::vector<float>>& moved,
                std::vector<std::vector<float>>& turned) {
    const LinkPoses poses = forward_kinematics(m_, work_, q);
    for (std::size_t link = 1; link < poses.size(); ++link) {
      const Quaternion<double> r = poses[link].rotation().quaternion();
      Eigen::Vector4f now(static_cast<float>(r.v[0]), static_cast<float>(r.v[1]), static_cast<float>(r.v[2]),
                          static_cast<float>(r.w));
      now.normalize();
      std::vector<float>& all = turned[link];
      // The nearer of two quaternions of one rotation: programs interpolate the short way only if it is.
      if (all.size() >= 4 && now.dot(Eigen::Map<const Eigen::Vector4f>(all.data() + all.size() - 4)) < 0.0f)
        now = -now;
      all.insert(all.end(), now.begin(), now.end());
      for (const double x : poses[link].translation()) moved[link].push_back(static_cast<float>(x));
    }
  }

  const Recording& r_;
  const Mechanism& m_;
  Workspace work_;
  Json json_, nodes_ = Json::array(), meshes_ = Json::array(), materials_ = Json::array(),
              accessors_ = Json::array(), views_ = Json::array();
  std::map<std::array<double, 4>, std::size_t> material_of_;
  std::vector<std::size_t> node_of_link_;
  std::string bytes_;
};

}  // namespace

void GltfSettings::validate() const {
  if (!(frame_rate > 0.0 && frame_rate <= 10000.0))
    throw Error(fmt::format("{} poses a second: expected more than 0 and at most 10000", frame_rate));
}

std::string gltf_binary(const Recording& recording, const GltfSettings& settings) {
  settings.validate();
  if (recording.rows() == 0) throw Error("the recording has no states to show");
  return GltfWriter(recording).write(settings.frame_rate);
}

}  // namespace amble
