#include "amble/ports/bonds/block_diagram.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "amble/base/error.hpp"
#include "amble/ports/bonds/relations.hpp"

namespace amble {

namespace {

using Kind = SignalBlock::Kind;
using Names = std::vector<std::string>;

/// Turns what an element says of its ports into blocks for what causality makes it compute.
class BlockWriter {
 public:
  BlockWriter(const BondGraph& graph, const BondCausality& causality)
      : graph_(graph), causality_(causality), names_(graph, false), writer_(graph, names_) {}

  std::vector<SignalBlock> write() {
    for (const BondElement& e : graph_.elements()) e.is_junction() ? write_junction(e) : write_element(e);
    for (const BondSignalDescription& s : graph_.signals())
      add(Kind::assignment, s.integrated ? s.name + "'" : s.name, names_.interpret(s.value), "signal");
    return std::move(blocks_);
  }

  bool integrates(const BondPort& p) const { return causality_.effort_in(p) == p.effort_state; }

 private:
  void add(Kind kind, const std::string& output, const Expression& value, const std::string& title) {
    blocks_.push_back({kind, output, value, title});
  }
  Expression at(const BondElement& e, std::size_t port, int component, bool effort) const {
    return Expression::variable(names_.at(e, static_cast<int>(port), component, effort));
  }

  /// The bond that brings what is common gets the balance of the rest, the others what is common.
  void write_junction(const BondElement& e) {
    const bool common_effort = e.type == BondElementType::zero_junction;
    std::size_t bringer = 0;
    while (causality_.effort_in(e.ports[bringer]) != common_effort) ++bringer;
    for (int i = 0; i < graph_.bonds()[e.ports[0].bond].dimension; ++i) {
      Expression rest = 0.0;
      for (std::size_t k = 0; k < e.ports.size(); ++k) {
        if (k == bringer) continue;
        add(Kind::assignment, at(e, k, i, common_effort).text(), at(e, bringer, i, common_effort),
            described(e));
        const Expression other = at(e, k, i, !common_effort);
        rest = e.ports[k].in == e.ports[bringer].in ? rest - other : rest + other;
      }
      add(Kind::assignment, at(e, bringer, i, !common_effort).text(), rest, described(e));
    }
  }

  Names outputs_of(const BondElement& e) {
    Names out;
    for (std::size_t k = 0; k < e.ports.size(); ++k)
      for (int i = 0; i < graph_.bonds()[e.ports[k].bond].dimension; ++i) {
        out.push_back(at(e, k, i, !causality_.effort_in(e.ports[k])).text());
        if (!e.is_storage()) continue;
        const std::string& state = e.states[e.ports[k].first + i];
        out.push_back(integrates(e.ports[k]) ? state + "'" : state);
        if (!integrates(e.ports[k]))
          add(Kind::derivative, state + "'", Expression::variable(state), described(e));
      }
    return out;
  }

  /// As written where that is the way asked for, then turned around, then as an equation.
  void write_element(const BondElement& e) {
    Names outputs = outputs_of(e);
    std::vector<BondRelation> relations = writer_.of(e);
    for (const auto solve :
         {&BlockWriter::as_written, &BlockWriter::turned_around, &BlockWriter::as_equation})
      std::erase_if(outputs, [&](const std::string& output) {
        const auto found = std::ranges::find_if(
            relations, [&](const BondRelation& r) { return (this->*solve)(r, output, described(e)); });
        if (found == relations.end()) return false;
        relations.erase(found);
        return true;
      });
  }

  bool as_written(const BondRelation& r, const std::string& output, const std::string& title) {
    if (!(r.left == Expression::variable(output)) || r.right.depends_on(output)) return false;
    add(Kind::assignment, output, r.right, title);
    return true;
  }

  bool turned_around(const BondRelation& r, const std::string& output, const std::string& title) {
    const Expression residual = r.left - r.right, slope = residual.derivative(output);
    if (slope.is_zero() || slope.depends_on(output)) return false;
    add(Kind::assignment, output, -residual.substitute({{output, 0.0}}) / slope, title);
    return true;
  }

  bool as_equation(const BondRelation& r, const std::string& output, const std::string& title) {
    const Expression residual = r.left - r.right;
    if (!residual.depends_on(output)) return false;
    add(Kind::equation, output, residual, title);
    return true;
  }

