#include "amble/ports/port_hamiltonian.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <set>

#include "amble/base/error.hpp"
#include "amble/dynamics/coordinates/hamiltonian.hpp"
#include "amble/dynamics/dynamics.hpp"
#include "amble/dynamics/line_coordinates.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/mechanism/joints/list.hpp"

namespace amble {

void PortHamiltonianTerms::clear() {
  for (OwnedMatrix* m : {&J, &R, &g, &K, &S}) m->setZero();
  gradient.setZero(), energy = 0.0;
}
OwnedVector PortHamiltonianTerms::rates(const VectorRef& u) const { return (J - R) * gradient + g * u; }
OwnedVector PortHamiltonianTerms::output(const VectorRef& u) const { return g.transpose() * gradient + (K + S) * u; }
double PortHamiltonianTerms::dissipated(const VectorRef& u) const {
  return gradient.dot(R * gradient) + u.dot(S * u);
}

namespace {

constexpr double kRounding = 1e-12;

double largest(const Eigen::MatrixXd& m) { return m.size() == 0 ? 0.0 : m.cwiseAbs().maxCoeff(); }

double least_eigenvalue(const Eigen::MatrixXd& m) {
  if (m.size() == 0) return 0.0;
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(0.5 * (m + m.transpose()), Eigen::EigenvaluesOnly)
      .eigenvalues()
      .minCoeff();
}

class FunctionSystem : public PortHamiltonian {
 public:
  FunctionSystem(int numbers, int ports, PortHamiltonianFunction function)
      : numbers_(numbers), ports_(ports), function_(std::move(function)) {}
  int numbers() const override { return numbers_; }
  int ports() const override { return ports_; }
  void evaluate(const double*, const double* x, PortHamiltonianTerms& out) override {
    function_(Eigen::Map<const Eigen::VectorXd>(x, numbers_), out);
  }

 private:
  int numbers_, ports_;
  PortHamiltonianFunction function_;
};

/// Zero where nothing is given; an Error for another size.
OwnedMatrix sized(const char* name, const OwnedMatrix& m, Eigen::Index rows, Eigen::Index cols) {
  if (m.size() == 0) return OwnedMatrix(rows, cols);
  if (m.rows() != rows || m.cols() != cols)
    throw Error(fmt::format("{} of a port-Hamiltonian system is {} x {}: expected {} x {}", name, m.rows(), m.cols(), rows,
                            cols));
  if (!m.allFinite()) throw Error(fmt::format("{} of a port-Hamiltonian system has a number that is not finite", name));
  return m;
}

void require_skew(const char* name, const OwnedMatrix& m) {
  const double off = largest(m + m.transpose());
  if (off > kRounding * (1.0 + largest(m)))
    throw Error(fmt::format("{} of a port-Hamiltonian system is not skew-symmetric: off by {:.3g}", name, off));
}
void require_symmetric(const char* name, const OwnedMatrix& m) {
  const double off = largest(m - m.transpose());
  if (off > kRounding * (1.0 + largest(m)))
    throw Error(fmt::format("{} of a port-Hamiltonian system is not symmetric: off by {:.3g}", name, off));
}
void require_dissipation(const char* name, const OwnedMatrix& m) {
  require_symmetric(name, m);
  const double least = least_eigenvalue(m);
  if (least < -kRounding * (1.0 + largest(m)))
    throw Error(fmt::format("{} of a port-Hamiltonian system has an eigenvalue of {:.3g}: it would make energy", name, least));
}

/// What J has between the momenta of a joint: p x for turning in space, the same for twists; zero for coordinates.
void add_momentum_structure(const Joint& joint, const double* p, Eigen::Ref<Eigen::MatrixXd> J) {
  if (joint.kind == kJointKind<Spherical>) J = skew<double>(Vector3<double>(p));
  if (joint.kind != kJointKind<Free>) return;
  const Matrix3<double> f = skew<double>(Vector3<double>(p));
  J.topRightCorner<3, 3>() = f, J.bottomLeftCorner<3, 3>() = f;
  J.bottomRightCorner<3, 3>() = skew<double>(Vector3<double>(p + 3));
}

class MechanismSystem : public PortHamiltonian {
 public:
  explicit MechanismSystem(const Mechanism& m) : mechanism_(m), work_(m), q_(m.nq()), p_(m.nv()), v_(m.nv()) {}
  const Mechanism* mechanism() const override { return &mechanism_; }
  int numbers() const override { return mechanism_.nv(); }
  int ports() const override { return mechanism_.nv(); }

