#include "amble/riemann/connection.hpp"

#include "amble/constraints/constraint_connection.hpp"
#include "amble/dynamics/dynamics.hpp"
#include "amble/mechanism/edit.hpp"

namespace amble {

namespace {

class LeviCivita final : public Connection {
 public:
  explicit LeviCivita(const Mechanism& m) : Connection(m), work_(mechanism_), rest_(m.nv()) {}

  void coefficients(const VectorRef& q, Christoffel& out) override {
    christoffel(mechanism_, work_, q, out, ChristoffelKind::second);
  }
  OwnedVector acceleration(const VectorRef& q, const VectorRef& v) override {
    return forward_dynamics(mechanism_, work_, q, v, rest_);
  }

 private:
  Workspace work_;
  OwnedVector rest_;
};

class Constrained final : public Connection {
 public:
  Constrained(const Mechanism& m, std::vector<ConstraintPtr> constraints)
      : Connection(m), dynamics_(mechanism_, std::move(constraints)), rest_(m.nv()) {}

  void coefficients(const VectorRef& q, Christoffel& out) override {
    constraint_connection(dynamics_, q, out);
  }
  OwnedVector acceleration(const VectorRef& q, const VectorRef& v) override {
    dynamics_.set_state(q, v);
    return dynamics_.accelerations(rest_);
  }
  OwnedVector admissible(const VectorRef& q, const VectorRef& v) override {
    dynamics_.set_state(q, v);
    return dynamics_.project_velocity(v);
  }

 private:
  ConstrainedDynamics dynamics_;
  OwnedVector rest_;
};

}  // namespace

double inner_product(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& x,
                     const VectorRef& y) {
  m.check_velocity(x, "x");
  m.check_velocity(y, "y");
  return x.dot(mass_matrix(m, work, q) * y);
}

OwnedVector gradient(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& differential) {
  m.check_velocity(differential, "differential");
  return inverse_mass_matrix(m, work, q) * differential;
}

OwnedMatrix hessian(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& differential,
                    const OwnedMatrix& second) {
  const int n = m.nv();
  Christoffel gamma(n);
  const OwnedVector raised = gradient(m, work, q, differential);
  christoffel(m, work, q, gamma);
  OwnedMatrix out(second);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) out(j, k) -= 0.5 * (gamma(i, j, k) + gamma(i, k, j)) * raised[i];
  return out;
}

Connection::Connection(const Mechanism& m) : mechanism_(with_gravity(m, Vector3<double>::Zero())) {}

OwnedVector Connection::admissible(const VectorRef&, const VectorRef& v) { return v; }

std::unique_ptr<Connection> levi_civita(const Mechanism& m) { return std::make_unique<LeviCivita>(m); }

std::unique_ptr<Connection> constrained_connection(const Mechanism& m,
                                                   std::vector<ConstraintPtr> constraints) {
  return std::make_unique<Constrained>(m, std::move(constraints));
}

OwnedVector covariant_derivative(Connection& connection, const VectorRef& q, const VectorRef& X,
                                 const VectorRef& Y, const OwnedMatrix& dY) {
  const Mechanism& m = connection.mechanism();
  m.check_velocity(X, "X");
  m.check_velocity(Y, "Y");
  Christoffel gamma(m.nv());
  connection.coefficients(q, gamma);
  return dY * X + contract(gamma, Y, X);
}

}  // namespace amble