  const BondGraph& graph_;
  const BondCausality& causality_;
  PortNames names_;
  RelationWriter writer_;
  std::vector<SignalBlock> blocks_;
};

/// Tarjan's strongly connected components: each comes out after all that it depends on.
class BlockOrder {
 public:
  explicit BlockOrder(std::vector<SignalBlock> blocks) : blocks_(std::move(blocks)), marks_(blocks_.size()) {
    for (std::size_t i = 0; i < blocks_.size(); ++i) place_[blocks_[i].output] = i;
  }

  void write_to(BlockDiagram& out) {
    for (std::size_t i = 0; i < blocks_.size(); ++i)
      if (marks_[i].index == 0) visit(i, out);
  }

 private:
  struct Mark {
    int index = 0, low = 0;
    bool open = false;
  };

  void visit(std::size_t i, BlockDiagram& out) {
    marks_[i] = {++count_, count_, true};
    stack_.push_back(i);
    for (const std::string& name : blocks_[i].value.variables()) {
      const auto at = place_.find(name);
      if (at == place_.end()) continue;
      const std::size_t j = at->second;
      if (marks_[j].index == 0) visit(j, out);
      if (marks_[j].open) marks_[i].low = std::min(marks_[i].low, marks_[j].low);
    }
    if (marks_[i].low == marks_[i].index) close(i, out);
  }

  void close(std::size_t first, BlockDiagram& out) {
    const auto begin = std::ranges::find(stack_, first);
    Names loop;
    for (auto at = stack_.end(); at != begin;) {
      --at;
      marks_[*at].open = false;
      loop.push_back(blocks_[*at].output);
      out.blocks.push_back(blocks_[*at]);
    }
    if (loop.size() > 1 || blocks_[first].value.depends_on(loop[0])) out.loops.push_back(loop);
    stack_.erase(begin, stack_.end());
  }

  std::vector<SignalBlock> blocks_;
  std::vector<Mark> marks_;
  std::map<std::string, std::size_t> place_;
  std::vector<std::size_t> stack_;
  int count_ = 0;
};

}  // namespace

std::string SignalBlock::text() const {
  if (kind == Kind::equation) return fmt::format("{} such that 0 = {}", output, value.text());
  return fmt::format("{} = {}{}", output, kind == Kind::derivative ? "d/dt " : "", value.text());
}

BlockDiagram block_diagram(const BondGraph& graph) {
  check_no_mechanism(graph, "the block diagram");
  const BondCausality causality = assign_causality(graph);
  if (!causality.conflicts.empty())
    throw Error(fmt::format("bond graph '{}' has a causality conflict: {}", graph.name(),
                            fmt::join(causality.conflicts, "; ")));
  BlockWriter writer(graph, causality);
  BlockDiagram out;
  BlockOrder(writer.write()).write_to(out);
  const auto computed = [&](const std::string& state) {
    return std::ranges::any_of(out.blocks, [&](const SignalBlock& b) { return b.output == state; });
  };
  for (const BondState& s : all_states(graph))
    if (!computed(s.name)) out.integrators.push_back({s.name, s.initial});
  return out;
}

std::string block_diagram_text(const BondGraph& graph) {
  const BlockDiagram diagram = block_diagram(graph);
  std::size_t width = 0;
  for (const SignalBlock& b : diagram.blocks) width = std::max(width, b.text().size());
  std::string out = fmt::format("block diagram of bond graph '{}'\n  computed in this order\n", graph.name());
  for (const SignalBlock& b : diagram.blocks)
    out += fmt::format("    {:<{}}  {}\n", b.text(), width, b.title);
  if (!diagram.integrators.empty()) out += "  integrated\n";
  for (const IntegratorBlock& i : diagram.integrators)
    out += fmt::format("    {0} from {0}', {1:g} at first\n", i.state, i.initial);
  for (const Names& loop : diagram.loops)
    out += fmt::format("  algebraic loop: {} depend{} on {}\n", fmt::join(loop, ", "),
                       loop.size() == 1 ? "s" : "", loop.size() == 1 ? "itself" : "each other");
  return out;
}

}  // namespace amble
