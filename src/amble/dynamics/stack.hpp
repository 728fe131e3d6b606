#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <span>

#include "amble/dynamics/dynamics.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/lane_stack.hpp"

// Many states in one call: evaluated side by side in the lanes of each core, and on all cores. A row gives the same bits
// whatever its place, the number of rows or of threads; it agrees with the functions for one state to a few ulp.
namespace amble {

/// One argument of every state, a row each; or the same for all.
class StackInput {
 public:
  /// A row-major matrix, or rows or columns of one; it must live as long as this.
  template <class Rows>
    requires(bool(Rows::IsRowMajor) && (Rows::Flags & Eigen::DirectAccessBit) != 0 && Rows::InnerStrideAtCompileTime == 1)
  StackInput(const Eigen::MatrixBase<Rows>& x)  // NOLINT: any such matrix is one
      : StackInput(x.derived().data(), x.rows(), x.cols(), x.derived().outerStride()) {}
  /// `rows` rows of `size` numbers, `stride` apart; 0 repeats the first.
  StackInput(const double* data, Eigen::Index rows, Eigen::Index size, Eigen::Index stride)
      : data_(data), stride_(stride), rows_(rows), size_(size) {}
  StackInput(const LaneStack& x)  // NOLINT: is one as it is
      : data_(nullptr), stride_(0), rows_(x.rows()), size_(x.size()), lanes_(&x) {}

  Eigen::Index rows() const { return rows_; }
  Eigen::Index size() const { return size_; }
  /// Null when it has rows.
  const LaneStack* lanes() const { return lanes_; }
  /// A row where it lies, or put together in `room`.
  const double* row(Eigen::Index i, double* room) const;

 private:
  const double* data_;
  Eigen::Index stride_, rows_, size_;
  const LaneStack* lanes_ = nullptr;
};

/// Where results go, a row for every state; a matrix row by row in it.
class StackOutput {
 public:
  using Rows = Eigen::Ref<RowMatrix, 0, Eigen::OuterStride<>>;

  template <class X>
    requires std::convertible_to<X, Rows>
  StackOutput(X&& x)  // NOLINT: any such matrix is one
      : StackOutput(Rows(std::forward<X>(x))) {}
  StackOutput(Rows rows)  // NOLINT
      : data_(rows.data()), stride_(rows.outerStride()), rows_(rows.rows()), size_(rows.cols()) {}
  StackOutput(LaneStack& x)  // NOLINT: is one as it is
      : data_(nullptr), stride_(0), rows_(x.rows()), size_(x.size()), lanes_(&x) {}

  Eigen::Index rows() const { return rows_; }
  Eigen::Index size() const { return size_; }
  LaneStack* lanes() const { return lanes_; }
  /// Where a row lies; null when it lies in lanes.
  double* row(Eigen::Index i) const { return lanes_ != nullptr ? nullptr : data_ + i * stride_; }
  void put_row(Eigen::Index i, const double* numbers) const;

 private:
  double* data_;
  Eigen::Index stride_, rows_, size_;
  LaneStack* lanes_ = nullptr;
};

/// Memory for stacks, one part a thread.
class StackWorkspace {
 public:
  /// `threads` 0 is one per core.
  explicit StackWorkspace(const Mechanism& mechanism, int threads = 0);
  StackWorkspace(StackWorkspace&&) noexcept;
  StackWorkspace& operator=(StackWorkspace&&) noexcept;
  ~StackWorkspace();

  /// How rows are named in errors; "row 7" unless set.
  std::function<std::string(Eigen::Index)> row_name;

  /// Of interest to the functions of this folder only.
  struct Part;
  std::span<const std::unique_ptr<Part>> parts() const { return parts_; }

 private:
  std::vector<std::unique_ptr<Part>> parts_;
};

/// As the functions of the same name for one state. Wrenches from outside are the same for every row. An Error names
/// the first row that has one; results of other rows are then undefined.
void inverse_dynamics(const Mechanism& mechanism, StackWorkspace& work, const StackInput& q, const StackInput& v,
                      const StackInput& a, StackOutput tau, std::span<const ExternalWrench> external = {});
void forward_dynamics(const Mechanism& mechanism, StackWorkspace& work, const StackInput& q, const StackInput& v,
                      const StackInput& tau, StackOutput a, std::span<const ExternalWrench> external = {});
void bias_forces(const Mechanism& mechanism, StackWorkspace& work, const StackInput& q, const StackInput& v,
                 StackOutput bias);
void gravity_forces(const Mechanism& mechanism, StackWorkspace& work, const StackInput& q, StackOutput gravity);
void mass_matrix(const Mechanism& mechanism, StackWorkspace& work, const StackInput& q, StackOutput M);
void inverse_mass_matrix(const Mechanism& mechanism, StackWorkspace& work, const StackInput& q, StackOutput M_inverse);
void coriolis_matrix(const Mechanism& mechanism, StackWorkspace& work, const StackInput& q, const StackInput& v,
                     StackOutput C);
void inverse_dynamics_derivatives(const Mechanism& mechanism, StackWorkspace& work, const StackInput& q,
                                  const StackInput& v, const StackInput& a, StackOutput dq, StackOutput dv,
                                  StackOutput M, std::span<const ExternalWrench> external = {});
void forward_dynamics_derivatives(const Mechanism& mechanism, StackWorkspace& work, const StackInput& q,
                                  const StackInput& v, const StackInput& tau, StackOutput dq, StackOutput dv,
                                  StackOutput M_inverse, std::span<const ExternalWrench> external = {});

/// X_WB as a matrix of 4 x 4.
void pose(const Mechanism& mechanism, StackWorkspace& work, const StackInput& q, std::string_view place,
          StackOutput X_WB);
/// Where its origin is, 3 numbers a row: a fraction of the time of its pose.
void position(const Mechanism& mechanism, StackWorkspace& work, const StackInput& q, const Place& place, StackOutput p);
/// 6 x nv, as its rate.
void jacobian(const Mechanism& mechanism, StackWorkspace& work, const StackInput& q, std::string_view place,
              StackOutput J, const JacobianOptions& options = {});
void jacobian_dot(const Mechanism& mechanism, StackWorkspace& work, const StackInput& q, const StackInput& v,
                  std::string_view place, StackOutput J_dot, const JacobianOptions& options = {});

/// A number a row.
void kinetic_energy(const Mechanism& mechanism, StackWorkspace& work, const StackInput& q, const StackInput& v,
                    StackOutput energy);
void potential_energy(const Mechanism& mechanism, StackWorkspace& work, const StackInput& q, StackOutput energy);
/// 3 numbers a row; an Error when nothing has mass, as for momentum.
void center_of_mass(const Mechanism& mechanism, StackWorkspace& work, const StackInput& q, StackOutput center);
void center_of_mass_velocity(const Mechanism& mechanism, StackWorkspace& work, const StackInput& q,
                             const StackInput& v, StackOutput velocity);
/// 6 x nv, as its rate.
void momentum_matrix(const Mechanism& mechanism, StackWorkspace& work, const StackInput& q, StackOutput A);
void momentum_matrix_dot(const Mechanism& mechanism, StackWorkspace& work, const StackInput& q, const StackInput& v,
                         StackOutput A_dot);
/// 6 numbers a row.
void momentum(const Mechanism& mechanism, StackWorkspace& work, const StackInput& q, const StackInput& v,
              StackOutput h);

}  // namespace amble
