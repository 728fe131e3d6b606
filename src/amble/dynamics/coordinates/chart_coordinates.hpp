#pragma once

#include <map>

#include "amble/base/error.hpp"
#include "amble/geometry/chart.hpp"
#include "amble/mechanism/mechanism.hpp"

namespace amble {

/// A free or spherical joint in chart coordinates.
struct ChartBlock {
  int joint = 0;           ///< place in Mechanism::joints()
  ChartPtr chart;
  bool floats = false;     ///< a free joint: position first, then theta
  int start = 0;           ///< of the block in q_chart
  Slice theta;             ///< in q_chart
  Slice q, v;              ///< the joint's place in the mechanism's own numbers
  int constraint = 0;      ///< its first constraint
  int size() const { return theta.start + theta.size - start; }
};

/// Coordinates with a number that adds and that time differentiates for every motion, BK (1): q_chart = (x0, theta0,
/// qhat), in the order of the mechanism's joints. A free joint has its position (on the joint's frame on the parent) and
/// the theta of its chart, a spherical joint its theta, every other joint its own coordinates. Velocities, accelerations
/// and forces are those of the mechanism through v = T(q_chart) qdot_chart. Immutable; the mechanism's copy shares its
/// description.
class ChartCoordinates {
 public:
  /// `chart` for every free and spherical joint, but those named in `by_joint` have their own. Throws an Error for a
  /// name that is no such joint, and for a custom joint whose coordinates do not add.
  ChartCoordinates(const Mechanism& mechanism, ChartPtr chart, const std::map<std::string, ChartPtr>& by_joint = {});

  const Mechanism& mechanism() const { return mechanism_; }
  int size() const { return size_; }
  int constraint_count() const { return constraint_count_; }
  std::span<const ChartBlock> blocks() const { return blocks_; }
  /// Where a joint's coordinates stand in q_chart.
  Slice slice(std::string_view joint) const;
  const ChartBlock& block(std::string_view joint) const;

  /// The same configuration in chart coordinates, near `hint` (empty or of size()) where there are several.
  OwnedVector from_configuration(const VectorRef& q, const VectorRef& hint = Eigen::VectorXd()) const;
  /// And back. Throws an Error naming the joint whose theta is no rotation, with the measure that failed.
  OwnedVector configuration(const VectorRef& q_chart) const;

  /// v = T qdot_chart.
  OwnedVector velocity(const VectorRef& q_chart, const VectorRef& qdot_chart) const;
  /// The rates that keep the constraints and give v. Throws an Error naming the joint whose chart is singular here.
  OwnedVector rates(const VectorRef& q_chart, const VectorRef& v) const;

  /// C(q_chart), BK (27): zero on the manifold.
  OwnedVector constraints(const VectorRef& q_chart) const;

  /// Forces of all joints (nv, paired with v) from `u`: of all joints, or of all but the free ones, which nothing drives
  /// (u of BK (24)). Throws an Error for any other size.
  void joint_forces(const VectorRef& u, OwnedVector& tau) const;

  /// f(place in q_chart, in q, in v, count) for each run of coordinates that are the mechanism's own.
  template <class F>
  void for_each_plain(F f) const {
    for (const Run& run : plain_) f(run.chart, run.q, run.v, run.count);
  }

  /// Throws an Error unless `x` has size() finite numbers.
  void check(const VectorRef& x, std::string_view what) const;
  /// f(block), with the joint's name before the message of an Error that it throws.
  template <class F>
  void for_each_block(F f) const;

 private:
  struct Run {
    int chart = 0, q = 0, v = 0, count = 0;
  };
  void add_plain(const Joint& joint);

  Mechanism mechanism_;
  std::vector<ChartBlock> blocks_;
  std::vector<Run> plain_;
  int size_ = 0, constraint_count_ = 0;
};

/// The message of an Error about a joint's chart, with the joint's name before it.
[[noreturn]] void throw_in_joint(const std::string& joint, const Error& error);

template <class F>
void ChartCoordinates::for_each_block(F f) const {
  for (const ChartBlock& block : blocks_) {
    try {
      f(block);
    } catch (const Error& error) {
      throw_in_joint(mechanism_.joints()[block.joint].name, error);
    }
  }
}

}  // namespace amble
