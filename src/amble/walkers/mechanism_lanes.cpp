#include "amble/walkers/mechanism_lanes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/dynamics/stack.hpp"

namespace amble {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

template <int L>
using Numbers = std::vector<std::array<double, L>>;  // of all lanes, number by number

/// y += f x, lane by lane.
template <int L>
void add(std::array<double, L>& y, double f, const std::array<double, L>& x) {
  for (int l = 0; l < L; ++l) y[l] += f * x[l];
}

/// Lower factor of the symmetric n x n matrix A, in its place: A = C C^T. Not numbers where A is not
/// positive.
template <int L>
void factor(Numbers<L>& A, int n) {
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < j; ++k)
      for (int i = j; i < n; ++i)
        for (int l = 0; l < L; ++l) A[i * n + j][l] -= A[i * n + k][l] * A[j * n + k][l];
    std::array<double, L> scale;
    for (int l = 0; l < L; ++l) scale[l] = 1.0 / std::sqrt(A[j * n + j][l]);
    for (int i = j; i < n; ++i)
      for (int l = 0; l < L; ++l) A[i * n + j][l] *= scale[l];
  }
}

/// b = C^-1 b, the lower factor C being n x n.
template <int L>
void solve_lower(const Numbers<L>& C, int n, std::array<double, L>* b) {
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i; ++k)
      for (int l = 0; l < L; ++l) b[i][l] -= C[i * n + k][l] * b[k][l];
    for (int l = 0; l < L; ++l) b[i][l] /= C[i * n + i][l];
  }
}

/// b = C^-T b.
template <int L>
void solve_upper(const Numbers<L>& C, int n, std::array<double, L>* b) {
  for (int i = n; i-- > 0;) {
    for (int k = i + 1; k < n; ++k)
      for (int l = 0; l < L; ++l) b[i][l] -= C[k * n + i][l] * b[k][l];
    for (int l = 0; l < L; ++l) b[i][l] /= C[i * n + i][l];
  }
}

template <int L>
class MechanismLanes final : public LanePhase {
  using Lane = std::array<double, L>;

 public:
  MechanismLanes(const Mechanism& full, const MechanismPhaseSpec& spec, bool planar, double drop)
      : full_(full),
        spec_(spec),
        each_(planar ? 2 : 3),
        drop_(drop),
        m_(spec.stance.nv()),
        n_(full.nv()),
        rows_(static_cast<int>(spec.strike.feet.size()) * each_ + static_cast<int>(spec.strike.held.size())),
        work_(spec_.stance, 1),
        full_work_(full_, 1),
        swing_(spec_.stance.place(spec_.swing_foot.place)),
        q_(L, m_),
        v_(L, m_),
        tau_(L, m_),
        a_(L, m_),
        place_(L, 3),
        q_full_(L, n_),
        v_full_(L, n_),
        M_(L, Eigen::Index(n_) * n_),
        J_(L, Eigen::Index(6) * n_),
        mass_(static_cast<std::size_t>(n_ * n_)),
        contact_(static_cast<std::size_t>(rows_ * n_)),
        product_(static_cast<std::size_t>(rows_ * rows_)),
        impulse_(static_cast<std::size_t>(rows_)),
        after_(static_cast<std::size_t>(n_)) {}

  int lanes() const override { return L; }

  void accelerations(const double* x, double* a) override {
    const Lane fit = take(x);
    joint_forces();
    try {
      forward_dynamics(spec_.stance, work_, q_, v_, tau_, a_);
      std::copy_n(std::as_const(a_).group(0), m_ * L, a);
    } catch (const Error&) {
      accelerations_apart(a);
    }
    spoil(fit, a, m_);
  }

  void guards(const double* x, double* values) override {
    const Lane fit = take(x);
    if (!spec_.stop || spec_.detect_scuffing) position(spec_.stance, work_, q_, swing_, place_);
    Lane clear;
    const double* const z = std::as_const(place_).group(0) + 2 * L;
    for (int l = 0; l < L; ++l) clear[l] = z[l] - spec_.swing_foot.radius + drop_;
    auto* out = reinterpret_cast<Lane*>(values);
    *out++ = spec_.stop ? left_to_stop() : clear;
    for (const MechanismPhaseSpec::Bound& bound : spec_.bounds) {
      const Lane at = coordinate(bound.coordinate);
      for (int l = 0; l < L; ++l) (*out)[l] = std::min(at[l] - bound.lower, bound.upper - at[l]);
      ++out;
    }
    if (spec_.detect_scuffing) {
      const Lane count = passing();
      for (int l = 0; l < L; ++l) (*out)[l] = !spec_.stop && count[l] > 0.0 ? 1.0 : clear[l];
    }
    spoil(fit, values, 1 + static_cast<int>(spec_.bounds.size()) + (spec_.detect_scuffing ? 1 : 0));
  }

