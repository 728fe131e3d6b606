#include "amble/control/stance/stance_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/control/posture/inverse_kinematics.hpp"
#include "amble/control/posture/posture_program.hpp"
#include "amble/control/stance/clear_postures.hpp"
#include "amble/dynamics/momentum.hpp"

namespace amble {

namespace {

bool same_place(const Pose& a, const Pose& b) { return (a.matrix() - b.matrix()).cwiseAbs().maxCoeff() < 1e-9; }

/// Bodies that the body of a place may meet on its way.
std::vector<BodyPair> others_of(const Mechanism& m, const std::string& place) {
  std::vector<std::string> left_out;
  for (const auto& [body, why] : bodies_without_shapes(m)) left_out.push_back(body);
  std::vector<BodyPair> out;
  for (const BodyPair& pair : meeting_bodies(m, left_out))
    if (m.bodies()[m.body_index(pair.first)].link == m.place(place).link || m.bodies()[m.body_index(pair.second)].link == m.place(place).link)
      out.push_back(pair);
  return out;
}

/// A posture with what floats where `q` has it: only joints are liked in one place or another.
OwnedVector with_floating_of(const Mechanism& m, OwnedVector posture, const OwnedVector& q) {
  for (const Joint& joint : m.joints())
    if (joint.type == "free") posture.segment(joint.q.start, joint.q.size) = q.segment(joint.q.start, joint.q.size);
  return posture;
}

class Planner {
 public:
  Planner(const Mechanism& m, const std::vector<ContactPatch>& patches, const StancePlanSettings& settings)
      : m_(m), work_(m), patches_(patches), settings_(settings), postures_(m, settings.posture.ground, settings.clearance) {
    for (const ContactPatch& patch : patches_) patch.validate(m);
    plan_.notes = postures_.notes();
  }

  StancePlan run(const std::vector<Stance>& stances, const OwnedVector& start) {
    if (stances.empty()) throw Error("a plan has no stances: expected one or more");
    for (const Stance& s : stances) check(s);
    q_ = stances[0].preferred.size() > 0 ? stances[0].preferred : start;
    held_ = stances[0].contacts;
    if (!come_to(stances[0], fmt::format("stand as in '{}'", stances[0].name), {})) return std::move(plan_);
    plan_.start = q_;
    for (const auto& [name, pose] : held_) plan_.held[index_of(name)] = pose;
    plan_.stages.clear();
    for (std::size_t i = 0; i < stances.size(); ++i)
      if (!go_to(stances[i], i == 0)) return std::move(plan_);
    plan_.found = true, plan_.message = "every stance has its postures";
    return std::move(plan_);
  }

 private:
  void check(const Stance& s) const {
    for (const auto& [name, pose] : s.contacts) index_of(name);
    if (s.preferred.size() > 0) (void)m_.checked_configuration(s.preferred);
    if (!(s.duration > 0.0) || !std::isfinite(s.duration)) throw Error(fmt::format("stance '{}': duration is {}, expected more than 0 s", s.name, s.duration));
    if (!(s.pause >= 0.0) || !std::isfinite(s.pause)) throw Error(fmt::format("stance '{}': pause is {}, expected 0 s or more", s.name, s.pause));
  }
  int index_of(const std::string& name) const {
    const auto at = std::find_if(patches_.begin(), patches_.end(), [&](const ContactPatch& p) { return p.name == name; });
    if (at == patches_.end()) throw Error(fmt::format("a stance holds '{}', which is no contact", name));
    return static_cast<int>(at - patches_.begin());
  }
  std::vector<PostureContact> contacts() const {
    std::vector<PostureContact> out;
    for (const auto& [name, pose] : held_) out.push_back({patches_[index_of(name)], pose});
    return out;
  }

  bool go_to(const Stance& next, bool first) {
    const std::map<std::string, Pose> before = held_;
    for (const auto& [name, pose] : before) {
      const auto wanted = next.contacts.find(name);
      if (wanted == next.contacts.end() || !same_place(wanted->second, pose))
        if (!let_go(next, name, pose)) return false;
    }
    for (const auto& [name, pose] : next.contacts)
      if (!held_.contains(name) && !put(next, name, pose)) return false;
    if (first) return plan_.stages.push_back(stage(next.name, next.duration, next.pause)), true;
    return come_to(next, next.name, {}, next.pause);
  }

