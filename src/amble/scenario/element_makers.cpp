#include "amble/scenario/element_makers.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "amble/base/error.hpp"
#include "amble/contact/compliant_contact.hpp"
#include "amble/contact/contact_scene.hpp"
#include "amble/contact/joint_blocks.hpp"
#include "amble/contact/rigid_contact.hpp"
#include "amble/contact/direct_pairs.hpp"
#include "amble/contact/models/table.hpp"
#include "amble/control/walking/joint_drive.hpp"
#include "amble/control/walking/knee_magnet.hpp"
#include "amble/ports/actuator.hpp"
#include "amble/ports/consumer.hpp"
#include "amble/ports/controller.hpp"
#include "amble/ports/end_stops.hpp"
#include "amble/ports/joint_elements.hpp"
#include "amble/ports/joint_impedance.hpp"
#include "amble/ports/lock.hpp"
#include "amble/ports/motor.hpp"
#include "amble/ports/prescribed_motion.hpp"
#include "amble/ports/rigid_stop.hpp"
#include "amble/ports/spatial_elements.hpp"
#include "amble/ports/watch.hpp"
#include "amble/scenario/whole_body_maker.hpp"

namespace amble {

using namespace scenario_elements;

namespace {

CoordinateMotion at_time(const Wave& w, double t) {
  const double rate = 2.0 * std::numbers::pi * w.frequency, angle = rate * t + w.phase;
  return {w.offset + w.amplitude * std::sin(angle), w.amplitude * rate * std::cos(angle),
          -w.amplitude * rate * rate * std::sin(angle)};
}

/// `value` at one velocity, zero at the others.
OwnedVector along(const Mechanism& m, const Coordinate& c, double value) {
  OwnedVector out(m.nv());
  out[c.v] = value;
  return out;
}

/// A law of springs and dampers of one coordinate that is asked now and then.
class SampledImpedance : public Controller {
 public:
  SampledImpedance(const Coordinate& coordinate, const JointImpedance& law) : coordinate_(coordinate), law_(law) {}
  void update(const ControllerState& state, double t, OwnedVector& tau) override {
    const CoordinateMotion wanted = at_time(law_.set_point, t);
    const double off = coordinate_.value(state.q) - wanted.place, rate = coordinate_.rate(state.v) - wanted.rate;
    coordinate_.push(-law_.stiffness * off - law_.damping * rate, tau);
  }

 private:
  Coordinate coordinate_;
  JointImpedance law_;
};

Pose pose_of(const std::array<double, 6>& x) {
  return Pose(SO3<double>::exp({x[3], x[4], x[5]}), {x[0], x[1], x[2]});
}
Matrix3<double> diagonal(const std::array<double, 3>& x) { return Vector3<double>(x[0], x[1], x[2]).asDiagonal(); }

/// The rest, swinging along the axes of frame a. A swing turns nothing, so its twist is the rate of its place.
MovingPose rest_of(const Spatial& s) {
  const Pose X = pose_of(s.rest);
  const Vector3<double> swing(s.amplitude[0], s.amplitude[1], s.amplitude[2]);
  const Wave wave{.amplitude = 1.0, .frequency = s.frequency};
  return {[=](double t) { return Pose(X.rotation(), X.translation() + at_time(wave, t).place * swing); },
          [=](double t) {
            return Twist<double>(at_time(wave, t).rate * (X.rotation().inverse() * swing), Vector3<double>::Zero());
          }};
}

std::vector<JointLimit> limits_for(const Mechanism& m, const std::string& name, const Limits& l) {
  if (l.on.joint.empty()) return limits_of(m);
  if (!l.lower && !l.upper) return limits_of_joint(m, name, l.on.joint, l.on.axis);
  return limits_of_joint(m, name, l.on.joint, l.lower.value_or(-kNone), l.upper.value_or(kNone), l.on.axis);
}

/// One overload for each kind.
struct Maker {
  const Mechanism& m;
  const GroundPtr& ground;
  const ScenarioElement& e;
  OwnedVector& q;
  using Elements = std::vector<ElementPtr>;

  Coordinate coordinate(const Axis& on) const { return coordinate_of(m, e.name, on.joint, on.axis); }