  void counting(const double* x, double* values) override {
    const Lane fit = take(x);
    const Lane count = passing();
    std::copy(count.begin(), count.end(), values);
    spoil(fit, values, 1);
  }

  void reset(const double* x, double* next) override {
    const Lane fit = take(x);
    lift();
    strike();
    const int k = static_cast<int>(spec_.shift.size());
    auto* out = reinterpret_cast<Lane*>(next);
    const auto* q = reinterpret_cast<const Lane*>(std::as_const(q_full_).group(0));
    for (int i = 0; i < k; ++i) {
      out[i].fill(spec_.shift[i]), out[k + i].fill(0.0);
      for (int j = 0; j < n_; ++j) {
        if (spec_.relabel(i, j) == 0.0) continue;
        add<L>(out[i], spec_.relabel(i, j), q[j]);
        add<L>(out[k + i], spec_.relabel(i, j), after_[j]);
      }
    }
    spoil(fit, next, 2 * k);
  }

 private:
  /// Puts the states where the functions of stacks find them, zeros in place of those that are not finite.
  /// Returns 0 for every lane that is fit.
  Lane take(const double* x) {
    Lane fit{};
    for (int i = 0; i < 2 * m_; ++i)
      for (int l = 0; l < L; ++l) fit[l] += 0.0 * x[i * L + l];
    double *q = q_.group(0), *v = v_.group(0);
    std::copy_n(x, m_ * L, q), std::copy_n(x + m_ * L, m_ * L, v);
    for (int l = 0; l < L; ++l)
      if (fit[l] != 0.0)
        for (int i = 0; i < m_; ++i) q[i * L + l] = v[i * L + l] = 0.0;
    return fit;
  }

  static void spoil(const Lane& fit, double* out, int size) {
    for (int l = 0; l < L; ++l)
      if (fit[l] != 0.0)
        for (int i = 0; i < size; ++i) out[i * L + l] = kNone;
  }

  void joint_forces() {
    const double *q = std::as_const(q_).group(0), *v = std::as_const(v_).group(0);
    double* tau = tau_.group(0);
    const Mechanism& s = spec_.stance;
    for (int i = 0; i < m_; ++i)
      for (int l = 0; l < L; ++l)
        tau[i * L + l] =
            -s.stiffness()[i] * (q[i * L + l] - s.spring_reference()[i]) - s.damping()[i] * v[i * L + l];
  }

  /// One of the states is singular. Each is computed with itself in all lanes, so that it has the bits that
  /// it has in any company.
  void accelerations_apart(double* a) {
    const auto alone = [](const LaneStack& all, int lane) {
      LaneStack same(L, all.size());
      for (int l = 0; l < L; ++l) same.set_row(l, all.row(lane));
      return same;
    };
    for (int lane = 0; lane < L; ++lane) {
      try {
        forward_dynamics(spec_.stance, work_, alone(q_, lane), alone(v_, lane), alone(tau_, lane), a_);
        for (int i = 0; i < m_; ++i) a[i * L + lane] = a_(lane, i);
      } catch (const Error&) {
        for (int i = 0; i < m_; ++i) a[i * L + lane] = kNone;
      }
    }
  }

  Lane coordinate(int i) const {
    const auto* q = reinterpret_cast<const Lane*>(q_.group(0));
    Lane at;
    at.fill(spec_.offset[i]);
    for (int j = 0; j < m_; ++j) add<L>(at, spec_.embed(i, j), q[j]);
    return at;
  }

  Lane left_to_stop() const {
    const double sign = spec_.stop_rises ? 1.0 : -1.0;
    Lane left;
    left.fill(sign * spec_.stop_at);
    add<L>(left, -sign, coordinate(*spec_.stop));
    return left;
  }

  Lane passing() const {
    Lane sum;
    sum.fill(spec_.passing.size() == 0 ? 1.0 : -spec_.passed);
    for (Eigen::Index i = 0; i < spec_.passing.size(); ++i)
      if (spec_.passing[i] != 0.0) add<L>(sum, spec_.passing[i], coordinate(static_cast<int>(i)));
    return sum;
  }

