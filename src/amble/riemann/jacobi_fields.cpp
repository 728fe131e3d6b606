#include "amble/riemann/jacobi_fields.hpp"

#include <Eigen/Cholesky>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/dynamics/derivatives.hpp"
#include "amble/mechanism/edit.hpp"
#include "amble/simulation/rkmk.hpp"

namespace amble {

namespace {

using Dense = Eigen::MatrixXd;
using Block = Eigen::Map<Dense>;
using ConstBlock = Eigen::Map<const Dense>;

/// (q, v, X, W): changes X of q and W of v, nv x 2 nv each. The mixed derivatives of q differ by the bracket
/// of the frame: X' = W - [v, X].
class VariationalFlow final : public Flow {
 public:
  explicit VariationalFlow(const Mechanism& m)
      : mechanism_(with_gravity(m, Vector3<double>::Zero())), work_(mechanism_), n_(m.nv()), rest_(m.nv()) {}
  const Mechanism* mechanism() const override { return &mechanism_; }
  int size() const override { return n_ + 4 * n_ * n_; }

  void rates(double, const double* q, const double* x, double* v, double* xdot) override {
    const ConstBlock at(q, mechanism_.nq(), 1), speed(x, n_, 1);
    const auto a = forward_dynamics_derivatives(mechanism_, work_, at, speed, rest_);
    bracket_matrix(mechanism_, at, speed, bracket_);
    Block(v, n_, 1) = speed;
    Block(xdot, n_, 1) = a.a;
    const ConstBlock X(x + n_, n_, 2 * n_), W(x + n_ + 2 * n_ * n_, n_, 2 * n_);
    Block(xdot + n_, n_, 2 * n_) = W - bracket_ * X;
    Block(xdot + n_ + 2 * n_ * n_, n_, 2 * n_) = a.dq * X + a.dv * W;
  }

 private:
  Mechanism mechanism_;
  Workspace work_;
  int n_;
  OwnedVector rest_;
  OwnedMatrix bracket_;
};

}  // namespace

struct VariationalRun::Memory {
  Memory(const Mechanism& m, double tolerance) : n(m.nv()), flow(m), run(flow, {.tolerance = tolerance}) {}
  int n;
  VariationalFlow flow;
  MuntheKaasIntegrator run;
};

VariationalRun::VariationalRun(const Mechanism& m, double tolerance)
    : memory_(std::make_unique<Memory>(m, tolerance)) {}
VariationalRun::~VariationalRun() = default;

void VariationalRun::start(const VectorRef& q, const VectorRef& v) {
  const int n = memory_->n;
  OwnedVector x(memory_->flow.size());
  x.head(n) = v;
  Block(x.data() + n, n, n).setIdentity();
  Block(x.data() + n + 3 * n * n, n, n).setIdentity();
  memory_->run.set_state(0.0, memory_->flow.mechanism()->checked_configuration(q), x);
}

void VariationalRun::advance(double t) { memory_->run.run(t); }

GeodesicVariation VariationalRun::now() const {
  const int n = memory_->n;
  const double* x = memory_->run.x().data();
  const auto block = [&](int i) { return ConstBlock(x + n + i * n * n, n, n); };
  return {memory_->run.q(), memory_->run.x().head(n), block(0), block(1), block(2), block(3)};
}

namespace {

/// Singular values of w -> Q_v w / t between the metrics at the ends: all 1 where there is no curvature.
class JacobiSize {
 public:
  JacobiSize(const Mechanism& m, const VectorRef& q, const VectorRef& v, double tolerance)
      : m_(m), work_(m), run_(m, tolerance), q_(q), v_(v), L0_(mass_matrix(m, work_, q).llt().matrixL()) {}

  Eigen::VectorXd singular_values(double t) {
    if (t < t_ || t_ == 0.0) run_.start(q_, v_);
    run_.advance(t_ = t);
    const GeodesicVariation now = run_.now();
    const Dense L = mass_matrix(m_, work_, now.q).llt().matrixL();
    const Dense right =
        L0_.triangularView<Eigen::Lower>().solve(Dense((L.transpose() * now.Q_v).transpose()));
    return Eigen::JacobiSVD<Dense>(right.transpose() / t).singularValues();
  }
  double least(double t) { return singular_values(t).minCoeff(); }

 private:
  const Mechanism& m_;
  Workspace work_;
  VariationalRun run_;
  OwnedVector q_, v_;
  Dense L0_;
  double t_ = 0.0;
};

/// The lowest place of a function between a and b that has one there, by golden sections.
template <class F>
double lowest(F f, double a, double b) {
  constexpr double kGolden = 0.6180339887498949;
  double x = b - kGolden * (b - a), y = a + kGolden * (b - a), fx = f(x), fy = f(y);
  while (b - a > 1e-9 * (std::abs(a) + std::abs(b))) {
    if (fx < fy)
      b = y, y = x, fy = fx, fx = f(x = b - kGolden * (b - a));
    else
      a = x, x = y, fx = fy, fy = f(y = a + kGolden * (b - a));
  }
  return 0.5 * (a + b);
}

}  // namespace

std::vector<ConjugatePoint> conjugate_points(const Mechanism& m, const VectorRef& q, const VectorRef& v,
                                             double duration, const ConjugateOptions& options) {
  if (!(duration > 0.0)) throw Error("conjugate points are looked for along a geodesic of positive duration");
  JacobiSize size(m, q, v, options.tolerance);
  const int n = options.samples;
  std::vector<double> least(n + 1, 1.0);
  const auto time = [&](int i) { return duration * i / n; };
  for (int i = 1; i <= n; ++i) least[i] = size.least(time(i));
  std::vector<ConjugatePoint> found;
  for (int i = 1; i <= n; ++i) {
    const bool dip = least[i] <= least[i - 1] && (i == n || least[i] <= least[i + 1]);
    if (!dip) continue;
    const double t = lowest([&](double s) { return size.least(s); }, time(i - 1), time(std::min(i + 1, n)));
    const Eigen::VectorXd values = size.singular_values(t);
    const int vanishing = static_cast<int>((values.array() < options.vanishing).count());
    if (vanishing > 0) found.push_back({t, vanishing});
  }
  return found;
}

}  // namespace amble
