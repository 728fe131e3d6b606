#include <algorithm>

#include "amble/io/mjcf/write_parts.hpp"

// Keyframes: MuJoCo's qpos and qvel, in the order in which the file nests its joints.
namespace amble {

namespace {

void append(std::vector<double>& out, const std::vector<double>& values) {
  out.insert(out.end(), values.begin(), values.end());
}

class KeyframeWriter {
 public:
  KeyframeWriter(const MjcfTree& tree, const KeyframeDescription& key) : tree_(tree), key_(key) { visit(0); }

  std::vector<double> qpos, qvel;

 private:
  void visit(int body) {
    const MjcfBody& b = tree_.bodies[static_cast<std::size_t>(body)];
    for (const MjcfStackedJoint& j : b.joints) add(*j.joint);
    for (const int child : b.children) visit(child);
  }

  const KeyframeJoint* find(const std::string& joint) const {
    const auto found = std::find_if(key_.joints.begin(), key_.joints.end(),
                                    [&](const KeyframeJoint& k) { return k.joint == joint; });
    return found == key_.joints.end() ? nullptr : &*found;
  }

  /// Empty for the neutral ones.
  std::vector<double> q_of(const JointDescription& j) const {
    const KeyframeJoint* k = find(j.name);
    if (k != nullptr && !k->q.empty()) return k->q;
    if (!j.mimic) return {};
    const KeyframeJoint* leader = find(j.mimic->leader);
    const double q = leader == nullptr || leader->q.empty() ? 0.0 : leader->q[0];
    return {j.mimic->ratio * q + j.mimic->offset};
  }
  std::vector<double> v_of(const JointDescription& j, std::size_t count) const {
    const KeyframeJoint* k = find(j.name);
    if (k != nullptr && !k->v.empty()) return k->v;
    std::vector<double> v(count, 0.0);
    const KeyframeJoint* leader = j.mimic ? find(j.mimic->leader) : nullptr;
    if (leader != nullptr && !leader->v.empty()) v[0] = j.mimic->ratio * leader->v[0];
    return v;
  }

  /// MuJoCo has w first and a free joint's linear velocity in the world.
  void add(const JointDescription& j) {
    std::vector<double> q = q_of(j);
    if (j.type == "free") {
      if (q.empty()) q = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0};
      std::vector<double> v = v_of(j, 6);
      const SO3<double> R_WB(Quaternion<double>::from_xyzw(q.data() + 3));
      const Vector3<double> linear = R_WB * Vector3<double>(v[0], v[1], v[2]);
      std::copy(linear.data(), linear.data() + 3, v.begin());
      append(qpos, {q[0], q[1], q[2], q[6], q[3], q[4], q[5]});
      append(qvel, v);
    } else if (j.type == "spherical") {
      if (q.empty()) q = {0.0, 0.0, 0.0, 1.0};
      append(qpos, {q[3], q[0], q[1], q[2]});
      append(qvel, v_of(j, 3));
    } else {
      append(qpos, q.empty() ? std::vector<double>{0.0} : q);
      append(qvel, v_of(j, 1));
    }
  }

  const MjcfTree& tree_;
  const KeyframeDescription& key_;
};

}  // namespace

void write_mjcf_keyframes(const ModelDescription& d, const MjcfTree& tree,
                          const std::vector<std::size_t>& drives, MjcfPrinter& out) {
  MjcfSection keyframe(out, "keyframe");
  for (const KeyframeDescription& k : d.keyframes) {
    const KeyframeWriter state(tree, k);
    keyframe.entry("key");
    if (!k.name.empty()) out.put("name", k.name);
    if (k.time != 0.0) out.put("time", k.time);
    if (!state.qpos.empty()) out.put("qpos", format_numbers(state.qpos));
    if (!state.qvel.empty()) out.put("qvel", format_numbers(state.qvel));
    if (k.ctrl.size() == d.drives.size() && !drives.empty()) {
      std::vector<double> ctrl;
      for (const std::size_t i : drives) ctrl.push_back(k.ctrl[i]);
      out.put("ctrl", format_numbers(ctrl));
    }
    out.close();
  }
}

}  // namespace amble
