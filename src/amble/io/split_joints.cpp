#include "amble/io/split_joints.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "amble/mechanism/joints/joint.hpp"

namespace amble {

namespace {

struct Axis {
  const char* type;
  Vector3<double> axis;
};

/// In the order of the joint's coordinates, which is that in which they act.
std::vector<Axis> axes_of(const JointDescription& j) {
  if (j.type == "universal") return {{"revolute", j.axis.normalized()}, {"revolute", j.axis2.normalized()}};
  if (j.type == "cylindrical") return {{"prismatic", j.axis.normalized()}, {"revolute", j.axis.normalized()}};
  const Matrix3<double> R = rotation_from_z(j.axis).matrix();  // of the planar joint's coordinates
  return {{"prismatic", R.col(0)}, {"prismatic", R.col(1)}, {"revolute", R.col(2)}};
}

JointProperties part(const JointProperties& p, std::size_t i) {
  JointProperties out;
  for (auto member : {&JointProperties::lower, &JointProperties::upper, &JointProperties::velocity,
                      &JointProperties::effort, &JointProperties::damping, &JointProperties::friction,
                      &JointProperties::armature, &JointProperties::stiffness, &JointProperties::reference})
    if (i < (p.*member).size()) out.*member = {(p.*member)[i]};
  return out;
}

std::string free_name(const std::string& wish, std::set<std::string>& taken) {
  std::string name = wish;
  for (int i = 2; !taken.insert(name).second; ++i) name = fmt::format("{}_{}", wish, i);
  return name;
}

template <class List>
std::set<std::string> names_of(const List& list) {
  std::set<std::string> out;
  for (const auto& entry : list) out.insert(entry.name);
  return out;
}

class Splitter {
 public:
  Splitter(ModelDescription& model, Problems& changed)
      : m_(model), changed_(changed), bodies_(names_of(m_.bodies)), joints_(names_of(m_.joints)) {}

  void run(std::initializer_list<std::string_view> types) {
    std::vector<JointDescription> out;
    for (const JointDescription& j : m_.joints) {
      if (std::find(types.begin(), types.end(), j.type) == types.end())
        out.push_back(j);
      else
        split(j, out);
    }
    m_.joints = std::move(out);
    m_.bodies.insert(m_.bodies.end(), added_.begin(), added_.end());
  }

 private:
  void split(const JointDescription& j, std::vector<JointDescription>& out) {
    const std::vector<Axis> axes = axes_of(j);
    std::vector<std::string> names, between;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const bool last = i + 1 == axes.size();
      JointDescription part_of{
          .name = i == 0 ? j.name : free_name(fmt::format("{}_{}", j.name, i + 1), joints_),
          .type = axes[i].type,
          .parent = i == 0 ? j.parent : between.back(),
          .child = last ? j.child : free_name(fmt::format("{}_frame", j.name), bodies_),
          .X_PF = i == 0 ? j.X_PF : Pose(),
          .X_CM = last ? j.X_CM : Pose(),
          .axis = axes[i].axis,
          .properties = part(j.properties, i),
          .line = j.line};
      names.push_back(part_of.name);
      if (!last) add_frame(part_of.child, between);
      out.push_back(std::move(part_of));
    }
    split_keyframes(j.name, names);
    changed_.push_back({Severity::warning, "", 0, fmt::format("joint '{}'", j.name),
                        fmt::format("the type {} is said by the joints '{}', with '{}' between them", j.type,
                                    fmt::join(names, "', '"), fmt::join(between, "', '"))});
  }

  void add_frame(const std::string& name, std::vector<std::string>& between) {
    BodyDescription frame;
    frame.name = name;
    frame.auxiliary = true;
    added_.push_back(std::move(frame));
    between.push_back(name);
  }

  void split_keyframes(const std::string& joint, const std::vector<std::string>& names) {
    for (KeyframeDescription& key : m_.keyframes) {
      const auto found = std::find_if(key.joints.begin(), key.joints.end(),
                                      [&](const KeyframeJoint& k) { return k.joint == joint; });
      if (found == key.joints.end()) continue;
      const KeyframeJoint whole = *found;
      key.joints.erase(found);
      for (std::size_t i = 0; i < names.size(); ++i) {
        KeyframeJoint one{names[i], {}, {}};
        if (i < whole.q.size()) one.q = {whole.q[i]};
        if (i < whole.v.size()) one.v = {whole.v[i]};
        key.joints.push_back(std::move(one));
      }
    }
  }

  ModelDescription& m_;
  Problems& changed_;
  std::set<std::string> bodies_, joints_;
  std::vector<BodyDescription> added_;
};

}  // namespace

void split_joints(ModelDescription& model, std::initializer_list<std::string_view> types, Problems& changed) {
  Splitter(model, changed).run(types);
}

void add_joint_frames(ModelDescription& model, const std::function<bool(const JointDescription&)>& wanted,
                      Problems& changed) {
  std::set<std::string> bodies = names_of(model.bodies), names = names_of(model.joints);
  std::vector<JointDescription> out;
  for (JointDescription& j : model.joints) {
    out.push_back(j);
    if (!wanted(j)) continue;
    BodyDescription between;
    between.name = free_name(j.name + "_frame", bodies);
    changed.push_back({Severity::warning, "", 0, fmt::format("body '{}'", between.name),
                       fmt::format("is massless, added because the frame of joint '{}' is not that of '{}'",
                                   j.name, j.child)});
    out.back().child = between.name;
    out.back().X_CM = Pose();
    out.push_back({.name = free_name(between.name + "_fixed", names),
                   .type = "fixed",
                   .parent = between.name,
                   .child = j.child,
                   .X_PF = j.X_CM.inverse()});
    model.bodies.push_back(std::move(between));
  }
  model.joints = std::move(out);
}

}  // namespace amble
