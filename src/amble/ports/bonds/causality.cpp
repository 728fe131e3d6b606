#include "amble/ports/bonds/causality.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace amble {

namespace {

using Stroke = BondCausality::Stroke;
using enum BondElementType;
using Elements = std::set<int>;

/// Two demands on one bond.
struct Clash {
  int bond = -1;
  bool effort = true;  // both would set the effort, or the flow
  Elements first, second;
};

/// Strokes, and for each the elements that it goes back to.
struct Strokes {
  std::vector<Stroke> at;
  std::vector<Elements> roots;
};

class Assignment {
 public:
  explicit Assignment(const BondGraph& graph)
      : graph_(graph),
        now_{std::vector<Stroke>(graph.bonds().size(), Stroke::none), std::vector<Elements>(graph.bonds().size())} {}

  BondCausality run() {
    for (int e = 0; e < count(); ++e) fix(e);
    for (int e = 0; e < count(); ++e) store(e);
    for (int e = 0; e < count(); ++e) resist(e);
    for (int b = 0; b < static_cast<int>(graph_.bonds().size()); ++b)
      if (now_.at[b] == Stroke::none) choose(graph_.bonds()[b].from, graph_.port(b, false), true);
    out_.strokes = now_.at;
    for (const BondElement& e : graph_.elements()) note_division(e);
    return std::move(out_);
  }

 private:
  int count() const { return static_cast<int>(graph_.elements().size()); }
  const BondElement& element(int e) const { return graph_.elements()[e]; }
  static Stroke stroke_for(const BondPort& p, bool effort_in) {
    return p.in == effort_in ? Stroke::head : Stroke::tail;
  }
  bool known(const BondPort& p) const { return now_.at[p.bond] != Stroke::none; }
  bool effort_in(const BondPort& p) const { return now_.at[p.bond] == stroke_for(p, true); }

  /// What an element asks of one of its bonds, and all that follows; false, with the clash, when it cannot be had.
  bool demand(const BondPort& p, bool effort_in, const Elements& roots) {
    const Stroke wanted = stroke_for(p, effort_in);
    if (now_.at[p.bond] == wanted) return true;
    if (now_.at[p.bond] != Stroke::none) {
      clash_ = {p.bond, !effort_in, now_.roots[p.bond], roots};
      return false;
    }
    now_.at[p.bond] = wanted, now_.roots[p.bond] = roots;
    const Bond& b = graph_.bonds()[p.bond];
    return follow(element(b.from)) && follow(element(b.to));
  }

  /// Carries on what is known at an element.
  bool follow(const BondElement& e) {
    if (e.is_junction()) return follow_junction(e);
    if (e.ports.size() != 2 || (e.type != transformer && e.type != gyrator)) return true;
    for (const int k : {0, 1}) {
      const BondPort &p = e.ports[k], &other = e.ports[1 - k];
      if (known(p) && !demand(other, e.type == gyrator ? effort_in(p) : !effort_in(p), now_.roots[p.bond]))
        return false;
    }
    return true;
  }

  /// One bond alone brings a 0-junction its effort and a 1-junction its flow.
  bool follow_junction(const BondElement& e) {
    const bool brings = e.type == zero_junction;
    const BondPort *bringer = nullptr, *open = nullptr;
    int opens = 0;
    Elements others;
    for (const BondPort& p : e.ports) {
      if (!known(p)) {
        open = &p, ++opens;
        continue;
      }
      if (effort_in(p) == brings) bringer = &p;
      others.insert(now_.roots[p.bond].begin(), now_.roots[p.bond].end());
    }
    if (bringer != nullptr) {
      const Elements roots = now_.roots[bringer->bond];
      return std::all_of(e.ports.begin(), e.ports.end(),
                         [&](const BondPort& p) { return &p == bringer || demand(p, !brings, roots); });
    }
    if (opens == 1) return demand(*open, brings, others);
    if (opens > 1) return true;
    clash_ = {e.ports[0].bond, brings, others, others};
    return false;
  }

  bool attempt(const BondPort& p, bool effort_in, int e) {
    const Strokes before = now_;
    if (demand(p, effort_in, {e})) return true;
    now_ = before;
    return false;
  }

  void conflict() {
    const Bond& b = graph_.bonds()[clash_.bond];
    const auto names = [&](const Elements& elements) {
      std::vector<std::string> out;
      for (const int e : elements) out.push_back(described(element(e)));
      return fmt::format("{}", fmt::join(out, ", "));
    };
    const std::string who = clash_.first == clash_.second
                                ? names(clash_.first) + " together leave nothing that sets"
                                : fmt::format("{} and {} both set", names(clash_.first), names(clash_.second));
    out_.conflicts.push_back(fmt::format("{} the {} of the bond from {} to {}", who,
                                         clash_.effort ? "effort" : "flow", described(element(b.from)),
                                         described(element(b.to))));
  }

  void require(int e, const BondPort& p, bool effort_in) {
    if (!attempt(p, effort_in, e)) conflict();
  }

  /// What leaves no choice.
  void fix(int e) {
    const BondElement& x = element(e);
    const bool matrix = x.value.rows() > 1 || x.value.cols() > 1;
    if (x.is_source()) require(e, x.ports[0], x.type == flow_source);
    if (x.type == thermal_resistor) require(e, x.ports[1], true);
    if (x.type == mechanism)
      for (const BondPort& p : x.ports) require(e, p, true);
    if (x.type == gyrator && (matrix || x.ports.size() == 1))
      for (const BondPort& p : x.ports) require(e, p, x.law == "admittance");
    if (x.type == transformer && matrix) require(e, x.ports[0], x.law == "effort_ratio");
  }

  void store(int e) {
    const BondElement& x = element(e);
    if (!x.is_storage()) return;
    for (std::size_t k = 0; k < x.ports.size(); ++k) {
      const BondPort& p = x.ports[k];
      if (attempt(p, p.effort_state, e)) continue;
      const Elements others = clash_.bond == p.bond ? clash_.first : others_than(e);
      if (!attempt(p, !p.effort_state, e)) {
        conflict();
        continue;
      }
      out_.dependent.push_back({e, static_cast<int>(k), {others.begin(), others.end()}});
    }
  }
  Elements others_than(int e) const {
    Elements out = clash_.first;
    out.insert(clash_.second.begin(), clash_.second.end());
    out.erase(e);
    return out;
  }

  void resist(int e) {
    const BondElement& x = element(e);
    if (x.is_resistor() && !known(x.ports[0])) choose(e, x.ports[0], x.law == "conductance" || x.law == "flow");
  }
  void choose(int e, const BondPort& p, bool effort_in) {
    if (!attempt(p, effort_in, e) && !attempt(p, !effort_in, e)) conflict();
  }

  /// A ratio that varies and is divided by must not vanish.
  void note_division(const BondElement& e) {
    if (e.modulated_by.empty() || e.ports.size() != 2 || (e.type != transformer && e.type != gyrator)) return;
    const bool natural_in = e.law == "effort_ratio" || e.law == "admittance";
    if (out_.strokes[e.ports[0].bond] != Stroke::none && out_.effort_in(e.ports[0]) != natural_in)
      out_.notes.push_back(fmt::format("{}: its {} is divided by, so it must not become zero", described(e), e.law));
  }

  const BondGraph& graph_;
  Strokes now_;
  Clash clash_;
  BondCausality out_;
};

}  // namespace

BondCausality assign_causality(const BondGraph& graph) { return Assignment(graph).run(); }

}  // namespace amble