  void evaluate(const double* q, const double* x, PortHamiltonianTerms& out) override {
    const int n = mechanism_.nv();
    q_ = Eigen::Map<const Eigen::VectorXd>(q, mechanism_.nq()), p_ = Eigen::Map<const Eigen::VectorXd>(x, n);
    v_ = velocities(mechanism_, work_, q_, p_);
    out.energy = 0.5 * p_.dot(v_) + potential_energy(mechanism_, work_, q_);
    // H at constant p falls as the kinetic energy at constant v rises.
    out.gradient.head(n) = gravity_forces(mechanism_, work_, q_);
    out.gradient.head(n) -= kinetic_energy_gradient(mechanism_, work_, q_, v_);
    out.gradient.tail(n) = v_;
    out.J.topRightCorner(n, n).setIdentity();
    out.J.bottomLeftCorner(n, n) = -Eigen::MatrixXd::Identity(n, n);
    for (const Joint& joint : mechanism_.joints())
      if (joint.leader < 0)
        add_momentum_structure(joint, x + joint.v.start,
                               out.J.block(n + joint.v.start, n + joint.v.start, joint.v.size, joint.v.size));
    out.g.bottomRows(n).setIdentity();
  }

 private:
  Mechanism mechanism_;
  Workspace work_;
  OwnedVector q_, p_, v_;
};

void check_ports(const char* which, const PortHamiltonian& system, const std::vector<int>& ports) {
  for (const int port : ports)
    if (port < 0 || port >= system.ports())
      throw Error(fmt::format("port {} of the {} system is to be connected, but it has {}", port, which, system.ports()));
  if (std::set<int>(ports.begin(), ports.end()).size() != ports.size())
    throw Error(fmt::format("a port of the {} system is connected twice", which));
}

class Interconnection : public PortHamiltonian {
 public:
  Interconnection(PortHamiltonianPtr first, std::vector<int> a, PortHamiltonianPtr second, std::vector<int> b)
      : first_(std::move(first)),
        second_(std::move(second)),
        a_(std::move(a)),
        b_(std::move(b)),
        one_(first_->states(), first_->ports()),
        two_(second_->states(), second_->ports()) {
    check_ports("first", *first_, a_);
    check_ports("second", *second_, b_);
    if (a_.size() != b_.size())
      throw Error(fmt::format("{} ports are to be connected to {}", a_.size(), b_.size()));
    if (second_->mechanism() != nullptr)
      throw Error("the second of two connected systems has a mechanism: it must be the first, and only one can have one");
    for (int i = 0; i < second_->ports(); ++i)
      if (std::find(b_.begin(), b_.end(), i) == b_.end()) open_.push_back(i);
  }
  const Mechanism* mechanism() const override { return first_->mechanism(); }
  int numbers() const override { return first_->numbers() + second_->numbers(); }
  int ports() const override { return first_->ports() + static_cast<int>(open_.size()); }

  void evaluate(const double* q, const double* x, PortHamiltonianTerms& out) override {
    evaluate_part(*first_, q, x, one_);
    evaluate_part(*second_, nullptr, x + first_->numbers(), two_);
    const Eigen::Index n1 = one_.gradient.size(), n2 = two_.gradient.size();
    if (largest((one_.K + one_.S)(Eigen::all, a_)) > 0.0)
      throw Error("the output of the first of two connected systems depends on its input there: an algebraic loop");
    const Eigen::MatrixXd g1 = one_.g(Eigen::all, a_), g2 = two_.g(Eigen::all, b_);
    out.energy = one_.energy + two_.energy;
    out.gradient.head(n1) = one_.gradient, out.gradient.tail(n2) = two_.gradient;
    out.J.topLeftCorner(n1, n1) = one_.J - g1 * two_.K(b_, b_) * g1.transpose();
    out.J.topRightCorner(n1, n2) = -g1 * g2.transpose();
    out.J.bottomLeftCorner(n2, n1) = g2 * g1.transpose();
    out.J.bottomRightCorner(n2, n2) = two_.J;
    out.R.topLeftCorner(n1, n1) = one_.R + g1 * two_.S(b_, b_) * g1.transpose();
    out.R.bottomRightCorner(n2, n2) = two_.R;
    put_ports(g1, out);
  }

