#include "amble/mechanism/spanning_tree.hpp"

#include <fmt/format.h>

#include <deque>
#include <map>

namespace amble {

namespace {

/// Bodies by number with the world as number 0.
struct Graph {
  std::vector<int> parent, child;            // node of each joint
  std::vector<std::vector<int>> joints_from;  // by node
  std::vector<bool> is_child;

  explicit Graph(const ModelDescription& d) : joints_from(d.bodies.size() + 1), is_child(d.bodies.size() + 1) {
    std::map<std::string, int> node{{kWorld, 0}};
    for (std::size_t i = 0; i < d.bodies.size(); ++i)
      if (d.bodies[i].name != kWorld) node.emplace(d.bodies[i].name, static_cast<int>(i) + 1);
    for (const JointDescription& j : d.joints) {
      parent.push_back(node.at(j.parent));
      child.push_back(node.at(j.child));
      joints_from[parent.back()].push_back(static_cast<int>(parent.size()) - 1);
      is_child[child.back()] = true;
    }
  }
};

void report_unreached(const ModelDescription& d, const std::vector<bool>& reached, Problems& problems) {
  std::vector<std::string> names;
  int line = 0;
  for (std::size_t i = 0; i < d.bodies.size(); ++i) {
    if (reached[i + 1]) continue;
    if (names.empty()) line = d.bodies[i].line;
    names.push_back("'" + d.bodies[i].name + "'");
  }
  if (names.empty()) return;
  constexpr std::size_t kMostShown = 8;
  const std::size_t total = names.size();
  if (total > kMostShown) names.resize(kMostShown), names.push_back(fmt::format("... ({} in all)", total));
  problems.push_back({Severity::error, d.file, line, "bodies " + fmt::format("{}", fmt::join(names, ", ")),
                      "joined in a cycle that nothing connects to the world"});
}

}  // namespace

SpanningTree spanning_tree(const ModelDescription& d, Problems& problems) {
  const Graph graph(d);
  const int nodes = static_cast<int>(d.bodies.size()) + 1;
  SpanningTree tree;
  tree.parent_joint.assign(d.bodies.size(), -1);
  std::vector<bool> reached(nodes, false);
  std::vector<int> roots;
  std::deque<int> queue;
  const auto reach = [&](int node) { reached[node] = true, queue.push_back(node); };

  reach(0);
  for (int node = 1; node < nodes; ++node) {
    const bool is_world = d.bodies[node - 1].name == kWorld;
    if (is_world) reached[node] = true;
    if (is_world || !graph.is_child[node]) roots.push_back(node);
  }
  for (int root : roots)
    if (!reached[root]) reach(root);
  while (!queue.empty()) {
    const int node = queue.front();
    queue.pop_front();
    for (int joint : graph.joints_from[node]) {
      const int child = graph.child[joint];
      if (reached[child]) continue;
      tree.parent_joint[child - 1] = joint;
      reach(child);
    }
  }
  report_unreached(d, reached, problems);

  // Depth first with a stack of its own: a chain of a hundred thousand bodies must not overflow the program's.
  std::vector<int> stack;
  const auto push_children = [&](int node) {
    const auto& joints = graph.joints_from[node];
    for (auto joint = joints.rbegin(); joint != joints.rend(); ++joint)
      if (tree.parent_joint[graph.child[*joint] - 1] == *joint) stack.push_back(graph.child[*joint]);
  };
  push_children(0);
  stack.insert(stack.end(), roots.rbegin(), roots.rend());
  while (!stack.empty()) {
    const int node = stack.back();
    stack.pop_back();
    tree.body_order.push_back(node - 1);
    push_children(node);
  }
  for (int joint = 0; joint < static_cast<int>(d.joints.size()); ++joint)
    if (tree.parent_joint[graph.child[joint] - 1] != joint) tree.cut_joints.push_back(joint);
  return tree;
}

}  // namespace amble
