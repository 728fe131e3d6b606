#include "amble/contact/shared_forces.hpp"

#include <Eigen/QR>
#include <cmath>
#include <numbers>
#include <vector>

#include "amble/optimize/quadratic_program.hpp"

namespace amble {

namespace {

using Dense = Eigen::MatrixXd;
using Numbers = Eigen::VectorXd;

constexpr double kInside = 1e-12;  // of the largest force
constexpr double kRank = 1e-10;    // of the longest row

/// Orthonormal columns that span all that `columns` does not.
Dense complement(const Dense& columns) {
  if (columns.cols() == 0) return Dense::Identity(columns.rows(), columns.rows());
  Eigen::ColPivHouseholderQR<Dense> qr;
  qr.setThreshold(kRank);
  qr.compute(columns);
  const Dense Q = qr.householderQ();
  return Q.rightCols(columns.rows() - qr.rank());
}

/// The cones, from outside: d . f_t <= friction f_n for a few directions d, more where they are needed.
class Cuts {
 public:
  Cuts(std::span<const double> friction, const Numbers& p) : friction_(friction), p_(p) {
    for (int i = 0; i < static_cast<int>(friction.size()); ++i)
      if (std::isinf(friction[i]))
        rows_.push_back({i, 0.0, 0.0});
      else
        for (int k = 0; k < kFirst; ++k) {
          const double angle = 2.0 * std::numbers::pi * k / kFirst;
          rows_.push_back({i, std::cos(angle), std::sin(angle)});
        }
  }

  /// The forces p + Z y nearest to p inside of all cuts; false where there are none.
  bool solve(const Dense& Z, Numbers& f) const {
    const int n = static_cast<int>(Z.cols()), rows = static_cast<int>(rows_.size());
    QuadraticProgram program(n, 0, rows);
    program.H.setIdentity();
    for (int r = 0; r < rows; ++r) {
      const auto& [i, x, y] = rows_[r];
      const bool half_space = std::isinf(friction_[i]);
      const Eigen::RowVector3d cut(half_space ? -1.0 : -friction_[i], x, y);
      program.C.row(r) = cut * Z.middleRows<3>(3 * i);
      program.upper[r] = -cut * p_.segment<3>(3 * i);
    }
    const QpResult result = amble::solve(program, {.tolerance = 1e-14});
    if (result.status == QpStatus::infeasible || result.status == QpStatus::invalid) return false;
    f = p_ + Z * result.x;
    return true;
  }

  /// Cuts along the forces that leave their cones; how far the worst does.
  double add(const Numbers& f) {
    double worst = 0.0;
    for (int i = 0; i < static_cast<int>(friction_.size()); ++i) {
      const double n = f[3 * i], t = f.segment<2>(3 * i + 1).norm();
      const bool half_space = std::isinf(friction_[i]);
      const double outside = std::max(-n, half_space ? 0.0 : t - friction_[i] * std::max(n, 0.0));
      worst = std::max(worst, outside);
      if (!half_space && outside > kInside && t > 0.0) rows_.push_back({i, f[3 * i + 1] / t, f[3 * i + 2] / t});
    }
    return worst;
  }

 private:
  static constexpr int kFirst = 8;
  struct Row {
    int contact;
    double x, y;
  };
  std::span<const double> friction_;
  Numbers p_;
  std::vector<Row> rows_;
};

}  // namespace

std::optional<OwnedVector> shared_forces(const Eigen::Ref<const Dense>& J, const Eigen::Ref<const Dense>& held,
                                         std::span<const double> friction, const VectorRef& p) {
  constexpr int kRounds = 60;
  const double size = p.size() == 0 ? 0.0 : p.cwiseAbs().maxCoeff();
  if (!(size > 0.0)) return OwnedVector(p);
  Numbers f = p / size;
  Cuts cuts(friction, f);
  double outside = cuts.add(f);
  if (outside <= kInside) return OwnedVector(p);
  const Dense Z = complement(J * complement(held.transpose()));
  for (int round = 0; round < kRounds && outside > kInside; ++round) {
    if (Z.cols() == 0 || !cuts.solve(Z, f)) return std::nullopt;
    outside = cuts.add(f);
  }
  if (outside > 1e-9) return std::nullopt;
  return OwnedVector(size * f);
}

}  // namespace amble
