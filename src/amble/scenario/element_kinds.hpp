#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "amble/contact/models/normal_law.hpp"
#include "amble/contact/models/surface_law.hpp"

// What an [[elements]] table of a scenario may say, one struct for each type with its keys. Reading them is in
// element_readers.cpp, making them in element_makers.cpp; a new type is a struct here, a function in each and its
// line in the table of readers.
namespace amble {

namespace scenario_elements {

inline constexpr double kNone = std::numeric_limits<double>::infinity();

/// offset + amplitude sin(2 pi frequency t + phase): a number in a file is the offset alone.
struct Wave {
  double offset = 0.0, amplitude = 0.0, frequency = 0.0, phase = 0.0;  ///< the last two in Hz and rad
};

/// One coordinate of a joint.
struct Axis {
  std::string joint;
  int axis = 0;
};

/// "sine_force": the keys of a Wave (N, N m).
struct SineForce {
  Axis on;
  Wave force;
};
/// "joint_spring"
struct JointSpring {
  Axis on;
  double stiffness = 0.0, rest = 0.0;  ///< N/m or N m/rad, m or rad
};
/// "joint_damper"
struct JointDamper {
  Axis on;
  double damping = 0.0;  ///< N s/m or N m s/rad
};

/// Frames on two bodies: `body_a` (the world unless given) and `body_b`, `pose_a` and `pose_b` on them as six
/// numbers, a position and a rotation vector.
struct Ends {
  std::string body_a, body_b;
  std::array<double, 6> pose_a{}, pose_b{};
};
/// "spatial_spring", "spatial_damper", "spatial_impedance": `stiffness`, `rotational_stiffness`, `damping`,
/// `rotational_damping` as one number or three along the axes; `rest` as six numbers (of an impedance `target`),
/// which swings by `amplitude` (three numbers, m) at `frequency` (Hz).
struct Spatial {
  Ends ends;
  std::array<double, 3> stiffness{}, rotational_stiffness{}, damping{}, rotational_damping{}, amplitude{};
  std::array<double, 6> rest{};
  double frequency = 0.0;
};

/// Which limits: of a joint's axis or, without a joint, of the whole mechanism; `lower` and `upper` instead of its
/// own.
struct Limits {
  Axis on;
  std::optional<double> lower, upper;
};
/// "end_stop"
struct EndStop {
  Limits at;
  double stiffness = 0.0, damping = 0.0, exponent = 1.0;
};
/// "rigid_stop"
struct RigidStop {
  Limits at;
  double restitution = 0.0, rest_speed = 0.0;
};
/// "lock"
struct Lock {
  Axis on;
  std::optional<double> angle;
  int direction = 0;
  std::vector<double> engage_times, release_times;
  double holding_force = kNone;
  bool engaged = false;
};
/// "motor": one of `voltage` and `current`, a Wave.
struct Motor {
  Axis on;
  double resistance = 0.0, inductance = 0.0, constant = 0.0, ratio = 1.0, voltage_limit = kNone,
         current_limit = kNone;
  std::optional<Wave> voltage, current;
};
/// "actuator": `force`, a Wave, within `effort_limit` (that of the mechanism unless given) and, when `velocity_limit`
/// is given, below a line that falls to zero there.
struct Actuator {
  Axis on;
  Wave force;
  std::optional<double> effort_limit, velocity_limit;
};
/// "prescribed_motion": `motion`, a Wave (m, rad).
struct PrescribedMotion {
  Axis on;
  Wave motion;
};
/// "joint_impedance": `stiffness`, `damping`, `set_point`, a Wave; sampled when `period` is given, with `delay` and
/// `offset` (s): then as a controller that is asked now and then.
struct JointImpedance {
  Axis on;
  double stiffness = 0.0, damping = 0.0;
  Wave set_point;
  std::optional<double> period;
  double delay = 0.0, offset = 0.0;
};

/// `feet` of a walker, an array of tables with `body`, `point` and `radius`; `first`, which of them stands at the start, counted
/// from 0; `period` between looks at their switches (s; 0: at once).
struct Feet {
  struct Foot {
    std::string body;
    std::array<double, 3> point{};
    double radius = 0.0;
  };
  std::vector<Foot> feet;
  int first = 0;
  double period = 0.01;
};
/// "joint_drive": a motor with `constant`, `resistance`, `ratio`, `efficiency` (of its gearbox), `slip`, `voltage_limit`,
/// `current_limit`, `regenerates`; `proportional` and `derivative` gains (A/rad, A s/rad) and `set_points`, one for each of the Feet;
/// `first_foot_alone`, `adaptation`, `target_speed`, `adaptation_range`.
struct JointDrive {
  Axis on;
  Feet feet;
  double constant = 0.0, resistance = 0.0, ratio = 1.0, efficiency = 1.0, slip = 0.02, voltage_limit = kNone,
         current_limit = kNone;
  bool regenerates = false, first_foot_alone = false;
  double proportional = 0.0, derivative = 0.0;
  std::vector<double> set_points;
  double adaptation = 0.0, target_speed = 0.0, adaptation_range = 0.1;
};
/// "knee_magnet": `angle` of the cap, `bends` "above" or "below" it, `foot` of its leg, counted from 0, the keys of Feet, `power` (W),
/// `delay` (s), `holding_force` (N m).
struct KneeMagnet {
  Axis on;
  Feet feet;
  double angle = 0.0;
  bool bends_upwards = true;
  int foot = 0;
  double power = 0.0, delay = 0.0, holding_force = kNone;
};
/// "consumer": `power` (W).
struct Consumer {
  double power = 0.0;
};

/// "watch": looks on. An event where the `clearance` of the origin of `body` above the ground passes `level` (m), or
/// its `height` above z = 0, or its `rise` that speed (m/s).
struct Watch {
  std::string body, quantity;
  double level = 0.0;
  int direction = 0;  ///< "up" 1, "down" -1, "either" 0
};

/// "compliant_contact": a `point` of `body`, or a ball of `radius` about it, on the ground of the world. `normal_law` with
/// `stiffness`, `damping`, `exponent`; `sliding_law` with `friction`, `sliding_stiffness` (one number, or two along the axes),
/// `relaxation`, `slip_exponent`, `static_friction`, `stribeck_speed`, `bristle_damping`, `viscosity`; `twist_stiffness`,
/// `twist_friction`, `twist_relaxation`; `rolling_arm`, `rolling_creep`, `rolling_damping`, `relief`; `share_a`, `fading`.
struct CompliantContact {
  std::string body, normal_law, sliding_law;
  std::array<double, 3> point{};
  double radius = 0.0;
  NormalNumbers normal;
  SlidingNumbers sliding;
  TwistNumbers twist;
  RollNumbers roll;
  double share_a = 0.5, fading = 0.0;
};

/// "rigid_contact": a `point` of `body`, or a ball of `radius` about it, on the ground of the world; neither gives way.
struct RigidContactKind {
  std::string body;
  std::array<double, 3> point{};
  double radius = 0.0;
  double friction = std::numeric_limits<double>::infinity();
  double restitution = 0.0, rest_speed = 1e-3;
};

/// "contacts": collision shapes of all bodies and the ground of the world, for integrator "time_stepping". `friction` and
/// `restitution` of all surfaces, `materials` for single ones: a table of body and friction; `between_bodies`, `joint_limits`,
/// `margin` (m).
struct Contacts {
  std::optional<double> friction = {};  // not given: the model file's, shape by shape
  double restitution = 0.0, margin = 2e-4;
  bool between_bodies = true, joint_limits = true;
  std::vector<std::pair<std::string, double>> materials;
};

/// "push": a `force` (world axes, N) on a `point` of `body` from `start` for `duration` (s).
struct Push {
  std::string body;
  std::array<double, 3> point{}, force{};
  double start = 0.0, duration = 0.1;
};

/// A contact of "whole_body": `name`, `body` (a body or frame), `frame` on it (six numbers, a position and a rotation vector; z the way
/// the support pushes), `length` and `width` of a rectangle of points, `support` ("world", or a body), `friction`,
/// `least_force` (N).
struct BodyContact {
  std::string name, body, support;
  std::array<double, 6> frame{};
  double length = 0.0, width = 0.0, friction = 0.6, least_force = 0.0;
};
/// A stance: `name`, `contacts` that are held, `places` of them by name (six numbers on the support; those not named stay where
/// they were in the stance before), `posture`, joints by name as in [initial.q], `duration`, `pause` (s).
struct BodyStance {
  std::string name;
  std::vector<std::string> contacts;
  std::vector<std::pair<std::string, std::array<double, 6>>> places;
  std::vector<std::pair<std::string, std::vector<double>>> posture;
  double duration = 1.5, pause = 0.5;
};
/// "whole_body": a mechanism led from stance to stance by whole-body control, asked every `period` (s), later by `delay`; the run
/// starts in the posture of the first stance. `mass_factor` is by how much the controller takes all masses to be other than
/// they are. [[elements.contacts]] and [[elements.stances]] are as above.
struct WholeBody {
  std::vector<BodyContact> contacts;
  std::vector<BodyStance> stances;
  double period = 1e-3, delay = 0.0, mass_factor = 1.0;
};

using Kind = std::variant<SineForce, JointSpring, JointDamper, Spatial, EndStop, RigidStop, Lock, Motor, Actuator,
                          PrescribedMotion, JointImpedance, JointDrive, KneeMagnet, Consumer, Watch, CompliantContact,
                          RigidContactKind, Contacts, Push, WholeBody>;

}  // namespace scenario_elements

/// Something attached to the mechanism, as a file has it.
struct ScenarioElement {
  std::string type, name;
  scenario_elements::Kind kind;
};

/// The words that `type` may be.
std::vector<std::string> scenario_element_types();

}  // namespace amble
