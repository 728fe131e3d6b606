#pragma once

#include <optional>

#include "amble/dynamics/dynamics.hpp"
#include "amble/walkers/foot_angles.hpp"
#include "amble/walkers/step_model.hpp"

namespace amble {

/// A foot that touches the floor plane z = 0 at a point, or rolls on it as a ball (a disc when planar) about
/// its centre.
struct FootContact {
  std::string place;  ///< a frame of the full mechanism at its centre
  double radius = 0.0;
};

/// What a strike brings to rest, all at once and plastically, in the full mechanism: M (v+ - v-) = J^T p, J
/// v+ = 0. DS (3.44), (4.12).
struct PlasticStrike {
  std::vector<FootContact> feet;  ///< they neither slip nor leave
  std::vector<int> held;          ///< velocities of the full mechanism that are zero after it: locked knees
};

/// How a phase of a walker follows from its mechanism.
struct MechanismPhaseSpec {
  std::string name;
  Mechanism stance;  ///< the analysis model of this phase, in minimal coordinates; its joints carry springs
                     ///< and dampers
  /// Its state as one of the full mechanism: q_full = embed q + offset, v_full = embed v.
  OwnedMatrix embed;
  OwnedVector offset;

  FootContact stance_foot, swing_foot;
  /// The phase ends where the swing foot comes down to the floor, or where this coordinate of the full
  /// mechanism comes to an angle, from below or from above (a knee that becomes straight).
  std::optional<int> stop;
  double stop_at = 0.0;
  bool stop_rises = true;
  /// Combination of coordinates of the full mechanism, and how large it has to be before the swing foot may
  /// touch the floor (rad): the swing leg has passed, DS Remark 4.3.
  OwnedVector passing;
  double passed = 0.0;
  bool detect_scuffing = false;  ///< a foot below the floor before that is a failure
  PlasticStrike strike;
  /// The next phase's coordinates from those of the full mechanism after the strike, DS (4.10): q = relabel
  /// q_full + shift.
  OwnedMatrix relabel;
  OwnedVector shift;
  /// In space the first three coordinates of the next phase are the angles of the foot that stands then,
  /// which are no linear function of these; their rows of `relabel` are zero.
  struct NextFoot {
    std::string place;
    bool mirrored = false;     ///< left and right change places
    bool any_heading = false;  ///< the floor is level: headings are counted from that of the foot that stands
  };
  std::optional<NextFoot> next_foot;
  /// When it is not the walker's: the full mechanism of this phase, hung up by another foot.
  std::optional<Mechanism> full;

  /// Coordinates of the full mechanism with bounds: beyond them the walker has failed, in words.
  struct Bound {
    int coordinate;
    double lower, upper;  ///< rad
    std::string failure;
  };
  std::vector<Bound> bounds;
};

/// A phase made from a mechanism: forward dynamics of the stance model, strikes of the full one, all
/// derivatives in closed form. Coordinates are those of joints with one axis each.
class MechanismPhase : public StepPhase {
 public:
  /// Throws an Error when the sizes of `spec` do not fit, or a joint has no plain coordinate.
  MechanismPhase(const Mechanism& full, MechanismPhaseSpec spec, bool planar);

  std::string name() const override { return spec_.name; }
  int freedoms() const override { return m_; }
  void acceleration(const double* x, double* a, Derivative da) override;
  double guard(const double* x, Derivative dguard) override;
  bool counts(const double* x) const override;
  double reset(const double* x, double* next, Derivative dnext) override;
  int failures() const override;
  void failure_values(const double* x, double* values) override;
  std::string failure_name(int failure) const override;
  double kinetic_energy(const double* x) override;
  double potential_energy(const double* x) override;
  bool mass_matrix(const double* x, double* M) override;
  Powers powers(const double* x) override;
  std::unique_ptr<LanePhase> in_lanes() const override;

  const MechanismPhaseSpec& spec() const { return spec_; }
  /// The part of the potential energy that is in gravity (J).
  double height_energy(const double* x);
  Workspace& workspace() { return work_; }  ///< of the stance model
  OwnedVector full_configuration(const double* x) const;
  OwnedVector full_velocity(const double* x) const;
  void set_drop(double height) { drop_ = height; }
  double drop() const { return drop_; }
  /// With further forces at the coordinates, as those of actuators.
  void forced_acceleration(const double* x, const VectorRef& forces, double* a);
  /// The full mechanism of this phase, and memory for it.
  const Mechanism& full() const { return full_; }
  Workspace& full_workspace() { return full_work_; }
  bool planar() const { return planar_; }
  /// Height of the swing foot over the floor it comes down to (m).
  double clearance(const double* x);
  /// How far ahead of the stance foot the swing foot touches, or is above the floor (m).
  double reach(const double* x);
  /// How far the walker gets in a step that repeats itself (m), from the state right after its strike, and its
  /// gradient in q. With feet that roll that is more than the reach.
  double advance_at_start(const double* x, Derivative dq);
  /// How far beside it (m).
  double width(const double* x);
  /// Where the swing foot is (m), in axes at the place that the stance foot is held at.
  Vector3<double> swing_place(const double* x) { return position(swing_, x); }
  /// And the stance foot.
  Vector3<double> stance_place(const double* x) { return position(stance_, x); }
  /// By how much the next phase's heading is turned against this one's (rad).
  double turn(const double* x);
  /// What the floor does to the stance foot (N, world axes) in a motion with the accelerations `a`.
  Vector3<double> ground_force(const double* x, const double* a);
  /// The same with its derivatives in q, v and a, m columns each; rows x, (y in space,) z.
  struct GroundForce {
    OwnedVector force;
    OwnedMatrix by_q, by_v, by_a;
  };
  GroundForce ground_force_derivatives(const double* x, const double* a);
  /// Of the feet of the strike, then of the stance foot: impulses from the floor (N s) and the velocity of
  /// the stance foot right after (m/s).
  struct StrikeReport {
    std::vector<Vector3<double>> impulses;
    OwnedVector held;  ///< of the coordinates that the strike holds (N m s)
    Vector3<double> stance_velocity;
  };
  StrikeReport strike_report(const double* x);

 private:
  struct Impulse {
    OwnedVector after, impulse;
    OwnedMatrix J;
  };
  int rows_of_feet() const { return static_cast<int>(spec_.strike.feet.size()) * (planar_ ? 2 : 3); }
  OwnedMatrix contact_rows(const FootContact& foot, const Eigen::MatrixXd& J) const;
  OwnedMatrix foot_rows(const FootContact& foot, const VectorRef& q);
  OwnedMatrix foot_row_rates(const FootContact& foot, const VectorRef& q, const VectorRef& v);
  OwnedMatrix strike_rows(const VectorRef& q);
  Impulse strike(const VectorRef& q, const VectorRef& v);
  OwnedMatrix strike_derivative(const VectorRef& q, const VectorRef& v, const Impulse& impulse);
  void joint_forces(const double* x);
  double coordinate(int i, const double* x) const;
  Vector3<double> position(const Place& place, const double* x);

  Mechanism full_, weightless_;
  MechanismPhaseSpec spec_;
  bool planar_;
  int m_;
  Workspace work_, full_work_, weightless_work_;
  Place swing_, stance_;
  bool always_;  // counts
  double drop_ = 0.0;
  OwnedVector tau_, zero_;
};

}  // namespace amble