  /// A posture that rests without the contact, which is still there.
  bool let_go(const Stance& next, const std::string& name, const Pose& pose) {
    held_.erase(name);
    const PostureContact still{patches_[index_of(name)], pose};
    if (!come_to({.name = next.name, .contacts = {}, .duration = next.duration}, fmt::format("let go '{}'", name), {still})) return false;
    plan_.stages.back().released = index_of(name);
    return true;
  }
  /// A posture that rests without the contact, which is there already.
  bool put(const Stance& next, const std::string& name, const Pose& pose) {
    const ContactPatch& patch = patches_[index_of(name)];
    const OwnedVector before = q_;
    Stance liked = next;
    liked.targets.clear();
    if (!come_to(liked, fmt::format("place '{}'", name), {{patch, pose}})) return false;
    LimbArc arc{.from = frame_of(patch, before), .to = pose, .lift = settings_.lift, .duration = next.duration};
    std::vector<KinematicTarget> fixed;
    for (const PostureContact& c : contacts()) fixed.push_back(target_of(c));
    plan_.stages.back().arc = clear_arc(m_, patch, arc, before, q_, fixed, settings_);
    plan_.stages.back().placed = index_of(name);
    held_[name] = pose;
    return true;
  }
  /// On its support.
  Pose frame_of(const ContactPatch& patch, const OwnedVector& q) {
    const Pose X_WS = patch.support == "world" ? Pose() : pose(m_, work_, q, patch.support);
    return X_WS.inverse() * pose(m_, work_, q, patch.place) * patch.X_PC;
  }

  bool come_to(const Stance& next, const std::string& name, const std::vector<PostureContact>& touching, double pause = 0.0) {
    PostureSettings settings = settings_.posture;
    settings.targets.insert(settings.targets.end(), next.targets.begin(), next.targets.end());
    OwnedVector liked = q_;
    if (next.preferred.size() > 0) liked = with_floating_of(m_, next.preferred, q_);
    const StaticPosture found = postures_.find(contacts(), touching, liked, settings);
    if (!found.found()) {
      plan_.message = fmt::format("stance '{}', to {}: {}", next.name, name, found.message);
      return false;
    }
    q_ = found.q;
    plan_.stages.push_back(stage(name, next.duration, pause));
    return true;
  }
  StanceStage stage(const std::string& name, double duration, double pause) {
    return {.name = name, .q = q_, .com = center_of_mass(m_, work_, q_), .duration = duration, .pause = pause};
  }

  const Mechanism& m_;
  Workspace work_;
  const std::vector<ContactPatch>& patches_;
  const StancePlanSettings& settings_;
  ClearPostures postures_;
  OwnedVector q_;
  std::map<std::string, Pose> held_;
  StancePlan plan_;
};

/// How near the part comes to others on its way, the ends left out, where it may touch.
double nearest_on_way(const Mechanism& m, const ContactPatch& patch, const LimbArc& arc, const OwnedVector& from,
                      const OwnedVector& to, const std::vector<KinematicTarget>& fixed, BodyDistances& others, int samples) {
  double nearest = kInfinity;
  OwnedVector q = from;
  const OwnedVector way = m.difference(from, to);
  for (int i = 1; i < samples; ++i) {
    const double s = static_cast<double>(i) / samples;
    std::vector<KinematicTarget> targets = fixed;
    targets.push_back(target_of({patch, arc.at(s * arc.duration).pose}));
    q = inverse_kinematics(m, targets, m.integrate(from, OwnedVector(blend(s, 1.0).value * way)), {.tolerance = 1e-6, .iterations = 40}).q;
    for (const BodyDistance& d : others.evaluate(q)) nearest = std::min(nearest, d.at.distance);
  }
  return nearest;
}

}  // namespace

LimbArc clear_arc(const Mechanism& m, const ContactPatch& patch, const LimbArc& arc, const OwnedVector& from, const OwnedVector& to,
                  const std::vector<KinematicTarget>& fixed, const StancePlanSettings& settings) {
  LimbArc out = arc;
  const std::vector<BodyPair> pairs = others_of(m, patch.place);
  if (pairs.empty()) return out;
  BodyDistances others(m, {.pairs = pairs, .ground = nullptr});
  for (; out.lift < settings.most_lift; out.lift = std::min(1.5 * out.lift, settings.most_lift))
    if (nearest_on_way(m, patch, out, from, to, fixed, others, settings.samples) > settings.clearance) break;
  return out;
}

void StancePlanSettings::validate() const {
  posture.validate();
  const auto some = [](const char* name, double x) {
    if (!(x >= 0.0) || !std::isfinite(x)) throw Error(fmt::format("stances: {} is {}, expected 0 or more", name, x));
  };
  some("lift", lift), some("most_lift", most_lift), some("clearance", clearance);
  if (samples < 2) throw Error(fmt::format("stances: samples is {}, expected 2 or more", samples));
}

StancePlan plan_stances(const Mechanism& m, const std::vector<ContactPatch>& patches, const std::vector<Stance>& stances,
                        const VectorRef& start, const StancePlanSettings& settings) {
  settings.validate();
  return Planner(m, patches, settings).run(stances, m.checked_configuration(start));
}

}  // namespace amble
