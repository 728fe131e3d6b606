#include "amble/scenario/element_readers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace amble {

using namespace scenario_elements;

namespace {

double required(TomlTable& table, const char* key, Limit kind = Limit::number) {
  table.require(key);
  return table.number(key, 0.0, kind);
}

std::optional<double> number_if_given(TomlTable& table, const char* key, Limit kind = Limit::number) {
  const double value = table.number(key, 0.0, kind);
  return table.has(key) ? std::optional(value) : std::nullopt;
}

template <std::size_t N>
std::array<double, N> several(TomlTable& table, const char* key, Limit kind = Limit::number) {
  const std::vector<double> values = table.numbers(key, 0, kind);
  std::array<double, N> out{};
  if (values.size() == N)
    std::copy_n(values.begin(), N, out.begin());
  else if (values.size() == 1 && N == 3)
    out.fill(values[0]);
  else if (table.has(key))
    table.problem(key, fmt::format("has {} numbers, expected {}", values.size(), N));
  return out;
}

int small_number(TomlTable& table, const char* key) {
  const double value = table.number(key, 0.0);
  if (value == std::round(value) && std::abs(value) < 10.0) return static_cast<int>(value);
  table.problem(key, fmt::format("is {}, expected a small whole number", value));
  return 0;
}

Axis read_axis(TomlTable& table) {
  table.require("joint");
  return {table.text("joint", ""), small_number(table, "axis")};
}

Wave read_wave_keys(TomlTable& table) {
  return {table.number("offset", 0.0), table.number("amplitude", 0.0), table.number("frequency", 0.0),
          table.number("phase", 0.0)};
}

/// A number, or a table with the keys of a wave.
Wave read_wave(TomlTable& table, const char* key) {
  if (!table.has_table(key)) return {.offset = table.number(key, 0.0)};
  TomlTable inner = table.table(key);
  const Wave wave = read_wave_keys(inner);
  inner.finish();
  return wave;
}

Limits read_limits(TomlTable& table) {
  Limits out{{table.text("joint", ""), small_number(table, "axis")},
             number_if_given(table, "lower"),
             number_if_given(table, "upper")};
  if (out.on.joint.empty() && (out.lower || out.upper))
    table.problem("joint", "is missing: limits are given for one");
  if (out.lower && out.upper && !(*out.lower < *out.upper)) table.problem("lower", "is not below 'upper'");
  return out;
}

// ---- one for each type

Kind read_sine_force(TomlTable& table) { return SineForce{read_axis(table), read_wave_keys(table)}; }
Kind read_joint_spring(TomlTable& table) {
  return JointSpring{read_axis(table), required(table, "stiffness", Limit::stiffness),
                     table.number("rest", 0.0, Limit::length)};
}
Kind read_joint_damper(TomlTable& table) {
  return JointDamper{read_axis(table), required(table, "damping", Limit::damping)};
}

Spatial read_ends(TomlTable& table) {
  table.require("body_b");
  return {.ends = {table.text("body_a", "world"), table.text("body_b", ""),
                   several<6>(table, "pose_a", Limit::length), several<6>(table, "pose_b", Limit::length)}};
}
void read_stiffness(TomlTable& table, const char* rest, Spatial& out) {
  out.stiffness = several<3>(table, "stiffness", Limit::stiffness),
  out.rotational_stiffness = several<3>(table, "rotational_stiffness", Limit::stiffness);
  out.rest = several<6>(table, rest);
  out.amplitude = several<3>(table, "amplitude"), out.frequency = table.number("frequency", 0.0);
}
void read_damping(TomlTable& table, Spatial& out) {
  out.damping = several<3>(table, "damping", Limit::damping),
  out.rotational_damping = several<3>(table, "rotational_damping", Limit::damping);
}
Kind read_spatial_spring(TomlTable& table) {
  Spatial out = read_ends(table);
  read_stiffness(table, "rest", out);
  return out;
}
Kind read_spatial_damper(TomlTable& table) {
  Spatial out = read_ends(table);
  read_damping(table, out);
  return out;
}
Kind read_spatial_impedance(TomlTable& table) {
  Spatial out = read_ends(table);
  read_stiffness(table, "target", out);
  read_damping(table, out);
  return out;
}

Kind read_end_stop(TomlTable& table) {
  return EndStop{read_limits(table), required(table, "stiffness", Limit::stiffness),
                 table.number("damping", 0.1, Limit::damping), table.number("exponent", 1.0)};
}
Kind read_rigid_stop(TomlTable& table) {
  return RigidStop{read_limits(table), table.number("restitution", 0.0),
                   table.number("rest_speed", 1e-3, Limit::speed)};
}
Kind read_lock(TomlTable& table) {
  Lock out{read_axis(table),
           number_if_given(table, "angle"),
           small_number(table, "direction"),
           table.numbers("engage_times", 0, Limit::time),
           table.numbers("release_times", 0, Limit::time),
           table.number("holding_force", kNone, Limit::force),
           table.flag("engaged", false)};
  return out;
}
Kind read_motor(TomlTable& table) {
  Motor out{read_axis(table),
            required(table, "resistance"),
            table.number("inductance", 0.0),
            required(table, "constant"),
            table.number("ratio", 1.0),
            table.number("voltage_limit", kNone),
            table.number("current_limit", kNone),
            {},
            {}};
  const Wave voltage = read_wave(table, "voltage"), current = read_wave(table, "current");
  if (table.has("voltage")) out.voltage = voltage;
  if (table.has("current")) out.current = current;
  if (table.has("voltage") == table.has("current"))
    table.problem("voltage", table.has("voltage") ? "is given beside 'current': expected one of them"
                                                  : "is missing, or 'current'");
  return out;
}
Kind read_actuator(TomlTable& table) {
  table.require("force");
  return Actuator{read_axis(table), read_wave(table, "force"), number_if_given(table, "effort_limit"),
                  number_if_given(table, "velocity_limit")};
}
Kind read_prescribed_motion(TomlTable& table) {
  table.require("motion");
  return PrescribedMotion{read_axis(table), read_wave(table, "motion")};
}
Kind read_joint_impedance(TomlTable& table) {
  return JointImpedance{read_axis(table),
                        required(table, "stiffness", Limit::stiffness),
                        table.number("damping", 0.0, Limit::damping),
                        read_wave(table, "set_point"),
                        number_if_given(table, "period", Limit::time),
                        table.number("delay", 0.0, Limit::time),
                        table.number("offset", 0.0)};
}

Feet read_feet(TomlTable& table) {
  Feet out{{}, small_number(table, "first"), table.number("period", 0.01, Limit::time)};
  table.require("feet");
  for (TomlTable& foot : table.tables("feet")) {
    foot.require("body");
    out.feet.push_back({foot.text("body", ""), several<3>(foot, "point", Limit::length),
                        foot.number("radius", 0.0, Limit::length)});
    foot.finish();
  }
  return out;
}
Kind read_joint_drive(TomlTable& table) {
  JointDrive out{read_axis(table), read_feet(table)};
  out.constant = required(table, "constant"), out.resistance = required(table, "resistance");
  out.ratio = table.number("ratio", out.ratio), out.efficiency = table.number("efficiency", out.efficiency);
  out.slip = table.number("slip", out.slip);
  out.voltage_limit = table.number("voltage_limit", kNone), out.current_limit = table.number("current_limit", kNone);
  out.regenerates = table.flag("regenerates", false), out.first_foot_alone = table.flag("first_foot_alone", false);
  out.proportional = required(table, "proportional"), out.derivative = table.number("derivative", 0.0);
  table.require("set_points");
  out.set_points = table.numbers("set_points");
  out.adaptation = table.number("adaptation", 0.0), out.target_speed = table.number("target_speed", 0.0);
  out.adaptation_range = table.number("adaptation_range", out.adaptation_range);
  return out;
}
Kind read_knee_magnet(TomlTable& table) {
  KneeMagnet out{read_axis(table), read_feet(table), table.number("angle", 0.0)};
  out.bends_upwards = table.choice("bends", {"above", "below"}, "above") == "above";
  table.require("foot");
  out.foot = small_number(table, "foot");
  out.power = table.number("power", 0.0), out.delay = table.number("delay", 0.0, Limit::time);
  out.holding_force = table.number("holding_force", kNone, Limit::force);
  return out;
}
Kind read_consumer(TomlTable& table) { return Consumer{required(table, "power")}; }

Kind read_watch(TomlTable& table) {
  table.require("body");
  const std::string direction = table.choice("direction", {"either", "up", "down"}, "either");
  return Watch{table.text("body", ""), table.choice("quantity", {"clearance", "height", "rise"}, "clearance"),
               table.number("level", 0.0, Limit::length),
               direction == "up"     ? 1
               : direction == "down" ? -1
                                     : 0};
}

SlidingNumbers read_sliding(TomlTable& table) {
  SlidingNumbers out;
  const std::vector<double> stiffness = table.numbers("sliding_stiffness", 0, Limit::stiffness);
  if (stiffness.size() > 2) table.problem("sliding_stiffness", fmt::format("has {} numbers, expected 1 or 2", stiffness.size()));
  if (!stiffness.empty()) out.stiffness = stiffness.front();
  if (stiffness.size() == 2) out.stiffness_across = stiffness.back();
  out.friction = table.number("friction", out.friction);
  out.relaxation = table.number("relaxation", out.relaxation);
  out.exponent = table.number("slip_exponent", out.exponent);
  out.static_friction = table.number("static_friction", out.static_friction);
  out.stribeck_speed = table.number("stribeck_speed", out.stribeck_speed, Limit::speed);
  out.damping = table.number("bristle_damping", out.damping, Limit::damping);
  out.viscosity = table.number("viscosity", out.viscosity, Limit::damping);
  return out;
}

Kind read_compliant_contact(TomlTable& table) {
  table.require("body");
  const TwistNumbers twist;
  const RollNumbers roll;
  return CompliantContact{
      .body = table.text("body", ""),
      .normal_law = table.text("normal_law", "hunt_crossley"),
      .sliding_law = table.text("sliding_law", "stick_slip"),
      .point = several<3>(table, "point", Limit::length),
      .radius = table.number("radius", 0.0, Limit::length),
      .normal = {required(table, "stiffness", Limit::stiffness), table.number("damping", 0.0, Limit::damping),
                 table.number("exponent", 1.5)},
      .sliding = read_sliding(table),
      .twist = {table.number("twist_stiffness", twist.stiffness, Limit::stiffness),
                table.number("twist_friction", twist.friction),
                table.number("twist_relaxation", twist.relaxation)},
      .roll = {table.number("rolling_arm", roll.arm), table.number("rolling_creep", roll.creep),
               table.number("rolling_damping", roll.damping, Limit::damping),
               table.number("relief", roll.relief)},
      .share_a = table.number("share_a", 0.5),
      .fading = table.number("fading", 0.0)};
}

Kind read_rigid_contact(TomlTable& table) {
  table.require("body");
  const RigidContactKind standard;
  return RigidContactKind{table.text("body", ""),
                          several<3>(table, "point", Limit::length),
                          table.number("radius", 0.0, Limit::length),
                          table.number("friction", standard.friction),
                          table.number("restitution", 0.0),
                          table.number("rest_speed", standard.rest_speed, Limit::speed)};
}

Kind read_contacts(TomlTable& table) {
  const Contacts standard;
  Contacts out{table.has("friction") ? std::optional(table.number("friction", 0.0)) : std::nullopt,
               table.number("restitution", standard.restitution),
               table.number("margin", standard.margin, Limit::length),
               table.flag("between_bodies", true),
               table.flag("joint_limits", true),
               {}};
  TomlTable materials = table.table("materials");
  for (const std::string& body : materials.keys()) out.materials.emplace_back(body, materials.number(body.c_str(), 0.0));
  return out;
}

Kind read_push(TomlTable& table) {
  table.require("body");
  table.require("force");
  return Push{table.text("body", ""), several<3>(table, "point", Limit::length),
              several<3>(table, "force", Limit::force), table.number("start", 0.0, Limit::time),
              table.number("duration", 0.1, Limit::time)};
}

BodyContact read_body_contact(TomlTable table) {
  table.require("name");
  table.require("body");
  const BodyContact standard;
  BodyContact out{table.text("name", ""),
                  table.text("body", ""),
                  table.text("support", "world"),
                  several<6>(table, "frame", Limit::length),
                  table.number("length", 0.0, Limit::length),
                  table.number("width", 0.0, Limit::length),
                  table.number("friction", standard.friction),
                  table.number("least_force", 0.0, Limit::force)};
  table.finish();
  return out;
}

BodyStance read_body_stance(TomlTable table) {
  table.require("name");
  table.require("contacts");
  const BodyStance standard;
  BodyStance out{table.text("name", ""),
                 table.texts("contacts"),
                 {},
                 {},
                 table.number("duration", standard.duration, Limit::time),
                 table.number("pause", standard.pause, Limit::time)};
  TomlTable places = table.table("places"), posture = table.table("posture");
  for (const std::string& name : places.keys()) out.places.emplace_back(name, several<6>(places, name.c_str()));
  for (const std::string& name : posture.keys()) out.posture.emplace_back(name, posture.numbers(name));
  if (!(out.duration > 0.0)) table.problem("duration", "is not above 0");
  if (!(out.pause >= 0.0)) table.problem("pause", "is below 0");
  table.finish();
  return out;
}

Kind read_whole_body(TomlTable& table) {
  WholeBody out;
  for (TomlTable& contact : table.tables("contacts")) out.contacts.push_back(read_body_contact(std::move(contact)));
  for (TomlTable& stance : table.tables("stances")) out.stances.push_back(read_body_stance(std::move(stance)));
  if (out.stances.empty()) table.problem("stances", "is missing: expected one [[elements.stances]] or more");
  out.period = table.number("period", out.period, Limit::time),
  out.delay = table.number("delay", 0.0, Limit::time);
  out.mass_factor = table.number("mass_factor", 1.0);
  return out;
}

struct Reader {
  const char* type;
  Kind (*read)(TomlTable&);
};
constexpr Reader kReaders[] = {
    {"sine_force", &read_sine_force},
    {"joint_spring", &read_joint_spring},
    {"joint_damper", &read_joint_damper},
    {"joint_impedance", &read_joint_impedance},
    {"spatial_spring", &read_spatial_spring},
    {"spatial_damper", &read_spatial_damper},
    {"spatial_impedance", &read_spatial_impedance},
    {"end_stop", &read_end_stop},
    {"rigid_stop", &read_rigid_stop},
    {"lock", &read_lock},
    {"motor", &read_motor},
    {"actuator", &read_actuator},
    {"prescribed_motion", &read_prescribed_motion},
    {"joint_drive", &read_joint_drive},
    {"knee_magnet", &read_knee_magnet},
    {"consumer", &read_consumer},
    {"watch", &read_watch},
    {"compliant_contact", &read_compliant_contact},
    {"rigid_contact", &read_rigid_contact},
    {"contacts", &read_contacts},
    {"push", &read_push},
    {"whole_body", &read_whole_body},
};

/// "motor of knee" for an element without a name.
std::string default_name(TomlTable& table, const std::string& type) {
  const char* const keys[] = {"joint", "body", "body_b"};
  for (const char* key : keys)
    if (table.has(key)) return fmt::format("{} of {}", type, table.text(key, ""));
  return type;
}

}  // namespace

std::vector<std::string> scenario_element_types() {
  std::vector<std::string> out;
  for (const Reader& reader : kReaders) out.emplace_back(reader.type);
  return out;
}

ScenarioElement read_element(TomlTable table) {
  table.require("type");
  if (!table.has("type")) return {"", "", SineForce()};
  ScenarioElement out{table.choice("type", scenario_element_types(), ""), "", SineForce()};
  const auto same = [&](const Reader& reader) { return reader.type == out.type; };
  const auto reader = std::find_if(std::begin(kReaders), std::end(kReaders), same);
  if (reader == std::end(kReaders)) return out;  // which is a problem already; its keys cannot be judged
  out.kind = reader->read(table);
  out.name = table.text("name", default_name(table, out.type));
  table.finish();
  return out;
}

}  // namespace amble