  Elements operator()(const SineForce& x) const {
    const Coordinate c = coordinate(x.on);
    return {drive(e.name, [c, x](double t, const OwnedVector&, const OwnedVector&, OwnedVector& tau) {
      c.push(at_time(x.force, t).place, tau);
    })};
  }
  Elements operator()(const JointSpring& x) const {
    const Coordinate c = leader(x.on);
    return {joint_springs(e.name, m, along(m, c, x.stiffness), along(m, c, x.rest))};
  }
  Elements operator()(const JointDamper& x) const {
    return {joint_dampers(e.name, along(m, leader(x.on), x.damping))};
  }
  Elements operator()(const JointImpedance& x) const {
    const Coordinate c = leader(x.on);
    if (x.period)
      return {sampled(e.name, std::make_shared<SampledImpedance>(c, x), m, {*x.period, x.delay, x.offset})};
    const SetPoint set_point = [c, x](double t, OwnedVector& q, OwnedVector& v) {
      const CoordinateMotion wanted = at_time(x.set_point, t);
      q[c.q] = wanted.place, v[c.v] = wanted.rate;
    };
    return {joint_impedance(e.name, m, along(m, c, x.stiffness), along(m, c, x.damping), set_point)};
  }
  Elements operator()(const Spatial& x) const {
    const SpatialEnds ends{x.ends.body_a, x.ends.body_b, pose_of(x.ends.pose_a), pose_of(x.ends.pose_b)};
    const SpatialStiffness stiffness{diagonal(x.stiffness), diagonal(x.rotational_stiffness)};
    const SpatialDamping damping{diagonal(x.damping), diagonal(x.rotational_damping)};
    return {spatial_impedance(e.name, m, ends, stiffness, damping, rest_of(x))};
  }
  Elements operator()(const EndStop& x) const {
    return {end_stops(e.name, limits_for(m, e.name, x.at), {x.stiffness, x.damping, x.exponent})};
  }
  Elements operator()(const RigidStop& x) const {
    return rigid_stops(e.name, limits_for(m, e.name, x.at),
                       {.restitution = x.restitution, .rest_speed = x.rest_speed});
  }
  Elements operator()(const Lock& x) const {
    return {lock(e.name, m,
                 {.joint = x.on.joint,
                  .angle = x.angle,
                  .axis = x.on.axis,
                  .direction = x.direction,
                  .engage_times = x.engage_times,
                  .release_times = x.release_times,
                  .holding_force = x.holding_force,
                  .engaged = x.engaged})};
  }
  Elements operator()(const Motor& x) const {
    const MotorOptions options{.joint = x.on.joint,
                               .axis = x.on.axis,
                               .resistance = x.resistance,
                               .inductance = x.inductance,
                               .constant = x.constant,
                               .ratio = x.ratio,
                               .voltage_limit = x.voltage_limit,
                               .current_limit = x.current_limit};
    const Wave wave = x.voltage ? *x.voltage : x.current.value_or(Wave());
    const Signal command = [wave](double t, const OwnedVector&, const OwnedVector&) {
      return at_time(wave, t).place;
    };
    return {x.voltage ? voltage_motor(e.name, m, options, command) : current_motor(e.name, m, options, command)};
  }
  StanceOptions stance(const Feet& x) const {
    StanceOptions out{.feet = {}, .first = x.first, .period = x.period, .ground = ground};
    for (const Feet::Foot& foot : x.feet)
      out.feet.push_back({foot.body, {foot.point[0], foot.point[1], foot.point[2]}, foot.radius});
    return out;
  }
  Elements operator()(const JointDrive& x) const {
    return joint_drive(e.name, m,
                       {.joint = x.on.joint,
                        .axis = x.on.axis,
                        .motor = {.constant = x.constant,
                                  .resistance = x.resistance,
                                  .ratio = x.ratio,
                                  .efficiency = x.efficiency,
                                  .slip = x.slip,
                                  .voltage_limit = x.voltage_limit,
                                  .current_limit = x.current_limit,
                                  .regenerates = x.regenerates},
                        .law = {.proportional = x.proportional,
                                .derivative = x.derivative,
                                .set_points = x.set_points,
                                .first_foot_alone = x.first_foot_alone,
                                .adaptation = x.adaptation,
                                .target_speed = x.target_speed,
                                .adaptation_range = x.adaptation_range},
                        .stance = stance(x.feet)});
  }
  Elements operator()(const scenario_elements::KneeMagnet& x) const {
    return {knee_magnet(e.name, m,
                        {.joint = x.on.joint,
                         .axis = x.on.axis,
                         .angle = x.angle,
                         .bends_upwards = x.bends_upwards,
                         .foot = x.foot,
                         .stance = stance(x.feet),
                         .delay = x.delay,
                         .power = x.power,
                         .holding_force = x.holding_force})};
  }
  Elements operator()(const scenario_elements::Consumer& x) const { return {consumer(e.name, x.power)}; }
  Elements operator()(const scenario_elements::Watch& x) const {
    const Quantity quantity = x.quantity == "rise"     ? rise_of(m, x.body)
                              : x.quantity == "height" ? height_of(m, x.body)
                                                       : clearance_of(m, x.body, ground);
    return {watch(e.name, quantity, x.level, x.direction)};
  }
  Elements operator()(const CompliantContact& x) const {
    const CompliantOptions options{.normal = normal_law(x.normal_law, x.normal),
                                   .surface = slipping_surface(sliding_law(x.sliding_law, x.sliding), x.twist, x.roll),
                                   .share_a = x.share_a,
                                   .fading = x.fading};
    return {compliant_contact(e.name, m, over_ground(x.body, x.point, x.radius), options)};
  }
  Elements operator()(const RigidContactKind& x) const {
    return {rigid_contact(e.name, m, over_ground(x.body, x.point, x.radius),
                          {.friction = x.friction, .restitution = x.restitution, .rest_speed = x.rest_speed})};
  }
  Elements operator()(const Contacts& x) const {
    ContactSceneOptions o{.ground = ground, .material = {x.friction, x.restitution}, .between_bodies = x.between_bodies,
                          .margin = x.margin};
    for (const auto& [body, friction] : x.materials) o.materials[body] = {friction, x.restitution};
    Elements out = {contact_scene(e.name, m, o)};
    if (x.joint_limits) out.push_back(stepped_joint_limits("joint limits", m));
    return out;
  }
  Elements operator()(const Push& x) const { return {make_push(m, e.name, x)}; }
  Elements operator()(const WholeBody& x) const { return {make_whole_body(m, ground, e.name, x, q)}; }
  ContactPairPtr over_ground(const std::string& body_name, const std::array<double, 3>& point, double radius) const {
    const Place place = m.place(body_name);
    const LinkFrame body{place.link, place.X_LP * Pose(Vector3<double>(point[0], point[1], point[2]))};
    const Tip tip = radius > 0.0 ? sphere_tip(radius) : point_tip();
    const std::optional<Pose> plane = ground->plane();
    return plane ? tip_on_plane_pair(e.name, {0, *plane}, body, tip)
                 : tip_on_ground_pair(e.name, {}, ground, body, tip);
  }
  Elements operator()(const Actuator& x) const {
    const Coordinate c = leader(x.on);
    const Drive command = [c, x](double t, const OwnedVector&, const OwnedVector&, OwnedVector& tau) {
      tau[c.v] = at_time(x.force, t).place;
    };
    ActuatorLimits limits = actuator_limits(m);
    if (x.effort_limit) limits.effort[c.v] = *x.effort_limit;
    if (x.velocity_limit) limits.speed = Eigen::VectorXd::Constant(m.nv(), *x.velocity_limit);
    return {actuators(e.name, m, command, limits)};
  }
  Elements operator()(const PrescribedMotion& x) const {
    return {prescribed_motion(
        e.name, m, x.on.joint, [x](double t) { return at_time(x.motion, t); }, x.on.axis)};
  }

  /// A coordinate of the mechanism's own, not of a joint that follows another.
  Coordinate leader(const Axis& on) const {
    const Joint& joint = m.joints()[m.joint_index(on.joint)];
    if (joint.leader >= 0)
      throw Error(fmt::format("element '{}' is on joint '{}', which follows joint '{}': expected that one", e.name,
                              on.joint, m.joints()[joint.leader].name));
    return coordinate(on);
  }
};

}  // namespace

std::vector<ElementPtr> make_elements(const Mechanism& m, const GroundPtr& ground, const ScenarioElement& element,
                                      OwnedVector& q) {
  return std::visit(Maker{m, ground, element, q}, element.kind);
}

}  // namespace amble
