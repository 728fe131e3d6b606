#include "legs_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model_json.hpp"
#include "say.hpp"

namespace amble::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kWidth = 80;

/// Breaks a line at spaces; lines after the first start at `indent`. Words that are longer than a line stay
/// whole.
void print_wrapped(const std::string& text, std::size_t indent) {
  const std::size_t start = std::min(text.find_first_not_of(' '), text.size());
  std::string line = text.substr(0, start);
  bool empty = true;
  for (std::size_t at = start; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!empty && line.size() + 1 + word.size() > kWidth) {
      say("{}\n", line);
      line = std::string(indent, ' '), empty = true;
    }
    if (!empty) line += ' ';
    line += word, empty = false;
    at = end + 1;
  }
  if (!empty) say("{}\n", line);
}

template <class... Args>
void put(std::size_t indent, fmt::format_string<Args...> text, Args&&... args) {
  print_wrapped(fmt::format(text, std::forward<Args>(args)...), indent);
}

/// Millimeters.
std::string corner_text(const Vector3<double>& c) {
  return fmt::format("({:.0f} {:.0f})", 1e3 * c[0] + 0.0, 1e3 * c[1] + 0.0);
}

const char* shape_word(Foot::Shape shape) {
  constexpr const char* words[] = {"sole", "line", "point", "ball"};
  return words[static_cast<int>(shape)];
}

std::string foot_text(const Foot& f) {
  const Vector3<double> p = f.X_BS.translation();
  std::string out = fmt::format("  foot on '{}' at ({:.4g} {:.4g} {:.4g}) m: ", f.body, p[0], p[1], p[2]);
  if (f.shape == Foot::Shape::ball) return out + fmt::format("ball of radius {:.4g} m", f.radius);
  if (f.shape == Foot::Shape::point) return out + "point";
  std::vector<std::string> corners;
  for (const Vector3<double>& c : f.corners) corners.push_back(corner_text(c));
  return out +
         fmt::format("{} with corners (ahead left) mm {}", shape_word(f.shape), fmt::join(corners, " "));
}

std::string limit_text(double value, const char* unit) {
  return std::isfinite(value) ? fmt::format("{:.4g} {}", value, unit) : std::string("none");
}

/// NAME  angle [range]  effort  speed  mirror image, by the columns of the leg's table.
void print_joints(const LeggedRobot& robot, const Leg& leg) {
  const Mechanism& m = robot.mechanism;
  std::size_t width = 8;
  for (const int j : leg.joints) width = std::max(width, m.joints()[j].name.size());
  width = std::min<std::size_t>(width, 24);
  for (const int j : leg.joints) {
    const Joint& joint = m.joints()[j];
    if (joint.v.size != 1 || joint.leader >= 0 || robot.nominal.size() == 0) continue;
    const std::string name = joint.name.size() > width ? joint.name.substr(0, width - 3) + "..." : joint.name;
    const bool mirrored = !robot.mirror.joint.empty() && robot.mirror.joint[j] != j;
    const std::string sign = !mirrored ? " " : robot.mirror.sign[joint.v.start] > 0 ? "+" : "-";
    say("    {:<{}} {:7.3f} rad  {:>11}  {:>10}  mirror {}\n", name, width,
               robot.nominal[joint.q.start], limit_text(robot.effort[joint.v.start], "N m"),
               limit_text(robot.speed[joint.v.start], "rad/s"), sign);
  }
}

void print_leg(const LeggedRobot& robot, const Leg& leg) {
  put(2, "{}: {} joints, {:.4g} m from hip to sole{}", leg.name, leg.joints.size(), leg.length,
      leg.mirror >= 0 ? fmt::format(", image of {}", robot.legs[leg.mirror].name) : std::string());
  put(4, "{}", foot_text(leg.foot));
  print_joints(robot, leg);
}

Json vector_json(const Vector3<double>& x) { return numbers(x); }

Json matrix_json(const Pose& X) {
  Json out = Json::array();
  const Matrix4<double> m = X.matrix();
  for (int i = 0; i < 4; ++i) out.push_back({m(i, 0), m(i, 1), m(i, 2), m(i, 3)});
  return out;
}