  /// The states of the full mechanism.
  void lift() {
    auto *q = reinterpret_cast<Lane*>(q_full_.group(0)), *v = reinterpret_cast<Lane*>(v_full_.group(0));
    const auto* rates = reinterpret_cast<const Lane*>(std::as_const(v_).group(0));
    for (int i = 0; i < n_; ++i) {
      q[i] = coordinate(i);
      v[i].fill(0.0);
      for (int j = 0; j < m_; ++j) add<L>(v[i], spec_.embed(i, j), rates[j]);
    }
  }

  /// Velocities of what the strike brings to rest, as MechanismPhase has them.
  void contact_rows() {
    std::fill(contact_.begin(), contact_.end(), Lane{});
    Lane* row = contact_.data();
    for (const FootContact& foot : spec_.strike.feet) {
      jacobian(full_, full_work_, q_full_, foot.place, J_, {.frame = JacobianFrame::aligned});
      const auto* J = reinterpret_cast<const Lane*>(std::as_const(J_).group(0));
      for (int j = 0; j < n_; ++j) {
        row[j] = J[j], add<L>(row[j], -foot.radius, J[4 * n_ + j]);
        if (each_ == 3) row[n_ + j] = J[n_ + j], add<L>(row[n_ + j], foot.radius, J[3 * n_ + j]);
        row[(each_ - 1) * n_ + j] = J[2 * n_ + j];
      }
      row += each_ * n_;
    }
    for (const int held : spec_.strike.held) row[held].fill(1.0), row += n_;
  }

  /// v+ = v - M^-1 J^T (J M^-1 J^T)^-1 J v, DS (3.44), with M = C C^T and G = C^-1 J^T.
  void strike() {
    mass_matrix(full_, full_work_, q_full_, M_);
    contact_rows();
    const auto* M = reinterpret_cast<const Lane*>(std::as_const(M_).group(0));
    const auto* v = reinterpret_cast<const Lane*>(std::as_const(v_full_).group(0));
    std::copy_n(M, n_ * n_, mass_.data());
    factor<L>(mass_, n_);
    std::fill(impulse_.begin(), impulse_.end(), Lane{});
    for (int r = 0; r < rows_; ++r) {
      Lane* G = contact_.data() + r * n_;
      for (int j = 0; j < n_; ++j)
        for (int l = 0; l < L; ++l) impulse_[r][l] -= G[j][l] * v[j][l];
      solve_lower<L>(mass_, n_, G);
    }
    for (int r = 0; r < rows_; ++r)
      for (int s = 0; s <= r; ++s)
        product_[r * rows_ + s] = dot(contact_.data() + r * n_, contact_.data() + s * n_);
    factor<L>(product_, rows_);
    solve_lower<L>(product_, rows_, impulse_.data());
    solve_upper<L>(product_, rows_, impulse_.data());
    std::fill(after_.begin(), after_.end(), Lane{});
    for (int r = 0; r < rows_; ++r)
      for (int j = 0; j < n_; ++j)
        for (int l = 0; l < L; ++l) after_[j][l] += contact_[r * n_ + j][l] * impulse_[r][l];
    solve_upper<L>(mass_, n_, after_.data());
    for (int j = 0; j < n_; ++j) add<L>(after_[j], 1.0, v[j]);
  }

  Lane dot(const Lane* x, const Lane* y) const {
    Lane sum{};
    for (int j = 0; j < n_; ++j)
      for (int l = 0; l < L; ++l) sum[l] += x[j][l] * y[j][l];
    return sum;
  }

  Mechanism full_;
  MechanismPhaseSpec spec_;
  int each_;  // rows of a foot
  double drop_;
  int m_, n_, rows_;
  StackWorkspace work_, full_work_;
  Place swing_;
  LaneStack q_, v_, tau_, a_, place_, q_full_, v_full_, M_, J_;
  Numbers<L> mass_, contact_, product_, impulse_, after_;
};

}  // namespace

std::unique_ptr<LanePhase> mechanism_lanes(const Mechanism& full, const MechanismPhaseSpec& spec, bool planar,
                                           double drop) {
  switch (LaneStack(1, 1).lanes()) {
    case 8:
      return std::make_unique<MechanismLanes<8>>(full, spec, planar, drop);
    case 4:
      return std::make_unique<MechanismLanes<4>>(full, spec, planar, drop);
    default:
      return std::make_unique<MechanismLanes<2>>(full, spec, planar, drop);
  }
}

}  // namespace amble
