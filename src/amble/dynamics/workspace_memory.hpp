#pragma once

#include <span>
#include <vector>

#include "amble/base/line_buffer.hpp"
#include "amble/dynamics/dynamics.hpp"
#include "amble/dynamics/kernel_tree.hpp"
#include "amble/dynamics/kernels/select.hpp"
#include "amble/dynamics/link_motion.hpp"

namespace amble {

/// Where one function's result lies, and how often it was written.
struct ResultSlot {
  ResultSlot(const char* name, Eigen::Index row_count, Eigen::Index col_count, bool depends_on_v)
      : function(name), rows(row_count), cols(col_count), needs_v(depends_on_v),
        memory(sizeof(double) * row_count * col_count) {}

  const char* function;
  Eigen::Index rows, cols;
  bool needs_v;
  LineBuffer memory;
  std::uint64_t writes = 0;

  double* numbers() { return memory.numbers(); }
  Eigen::Map<RowMatrix> matrix() { return {memory.numbers(), rows, cols}; }
};

struct Workspace::Memory {
  explicit Memory(const Mechanism& mechanism);

  KernelTree tree;
  LineBuffer scratch, custom, external;
  LineBuffer zero, unit;                       // nv zeros; a unit vector
  OwnedVector q, v, q_checked;                 // the state in use; a configuration on its way there
  std::uint64_t q_count = 0, v_count = 0;      // how often they changed
  static constexpr std::uint64_t kNever = 0;

  ResultSlot poses, columns, column_rates;  // what the kernels know of links
  ResultSlot jacobian, jacobian_dot, momentum_matrix, momentum_matrix_dot, summary, momentum;
  ResultSlot tau, bias, gravity, a, M, M_inverse, C, M_factor;
  ResultSlot tau_dq, tau_dv, tau_M, a_of_derivatives, a_dq, a_dv, a_M_inverse;
  ResultSlot momenta, velocities, pdot;
  ResultSlot kinetic_gradient, generalized, actuators, springs, regressor, kinetic_row, potential_row, placement;
  std::vector<Pose> X_WL;
  std::vector<LinkMotion> links;  // see link_motion.hpp

  Watch watch(const ResultSlot& slot) const;
  VectorView vector(ResultSlot& slot) { return {slot.numbers(), slot.rows, 1, watch(slot)}; }
  MatrixView matrix(ResultSlot& slot) { return {slot.numbers(), slot.rows, slot.cols, watch(slot)}; }
};

/// What custom joints must tell about themselves.
enum class CustomNumbers { motion, changes };

/// Checks `q` and `v` (null when there is none) and takes them as the state of the workspace. Quaternions within 1e-6 of
/// unit are normalised; a state with anything not finite or of the wrong size is an Error and changes nothing.
void load_state(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef* v,
                CustomNumbers custom = CustomNumbers::motion);

/// True when `q` can be used as it is: finite, quaternions unit to rounding, nothing else to be prepared.
bool ready_for_kernels(const KernelTree& tree, const double* q);

/// Throws an Error unless `x` has nv finite numbers: Mechanism::check_velocity() at the price of one pass over them.
void load_check(const Mechanism& mechanism, const VectorRef& x, const char* what);

/// The wrenches by node, in node axes; null when there are none.
const double* load_external(const Mechanism& mechanism, Workspace& work, std::span<const ExternalWrench> external);

/// Throws an Error unless something has mass.
void check_mass(const Mechanism& mechanism);

/// One custom joint in numbers, see kernels::kCustomBlock.
void fill_custom_block(const Link& link, const double* q, const double* v, CustomNumbers numbers, double* block);

/// Throws an Error naming the joint whose motion meets no inertia.
[[noreturn]] void throw_singular(const Mechanism& mechanism, Workspace& work);

/// The x with M x = b for the loaded configuration. Throws as throw_singular() does.
void solve_mass_matrix(const Mechanism& mechanism, Workspace& work, const double* b, ResultSlot& x);
/// Poses of nodes, their columns and, unless v is null, the columns' rates into Memory for the loaded state.
void run_kinematics(Workspace& work, const double* v);
/// M into Memory::M for the loaded state.
void run_mass_matrix(Workspace& work);
/// M a + bias - external for the loaded state; null `a` stands for zero.
void run_inverse_dynamics(Workspace& work, const double* v, const double* a, const double* external, ResultSlot& out);

}  // namespace amble
