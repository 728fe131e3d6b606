#pragma once

#include <vector>

#include "amble/geometry/inertia.hpp"
#include "amble/io/mjcf/compiled.hpp"

namespace amble {

/// The mass matrix of a compiled model as drawn (at qpos0), in MuJoCo's coordinates, armature included: what
/// some settings of drives and springs are relative to. By composite bodies (Featherstone 2008, table 6.2),
/// in world axes.
class CompiledMassMatrix {
 public:
  explicit CompiledMassMatrix(const CompiledModel& model);

  const std::vector<double>& diagonal() const { return diagonal_; }
  /// The diagonal of the inverse; empty when the matrix is larger than 1000 or singular.
  std::vector<double> inverse_diagonal() const;

  /// Adds factor times the power of a wrench in world axes, on a body, to `row` (nv) for the freedoms from
  /// there down to body `until`, which is on its way to the world.
  void add_force(int body, int until, const Wrench<double>& F, double factor, std::vector<double>& row) const;
  /// The length of M^-1 row; 0 where inverse_diagonal() is empty.
  double acceleration(const std::vector<double>& row) const;

 private:
  struct Freedom {
    int body = 0, parent = -1;  ///< the freedom before it on the way to the root
    Twist<double> S;
    double armature = 0.0;
  };

  void add_freedoms(const CompiledBody& body, int index);
  Eigen::MatrixXd matrix() const;
  /// Empty as inverse_diagonal() is.
  const Eigen::MatrixXd& inverse() const;

  int add(int body, int parent, const Twist<double>& S, double armature);

  std::vector<Freedom> freedoms_;
  std::vector<int> last_;  ///< by body: its last freedom, or that of the nearest ancestor
  std::vector<Inertia<double>> composites_;
  std::vector<double> diagonal_;
  mutable Eigen::MatrixXd inverse_;
  mutable bool is_inverted_ = false;
};

}  // namespace amble
