#include "amble/constraints/carried_constraints.hpp"

#include "amble/constraints/constrained_dynamics.hpp"
#include "amble/constraints/coupling_constraints.hpp"
#include "amble/constraints/rolling_constraints.hpp"

namespace amble {

std::vector<ConstraintPtr> rolling_constraints(const Mechanism& m) {
  std::vector<ConstraintPtr> out;
  for (const RollingWheel& r : m.rollings())
    out.push_back(rolling_disc_constraint(m, r.name, LinkFrame{}, {r.link, r.X_LW}, r.radius));
  return out;
}

std::vector<ConstraintPtr> constraints_of(const Mechanism& m) {
  std::vector<ConstraintPtr> out = loop_constraints(m);
  for (ConstraintPtr& c : rolling_constraints(m)) out.push_back(std::move(c));
  for (ConstraintPtr& c : coupling_constraints(m)) out.push_back(std::move(c));
  return out;
}

}  // namespace amble