 private:
  static void evaluate_part(PortHamiltonian& part, const double* q, const double* x, PortHamiltonianTerms& at) {
    at.clear();
    part.evaluate(q, x, at);
  }

  /// The ports of the first, and those of the second that stay open: they may act on the first through K of the second.
  void put_ports(const Eigen::MatrixXd& g1, PortHamiltonianTerms& out) const {
    const Eigen::Index n1 = one_.gradient.size(), p1 = one_.g.cols(), p2 = static_cast<Eigen::Index>(open_.size());
    out.g.topLeftCorner(n1, p1) = one_.g;
    out.K.topLeftCorner(p1, p1) = one_.K, out.S.topLeftCorner(p1, p1) = one_.S;
    if (p2 == 0) return;
    if (largest(two_.S(b_, open_)) > 0.0)
      throw Error("a connected and an open port of the second of two systems share a dissipation S: connect both");
    out.g.topRightCorner(n1, p2) = -g1 * two_.K(b_, open_);
    out.g.bottomRightCorner(two_.gradient.size(), p2) = two_.g(Eigen::all, open_);
    out.K.bottomRightCorner(p2, p2) = two_.K(open_, open_), out.S.bottomRightCorner(p2, p2) = two_.S(open_, open_);
  }

  PortHamiltonianPtr first_, second_;
  std::vector<int> a_, b_, open_;
  PortHamiltonianTerms one_, two_;
};

}  // namespace

PortHamiltonianPtr port_hamiltonian(const LinearPortHamiltonian& given) {
  const Eigen::Index n = given.Q.rows(), p = given.g.size() > 0 ? given.g.cols() : std::max(given.K.rows(), given.S.rows());
  const LinearPortHamiltonian x{sized("Q", given.Q, n, n), sized("J", given.J, n, n), sized("R", given.R, n, n),
                                sized("g", given.g, n, p), sized("K", given.K, p, p), sized("S", given.S, p, p)};
  require_symmetric("Q", x.Q);
  require_skew("J", x.J), require_skew("K", x.K);
  require_dissipation("R", x.R), require_dissipation("S", x.S);
  return port_hamiltonian(static_cast<int>(n), static_cast<int>(p), [x](const VectorRef& at, PortHamiltonianTerms& out) {
    out.J = x.J, out.R = x.R, out.g = x.g, out.K = x.K, out.S = x.S;
    out.gradient = x.Q * at, out.energy = 0.5 * at.dot(out.gradient);
  });
}

PortHamiltonianPtr port_hamiltonian(int numbers, int ports, PortHamiltonianFunction function) {
  if (numbers < 0 || ports < 0)
    throw Error(fmt::format("a port-Hamiltonian system of {} numbers and {} ports is asked for", numbers, ports));
  return std::make_shared<FunctionSystem>(numbers, ports, std::move(function));
}

PortHamiltonianPtr port_hamiltonian(const Mechanism& m) { return std::make_shared<MechanismSystem>(m); }

PortHamiltonianPtr interconnect(PortHamiltonianPtr first, std::vector<int> first_ports, PortHamiltonianPtr second,
                                std::vector<int> second_ports) {
  return std::make_shared<Interconnection>(std::move(first), std::move(first_ports), std::move(second),
                                           std::move(second_ports));
}

bool StructureReport::passive(double tolerance) const {
  return skew <= tolerance && asymmetry <= tolerance && least_R >= -tolerance && least_S >= -tolerance &&
         gradient_error <= tolerance;
}

StructureReport check_structure(PortHamiltonian& system, const VectorRef& q, const VectorRef& x) {
  const auto terms_at = [&](const VectorRef& q_at, const VectorRef& x_at) {
    PortHamiltonianTerms terms(system.states(), system.ports());
    system.evaluate(q_at.data(), x_at.data(), terms);
    return terms;
  };
  if (x.size() != system.numbers())
    throw Error(fmt::format("the state has {} numbers, but the system has {}", x.size(), system.numbers()));
  const Mechanism* const m = system.mechanism();
  const OwnedVector q0 = m == nullptr ? OwnedVector() : m->checked_configuration(q);
  const PortHamiltonianTerms at = terms_at(q0, x);
  const int nv = system.states() - system.numbers();
  OwnedVector differences(system.states());
  for (int i = 0; i < system.states(); ++i) {
    const double h = 1e-6 * (1.0 + (i < nv ? 0.0 : std::abs(x[i - nv])));
    const auto energy = [&](double step) {
      if (i < nv) return terms_at(m->integrate(q0, step * Eigen::VectorXd::Unit(nv, i)), x).energy;
      return terms_at(q0, x + step * Eigen::VectorXd::Unit(x.size(), i - nv)).energy;
    };
    differences[i] = (energy(h) - energy(-h)) / (2.0 * h);
  }
  return {.skew = std::max(largest(at.J + at.J.transpose()), largest(at.K + at.K.transpose())),
          .least_R = least_eigenvalue(at.R),
          .least_S = least_eigenvalue(at.S),
          .asymmetry = std::max(largest(at.R - at.R.transpose()), largest(at.S - at.S.transpose())),
          .gradient_error = largest(differences - at.gradient) / (1.0 + largest(at.gradient))};
}

// ---- on a mechanism

namespace {

class SystemElement : public Element {
 public:
  SystemElement(std::string name, PortHamiltonianPtr system, std::vector<int> velocities, const VectorRef& start)
      : Element(std::move(name)), system_(std::move(system)), velocities_(std::move(velocities)), start_(start),
        terms_(system_->states(), system_->ports()), u_(velocities_.size()) {
    if (system_->mechanism() != nullptr)
      throw Error(fmt::format("the system of element '{}' has a mechanism of its own", this->name()));
    if (static_cast<int>(velocities_.size()) != system_->ports())
      throw Error(fmt::format("element '{}' is on {} velocities, but its system has {} ports", this->name(),
                              velocities_.size(), system_->ports()));
    if (start_.size() != system_->numbers())
      throw Error(fmt::format("element '{}' starts at {} numbers, but its system has {}", this->name(), start_.size(),
                              system_->numbers()));
  }
  int size() const override { return system_->numbers(); }
  void start(const PortState& at, double* x, double*) const override {
    for (const int i : velocities_)
      if (i < 0 || i >= at.mechanism.nv())
        throw Error(fmt::format("element '{}' is on velocity {}, but '{}' has {}", name(), i, at.mechanism.name(),
                                at.mechanism.nv()));
    std::copy_n(start_.data(), start_.size(), x);
  }
  void evaluate(const PortState& at, const double* x, PortFlows& out, double* xdot) const override {
    terms_.clear();
    u_ = at.v(velocities_);
    system_->evaluate(nullptr, x, terms_);
    const OwnedVector y = terms_.output(u_), rates = terms_.rates(u_);
    for (std::size_t i = 0; i < velocities_.size(); ++i) out.tau[velocities_[i]] -= y[i];
    std::copy_n(rates.data(), rates.size(), xdot);
    out.stored = terms_.energy, out.dissipated = terms_.dissipated(u_);
  }

 private:
  PortHamiltonianPtr system_;
  std::vector<int> velocities_;
  OwnedVector start_;
  mutable PortHamiltonianTerms terms_;
  mutable OwnedVector u_;
};

}  // namespace

ElementPtr port_element(std::string name, PortHamiltonianPtr system, std::vector<int> velocities, const VectorRef& start) {
  return std::make_shared<SystemElement>(std::move(name), std::move(system), std::move(velocities), start);
}

}  // namespace amble
