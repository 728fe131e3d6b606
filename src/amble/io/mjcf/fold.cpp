#include "amble/io/mjcf/fold.hpp"

#include <map>
#include <set>

#include "amble/mechanism/problems.hpp"
#include "amble/mechanism/spanning_tree.hpp"

namespace amble {

namespace {

LoopDescription loop_of(const JointDescription& j) {
  LoopDescription loop;
  loop.name = j.name;
  loop.type = j.type;
  loop.body_a = j.parent;
  loop.body_b = j.child;
  loop.X_AF = j.X_PF;
  loop.X_BM = j.X_CM;
  loop.axis = j.axis;
  loop.axis2 = j.axis2;
  loop.pitch = j.pitch;
  loop.custom = j.custom;
  loop.line = j.line;
  return loop;
}

bool can_stack(const JointDescription& j) { return j.type != "fixed" && j.type != "free"; }

class Folder {
 public:
  explicit Folder(const ModelDescription& d) : d_(d) {
    Problems problems = find_problems(d);
    throw_problems(problems, Severity::error);
    tree_ = spanning_tree(d, problems);
    throw_problems(problems, Severity::error);
    count_uses();
  }

  MjcfTree run() {
    out_.bodies.emplace_back();
    out_.loops = d_.loops;
    for (const int joint : tree_.cut_joints) out_.loops.push_back(loop_of(d_.joints[joint]));
    for (const int body : tree_.body_order) add(body);
    return std::move(out_);
  }

 private:
  /// The joints that lead to a body from the last one that is kept.
  struct Chain {
    int parent = 0;  ///< in out_.bodies
    std::vector<const JointDescription*> joints;
  };

  void count_uses() {
    for (const int body : tree_.body_order)
      if (const JointDescription* j = parent_joint(body)) children_[j->parent].push_back(j);
    for (const LoopDescription& l : d_.loops) used_.insert({l.body_a, l.body_b});
    for (const int joint : tree_.cut_joints) used_.insert({d_.joints[joint].parent, d_.joints[joint].child});
    for (const FrameDescription& f : d_.frames) used_.insert(f.body);
  }

  const JointDescription* parent_joint(int body) const {
    const int joint = tree_.parent_joint[body];
    return joint < 0 ? nullptr : &d_.joints[joint];
  }

  bool folds(int body) const {
    const BodyDescription& b = d_.bodies[body];
    const JointDescription* joint = parent_joint(body);
    if (!b.auxiliary || joint == nullptr || !can_stack(*joint) || used_.contains(b.name)) return false;
    const bool empty = b.inertia.mass() == 0.0 && b.inertia.about_origin().isZero(0.0) && b.visuals.empty() &&
                       b.collisions.empty();
    const auto children = children_.find(b.name);
    return empty && children != children_.end() && children->second.size() == 1 &&
           can_stack(*children->second[0]);
  }

  void add(int body) {
    if (d_.bodies[body].name == kWorld) return;
    Chain chain = chain_to(body);
    if (folds(body))
      open_.emplace(d_.bodies[body].name, std::move(chain));
    else
      close(body, chain);
  }

  Chain chain_to(int body) const {
    const JointDescription* joint = parent_joint(body);
    if (joint == nullptr) return {};
    const auto open = open_.find(joint->parent);
    Chain chain = open == open_.end() ? Chain{out_.find(joint->parent), {}} : open->second;
    chain.joints.push_back(joint);
    return chain;
  }

  /// With child k of the chain at X_k = X_PF X_CM^-1 on its parent at q = 0, the body is at X_1 ... X_n, and
  /// the frames of joint k are at (X_{k+1} ... X_n)^-1 X_CM on it.
  void close(int body, const Chain& chain) {
    MjcfBody b;
    b.body = &d_.bodies[body];
    for (auto joint = chain.joints.rbegin(); joint != chain.joints.rend(); ++joint) {
      const JointDescription& j = **joint;
      if (j.type == "fixed")
        b.fixed = &j;
      else
        b.joints.insert(b.joints.begin(), {&j, b.X_PB.inverse() * j.X_CM});
      b.X_PB = j.X_PF * j.X_CM.inverse() * b.X_PB;
    }
    MjcfBody& parent = out_.bodies[chain.parent];
    b.X_WB = parent.X_WB * b.X_PB;
    b.depth = parent.depth + 1;
    parent.children.push_back(static_cast<int>(out_.bodies.size()));
    out_.bodies.push_back(std::move(b));
  }

  const ModelDescription& d_;
  SpanningTree tree_;
  std::map<std::string, std::vector<const JointDescription*>> children_;
  std::set<std::string> used_;
  std::map<std::string, Chain> open_;
  MjcfTree out_;
};

}  // namespace

int MjcfTree::find(const std::string& body) const {
  if (body == kWorld) return 0;
  for (std::size_t i = 1; i < bodies.size(); ++i)
    if (bodies[i].body->name == body) return static_cast<int>(i);
  return -1;
}

MjcfTree mjcf_fold(const ModelDescription& description) { return Folder(description).run(); }

}  // namespace amble