Json leg_json(const LeggedRobot& robot, const Leg& leg) {
  const Mechanism& m = robot.mechanism;
  Json joints = Json::array(), corners = Json::array();
  for (const int j : leg.joints) joints.push_back(m.joints()[j].name);
  for (const Vector3<double>& c : leg.foot.corners) corners.push_back(vector_json(c));
  Json out{{"name", leg.name},
           {"joints", joints},
           {"length", leg.length},
           {"hip", vector_json(leg.p_BaseHip)},
           {"mirror", leg.mirror >= 0 ? Json(robot.legs[leg.mirror].name) : Json()},
           {"knee", leg.knee >= 0 ? Json(m.joints()[leg.knee].name) : Json()},
           {"knee_sense", leg.knee_sense},
           {"foot",
            {{"body", leg.foot.body},
             {"shape", shape_word(leg.foot.shape)},
             {"pose", matrix_json(leg.foot.X_BS)}}}};
  out["foot"]["corners"] = corners, out["foot"]["radius"] = leg.foot.radius;
  return out;
}

Json joint_map(const LeggedRobot& robot) {
  const Mechanism& m = robot.mechanism;
  Json out = Json::object();
  for (std::size_t i = 0; i < robot.mirror.joint.size(); ++i) {
    const Joint& j = m.joints()[i];
    if (j.link < 0 || j.leader >= 0 || j.v.size != 1) continue;
    out[j.name] = {{"joint", m.joints()[robot.mirror.joint[i]].name}, {"sign", robot.mirror.sign[j.v.start]}};
  }
  return out;
}

}  // namespace

void print_legs(const LeggedRobot& robot) {
  const Vector3<double>&f = robot.forward_Base, &u = robot.up_Base;
  put(2, "{}: {} legs, {:.4g} kg, base '{}', torso '{}'", robot.mechanism.name(), robot.legs.size(),
      robot.mechanism.mass(), robot.base, robot.torso.empty() ? robot.base : robot.torso);
  if (!robot.legs.empty()) {
    put(2, "forward ({:.3g} {:.3g} {:.3g}), up ({:.3g} {:.3g} {:.3g}) in base axes", f[0] + 0.0, f[1] + 0.0,
        f[2] + 0.0, u[0] + 0.0, u[1] + 0.0, u[2] + 0.0);
    say("\n");
  }
  for (const Leg& leg : robot.legs) print_leg(robot, leg);
  if (!robot.evidence.empty()) say("\nevidence\n");
  for (const std::string& text : robot.evidence)
    print_wrapped("  " + text, 4 + std::min<std::size_t>(text.find_first_not_of(' '), 8));
  if (!robot.warnings.empty()) say("\nwarnings\n");
  for (const std::string& text : robot.warnings) print_wrapped("  " + text, 4);
  if (!robot.refusal.empty()) {
    say("\n");
    print_wrapped("cannot walk: " + robot.refusal, 2);
  }
}

Json legs_json(const LeggedRobot& robot) {
  Json legs = Json::array(), actuated = Json::array();
  for (const Leg& leg : robot.legs) legs.push_back(leg_json(robot, leg));
  for (const int j : robot.actuated) actuated.push_back(robot.mechanism.joints()[j].name);
  return {{"name", robot.mechanism.name()},
          {"mass", robot.mechanism.mass()},
          {"base", robot.base},
          {"torso", robot.torso},
          {"forward", vector_json(robot.forward_Base)},
          {"up", vector_json(robot.up_Base)},
          {"legs", legs},
          {"mirror", joint_map(robot)},
          {"actuated", actuated},
          {"nominal", numbers(robot.nominal)},
          {"hip_height", robot.hip_height},
          {"effort", numbers(robot.effort)},
          {"speed", numbers(robot.speed)},
          {"evidence", robot.evidence},
          {"warnings", robot.warnings},
          {"refusal", robot.refusal.empty() ? Json() : Json(robot.refusal)}};
}

}  // namespace amble::app
