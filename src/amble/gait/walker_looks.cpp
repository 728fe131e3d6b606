#include "amble/gait/walker_looks.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "amble/base/palette.hpp"

namespace amble {

namespace {

using Point = Vector3<double>;

std::array<double, 4> rgba(const std::string& hex) {
  const auto part = [&](int i) { return std::stoi(hex.substr(1 + 2 * static_cast<std::size_t>(i), 2), nullptr, 16) / 255.0; };
  return {part(0), part(1), part(2), 1.0};
}

/// z along a line, in its middle.
Pose along(const Point& from, const Point& to) {
  const Point z = (to - from).normalized(), axis = cross<double>(Point::UnitZ(), z);
  const double sine = axis.norm(), angle = std::atan2(sine, z.z());
  const Point turn = sine > 1e-12 ? Point(axis / sine * angle) : Point(angle, 0.0, 0.0);
  return Pose(SO3<double>::exp(turn), 0.5 * (from + to));
}

enum class Side { none, first, second };
Side side_of(const std::string& name) {
  if (name.starts_with("outer_") || name.starts_with("right_")) return Side::first;
  return name.starts_with("inner_") || name.starts_with("left_") ? Side::second : Side::none;
}

class Tailor {
 public:
  Tailor(ModelDescription& figure, double foot_radius)
      : d_(figure), foot_radius_(foot_radius), size_(longest()), radius_(0.017 * size_) {}

  void dress() {
    for (BodyDescription& body : d_.bodies)
      if (!body.auxiliary) dress(body);
    for (const JointDescription& joint : d_.joints) add_joint(joint);
  }

 private:
  double longest() const {
    double out = 1e-6;
    for (const JointDescription& joint : d_.joints) out = std::max(out, joint.X_PF.translation().norm());
    for (const FrameDescription& frame : d_.frames) out = std::max(out, frame.X_BF.translation().norm());
    return out;
  }

  /// Where legs are beside the middle: in the plane each is a pair, the one outside the other.
  std::vector<double> rows_of(const std::string& name) const {
    const double y = (name.starts_with("outer_") ? 0.12 : name.starts_with("inner_") ? 0.045 : 0.0) * size_;
    return y == 0.0 ? std::vector{0.0} : std::vector{-y, y};
  }
  std::array<double, 4> color_of(const std::string& name) const {
    const Side side = side_of(name);
    return rgba(side == Side::first    ? palette::kStanceLeg
                : side == Side::second ? palette::kSwingLeg
                                       : palette::kFaint);
  }

  void add(BodyDescription& body, Shape::Kind kind, const Point& size, const Pose& X_BS,
           const std::array<double, 4>& color) const {
    body.visuals.push_back({.name = "", .shape = {.kind = kind, .size = size, .file = ""}, .X_BS = X_BS, .color = color});
  }
  void add_limb(BodyDescription& body, const Point& from, const Point& to) const {
    const double length = (to - from).norm(), thick = side_of(body.name) == Side::none ? 1.5 * radius_ : radius_;
    if (length < radius_) return;
    for (const double y : rows_of(body.name))
      add(body, Shape::Kind::capsule, {thick, length, 0.0}, along(from + Point(0, y, 0), to + Point(0, y, 0)),
          color_of(body.name));
  }
  void add_ball(BodyDescription& body, const Point& at, double radius) const {
    for (const double y : rows_of(body.name))
      add(body, Shape::Kind::sphere, {radius, 0.0, 0.0}, Pose(Point(at + Point(0, y, 0))), color_of(body.name));
  }

  /// Boards along an arc about the foot's frame.
  void add_arc(BodyDescription& body, const Point& center) const {
    const double reach = std::min(0.6, 0.16 * size_ / foot_radius_);
    constexpr int kBoards = 9;
    for (int i = 0; i < kBoards; ++i) {
      const double angle = reach * (2.0 * i / (kBoards - 1) - 1.0), each = 2.2 * reach / (kBoards - 1) * foot_radius_;
      const SO3<double> turn = SO3<double>::exp(Point(0.0, -angle, 0.0));
      for (const double y : rows_of(body.name)) {
        const Point at = center + Point(0, y, 0) + turn * Point(0.0, 0.0, -foot_radius_ + 0.5 * radius_);
        add(body, Shape::Kind::box, {each, 3.0 * radius_, radius_}, Pose(turn, at), color_of(body.name));
      }
    }
  }

