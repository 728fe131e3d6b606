#include "amble/constraints/coordinate_constraints.hpp"

#include <fmt/format.h>

#include "amble/base/error.hpp"
#include "amble/base/slope.hpp"

namespace amble {

namespace {

class CouplingConstraint : public Constraint {
 public:
  struct Term {
    int q, v;
    double coefficient;
  };
  CouplingConstraint(std::string name, std::vector<Term> terms, double offset)
      : Constraint(std::move(name), 1, true), terms_(std::move(terms)), offset_(offset) {}
  std::string meaning(int) const override { return "force in the coupling (N m or N per unit of the first joint)"; }
  void evaluate(ConstraintKinematics& at, const ConstraintRows& out) const override {
    std::fill_n(out.A, at.mechanism().nv(), 0.0);
    out.bias[0] = 0.0, out.violation[0] = -offset_;
    for (const Term& t : terms_) {
      out.A[t.v] += t.coefficient;
      out.violation[0] += t.coefficient * at.q()[t.q];
    }
  }

 private:
  std::vector<Term> terms_;
  double offset_;
};

template <class Returned>
void check_returned(const std::string& name, const Returned& x, Eigen::Index rows, Eigen::Index cols, const char* what) {
  if (x.rows() != rows || x.cols() != cols)
    throw Error(fmt::format("constraint '{}': {} has {} x {} numbers, expected {} x {}", name, what, x.rows(), x.cols(), rows,
                            cols));
  if (!x.allFinite()) throw Error(fmt::format("constraint '{}': {} is not finite", name, what));
}

using RowMap = Eigen::Map<RowMatrix>;
using VectorMap = Eigen::Map<Eigen::VectorXd>;

class ConfigurationConstraint : public Constraint {
 public:
  ConfigurationConstraint(std::string name, int rows, ConfigurationFunction phi)
      : Constraint(std::move(name), rows, true), phi_(std::move(phi)) {}
  std::string meaning(int row) const override { return fmt::format("force along the gradient of phi[{}]", row); }
  void evaluate(ConstraintKinematics& at, const ConstraintRows& out) const override {
    const int nv = at.mechanism().nv();
    VectorMap(out.violation, rows()) = value(at.q());
    RowMap(out.A, rows(), nv) = jacobian(at.mechanism(), at.q());
    VectorMap(out.bias, rows()) = slope_at_zero([&](double t) -> Eigen::VectorXd {
      return jacobian(at.mechanism(), at.mechanism().integrate(at.q(), t * at.v())) * at.v();
    }, kStep);
  }

 private:
  static constexpr double kStep = 1e-2;  // of second derivatives: rounding grows with its square

  Eigen::VectorXd value(const VectorRef& q) const {
    const OwnedVector phi = phi_(q);
    check_returned(name(), phi, rows(), 1, "phi(q)");
    return phi;
  }
  Eigen::MatrixXd jacobian(const Mechanism& m, const VectorRef& q) const {
    Eigen::MatrixXd A(rows(), m.nv());
    for (int k = 0; k < m.nv(); ++k)
      A.col(k) = slope_at_zero([&](double t) { return value(m.integrate(q, t * Eigen::VectorXd::Unit(m.nv(), k))); }, kStep);
    return A;
  }

  ConfigurationFunction phi_;
};

class VelocityConstraint : public Constraint {
 public:
  VelocityConstraint(std::string name, int rows, VelocityMatrix A, ConfigurationFunction b)
      : Constraint(std::move(name), rows, false), A_(std::move(A)), b_(std::move(b)) {}
  std::string meaning(int row) const override { return fmt::format("force along row {} of A", row); }
  void evaluate(ConstraintKinematics& at, const ConstraintRows& out) const override {
    const Mechanism& m = at.mechanism();
    RowMap(out.A, rows(), m.nv()) = matrix(m, at.q());
    VectorMap(out.target, rows()) = target(at.q());
    VectorMap(out.bias, rows()) = slope_at_zero([&](double t) -> Eigen::VectorXd {
      const OwnedVector q = m.integrate(at.q(), t * at.v());
      return matrix(m, q) * at.v() - target(q);
    });
  }

 private:
  Eigen::MatrixXd matrix(const Mechanism& m, const VectorRef& q) const {
    const OwnedMatrix A = A_(q);
    check_returned(name(), A, rows(), m.nv(), "A(q)");
    return A;
  }
  Eigen::VectorXd target(const VectorRef& q) const {
    if (!b_) return Eigen::VectorXd::Zero(rows());
    const OwnedVector b = b_(q);
    check_returned(name(), b, rows(), 1, "b(q)");
    return b;
  }

  VelocityMatrix A_;
  ConfigurationFunction b_;
};

void check_rows(const std::string& name, int rows) {
  if (rows < 1) throw Error(fmt::format("constraint '{}' has {} rows: expected 1 or more", name, rows));
}

}  // namespace

ConstraintPtr coupling_constraint(const Mechanism& m, std::string name, const std::map<std::string, double>& coefficients,
                                  double offset) {
  std::vector<CouplingConstraint::Term> terms;
  for (const auto& [joint, coefficient] : coefficients) {
    const Joint& at = m.joints()[m.joint_index(joint)];
    if (at.q.size != 1 || at.v.size != 1)
      throw Error(fmt::format("constraint '{}' couples joint '{}', which is {}: expected one with one coordinate", name, joint,
                              at.type));
    if (!std::isfinite(coefficient)) throw Error(fmt::format("constraint '{}' has the coefficient {}", name, coefficient));
    // A follower is at ratio q + offset of its leader.
    terms.push_back({at.q.start, at.v.start, coefficient * at.ratio});
    offset -= coefficient * at.offset;
  }
  if (terms.empty()) throw Error(fmt::format("constraint '{}' couples no joints", name));
  return std::make_shared<CouplingConstraint>(std::move(name), std::move(terms), offset);
}

ConstraintPtr configuration_constraint(const Mechanism&, std::string name, int rows, ConfigurationFunction phi) {
  check_rows(name, rows);
  if (!phi) throw Error(fmt::format("constraint '{}' has no phi(q)", name));
  return std::make_shared<ConfigurationConstraint>(std::move(name), rows, std::move(phi));
}

ConstraintPtr velocity_constraint(const Mechanism&, std::string name, int rows, VelocityMatrix A, ConfigurationFunction b) {
  check_rows(name, rows);
  if (!A) throw Error(fmt::format("constraint '{}' has no A(q)", name));
  return std::make_shared<VelocityConstraint>(std::move(name), rows, std::move(A), std::move(b));
}

}  // namespace amble
