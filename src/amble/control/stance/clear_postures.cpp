#include "amble/control/stance/clear_postures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "amble/control/posture/posture_program.hpp"

namespace amble {

namespace {

constexpr int kRounds = 6;             // of a search with more pairs than before
constexpr double kTooNear = 0.999;     // of the clearance: rows of a program hold to its tolerance

int link_of_body(const Mechanism& m, const std::string& body) { return m.bodies()[m.body_index(body)].link; }

/// Two joints apart: parts of one hip or shoulder, which are built close and kept from each other by their joints' limits.
bool neighbours(const Mechanism& m, const BodyPair& pair) {
  const auto parent = [&](int link) { return link > 0 ? m.links()[link].parent : 0; };
  const int a = link_of_body(m, pair.first), b = link_of_body(m, pair.second);
  return a > 0 && b > 0 && (parent(parent(a)) == b || parent(parent(b)) == a);
}

}  // namespace

ClearPostures::ClearPostures(const Mechanism& m, const GroundPtr& ground, double clearance)
    : mechanism_(m), ground_(ground), clearance_(clearance) {
  if (!(clearance > 0.0)) return;
  const auto lacking = bodies_without_shapes(m);
  for (const auto& [body, why] : lacking) left_out_.push_back(body);
  if (!lacking.empty())
    notes_.push_back(fmt::format("{} {} not kept clear of others: {}", fmt::join(left_out_, ", "), lacking.size() == 1 ? "is" : "are", lacking[0].second));
  if (ground_ && !ground_->plane()) {
    notes_.push_back("the ground is not flat: bodies that do not stand on it are not kept clear of it");
    ground_ = nullptr;
  }
  const std::vector<BodyPair> all = pairs();
  if (!all.empty()) distances_ = std::make_unique<BodyDistances>(m, BodyDistanceOptions{all, ground_});
}

std::vector<BodyPair> ClearPostures::pairs() const {
  const Mechanism& m = mechanism_;
  std::vector<BodyPair> out = meeting_bodies(m, left_out_);
  std::erase_if(out, [&](const BodyPair& pair) { return neighbours(m, pair); });
  if (!ground_ && m.description().world_collisions.empty()) return out;
  for (const BodyDescription& b : m.description().bodies)
    if (!b.collisions.empty() && link_of_body(m, b.name) > 0 && std::count(left_out_.begin(), left_out_.end(), b.name) == 0)
      out.emplace_back(b.name, kWorld);
  return out;
}

int ClearPostures::link_of(const std::string& place) const { return place == kWorld ? 0 : mechanism_.place(place).link; }

/// Parts that are in contact, and those that a joint connects them with: a thumb, beside the hand that rests on the floor.
bool ClearPostures::may_touch(const BodyPair& pair, const std::vector<PostureContact>& contacts) const {
  const int first = link_of(pair.first), second = link_of(pair.second);
  const auto beside = [&](int a, int b) { return a == b || (a > 0 && b > 0 && (mechanism_.links()[a].parent == b || mechanism_.links()[b].parent == a)); };
  return std::any_of(contacts.begin(), contacts.end(), [&](const PostureContact& c) {
    const int on = link_of(c.patch.support), part = link_of(c.patch.place);
    return (first == on && beside(second, part)) || (second == on && beside(first, part));
  });
}

StaticPosture ClearPostures::find(const std::vector<PostureContact>& contacts, const std::vector<PostureContact>& touching, const VectorRef& start,
                                  PostureSettings settings) {
  for (const PostureContact& c : touching) settings.targets.push_back(target_of(c));
  if (distances_) settings.clearance = clearance_, settings.ground = ground_;
  StaticPosture found = static_posture(mechanism_, contacts, start, settings);
  for (int round = 0; distances_ && round < kRounds && found.found(); ++round) {
    const std::size_t before = settings.apart.size();
    for (const BodyDistance& d : distances_->evaluate(found.q))
      if (d.at.distance < kTooNear * clearance_ && !may_touch(d.bodies, contacts) && !may_touch(d.bodies, touching)) {
        if (std::find(settings.apart.begin(), settings.apart.end(), d.bodies) == settings.apart.end()) settings.apart.push_back(d.bodies);
      }
    if (settings.apart.size() == before) break;
    found = static_posture(mechanism_, contacts, start, settings);
  }
  return found;
}

}  // namespace amble
