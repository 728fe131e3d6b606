#include "amble/constraints/momentum_constraint.hpp"

#include <fmt/format.h>

#include "amble/base/error.hpp"
#include "amble/dynamics/momentum.hpp"

namespace amble {

namespace {

class MomentumConstraint : public Constraint {
 public:
  MomentumConstraint(std::string name, const Vector6<double>& value) : Constraint(std::move(name), 6, false), value_(value) {}

  std::string meaning(int row) const override {
    return fmt::format("{} along {} of the world {}", row < 3 ? "impulse rate" : "moment", "xyz"[row % 3],
                       row < 3 ? "(N)" : "(N m)");
  }
  void evaluate(ConstraintKinematics& at, const ConstraintRows& out) const override {
    const Mechanism& m = at.mechanism();
    Eigen::Map<RowMatrix>(out.A, 6, m.nv()) = momentum_matrix(m, at.workspace(), at.q());
    Eigen::Map<Eigen::VectorXd>(out.bias, 6) = momentum_matrix_dot(m, at.workspace(), at.q(), at.v()) * at.v();
    Eigen::Map<Eigen::VectorXd>(out.target, 6) = value_;
  }

 private:
  Vector6<double> value_;
};

}  // namespace

ConstraintPtr momentum_constraint(const Mechanism&, std::string name, const Vector6<double>& value) {
  if (!value.allFinite()) throw Error(fmt::format("constraint '{}' asks for a momentum that is not finite", name));
  return std::make_shared<MomentumConstraint>(std::move(name), value);
}

}  // namespace amble