  void dress(BodyDescription& body) {
    Point start = Point::Zero();
    std::vector<Point> ends;
    for (const JointDescription& joint : d_.joints) {
      if (joint.child == body.name) start = joint.X_CM.translation();
      if (joint.parent == body.name) ends.push_back(joint.X_PF.translation());
    }
    for (const FrameDescription& frame : d_.frames)
      if (frame.body == body.name && frame.name == "hub") start = frame.X_BF.translation();
    for (const FrameDescription& frame : d_.frames)
      if (frame.body == body.name) ends.push_back(dress_end(body, frame));
    for (const Point& end : ends) add_limb(body, start, end);
    if (body.visuals.empty() && body.inertia.mass() > 0.0)
      add(body, Shape::Kind::sphere, {3.5 * radius_, 0.0, 0.0}, Pose(body.inertia.com()), rgba(palette::kBody));
  }
  /// Where the limb to a frame ends.
  Point dress_end(BodyDescription& body, const FrameDescription& frame) const {
    const Point at = frame.X_BF.translation();
    if (frame.name == "head") add(body, Shape::Kind::sphere, {5.0 * radius_, 0.0, 0.0}, Pose(at), rgba(palette::kFaint));
    if (!frame.name.ends_with("foot")) return at;
    if (foot_radius_ > 0.0)
      add_arc(body, at);
    else
      add_ball(body, at, 1.5 * radius_);
    return at - Point(0.0, 0.0, foot_radius_ > 0.0 ? foot_radius_ - radius_ : 0.0);
  }

  /// An axle where legs meet, a ball where a leg bends.
  void add_joint(const JointDescription& joint) {
    const auto named = [&](const std::string& name) {
      return std::find_if(d_.bodies.begin(), d_.bodies.end(), [&](const auto& body) { return body.name == name; });
    };
    const auto child = named(joint.child), parent = named(joint.parent);
    if (joint.type == "fixed" || parent == d_.bodies.end() || parent->auxiliary || child->auxiliary) return;
    const Point at = joint.X_CM.translation();
    const SO3<double> across = SO3<double>::exp(Point(0.5 * std::numbers::pi, 0.0, 0.0));
    if (side_of(parent->name) == side_of(child->name))
      for (const double y : rows_of(child->name))
        add(*child, Shape::Kind::sphere, {1.5 * radius_, 0.0, 0.0}, Pose(Point(at + Point(0, y, 0))), rgba(palette::kBody));
    else
      add(*child, Shape::Kind::cylinder, {1.4 * radius_, 0.27 * size_, 0.0}, Pose(across, at), rgba(palette::kBody));
  }

  ModelDescription& d_;
  double foot_radius_, size_, radius_;
};

}  // namespace

ModelDescription on_slope(ModelDescription figure, double slope) {
  const SO3<double> R = SO3<double>::exp(Point(0.0, slope, 0.0));
  const Pose tilt(R, Point::Zero());
  figure.gravity = R * figure.gravity;
  for (JointDescription& joint : figure.joints)
    if (joint.parent == kWorld) joint.X_PF = tilt * joint.X_PF;
  for (std::vector<PlacedShape>* scenery : {&figure.world_visuals, &figure.world_collisions})
    for (PlacedShape& shape : *scenery) shape.X_BS = tilt * shape.X_BS;
  return figure;
}

void dress(ModelDescription& figure, double foot_radius) {
  const bool has_shapes = std::any_of(figure.bodies.begin(), figure.bodies.end(), [](const BodyDescription& body) {
    return !body.visuals.empty() || !body.collisions.empty();
  });
  if (!has_shapes) Tailor(figure, foot_radius).dress();
}

}  // namespace amble
