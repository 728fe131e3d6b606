#include "amble/mechanism/box_scenes.hpp"

#include <fmt/format.h>

#include <cmath>

#include "amble/mechanism/builder.hpp"

namespace amble {

namespace {

void require(double value, const char* what) {
  if (!(value > 0.0) || !std::isfinite(value)) throw Error(fmt::format("the {} of a box is {}: expected more than 0", what, value));
}

Inertia<double> box_inertia(double mass, const Vector3<double>& edges) {
  const Vector3<double> squares = edges.cwiseAbs2();
  const Vector3<double> moments(squares.y() + squares.z(), squares.z() + squares.x(), squares.x() + squares.y());
  const Matrix3<double> I = (mass / 12.0 * moments).asDiagonal();
  return Inertia<double>::from_com(mass, Vector3<double>::Zero(), I);
}

/// Adds a box with a free joint, and notes its pose.
class Boxes {
 public:
  explicit Boxes(std::string name) : builder_(std::move(name)) {}

  void add(const std::string& body, const std::string& joint, double mass, const Vector3<double>& edges, const Pose& X_WB) {
    BodyDescription b{.name = body, .inertia = box_inertia(mass, edges)};
    b.collisions.push_back({.name = body, .shape = {.kind = Shape::Kind::box, .size = edges}});
    b.visuals = b.collisions;
    builder_.body(std::move(b));
    builder_.joint({.name = joint, .type = "free", .parent = kWorld, .child = body});
    const Quaternion<double> r = X_WB.rotation().quaternion();
    const Vector3<double> p = X_WB.translation();
    q_.insert(q_.end(), {p.x(), p.y(), p.z(), r.v.x(), r.v.y(), r.v.z(), r.w});
  }
  BoxScene finish() const { return {builder_.build(), OwnedVector(Eigen::Map<const Eigen::VectorXd>(q_.data(), q_.size()))}; }

 private:
  Builder builder_;
  std::vector<double> q_;
};

}  // namespace

BoxScene box_stack(const BoxStack& s) {
  require(s.edge, "edge"), require(s.mass, "mass");
  if (s.along_x < 1 || s.along_y < 1 || s.high < 1)
    throw Error(fmt::format("a stack of {} x {} x {} boxes: expected one or more each way", s.along_x, s.along_y, s.high));
  if (!(s.gap >= 0.0)) throw Error(fmt::format("the gap of a stack is {}: expected 0 or more", s.gap));
  Boxes boxes("box_stack");
  const double pitch = s.edge + s.gap;
  for (int i = 0; i < s.along_x; ++i)
    for (int j = 0; j < s.along_y; ++j)
      for (int k = 0; k < s.high; ++k) {
        const std::string place = fmt::format("{}_{}_{}", i, j, k);
        boxes.add("box_" + place, "free_" + place, s.mass, Vector3<double>::Constant(s.edge),
                  Pose(Vector3<double>(i * pitch, j * pitch, (k + 0.5) * s.edge)));
      }
  return boxes.finish();
}

BoxScene dominoes(const Dominoes& d) {
  require(d.thickness, "thickness"), require(d.width, "width"), require(d.height, "height"), require(d.mass, "mass");
  if (d.count < 1) throw Error(fmt::format("a row of {} dominoes: expected one or more", d.count));
  if (!(d.spacing > d.thickness))
    throw Error(fmt::format("dominoes {} m apart are {} m thick: expected a larger spacing", d.spacing, d.thickness));
  Boxes boxes("dominoes");
  const Vector3<double> edges(d.thickness, d.width, d.height);
  for (int i = 0; i < d.count; ++i) {
    const double lean = i == 0 ? d.lean : 0.0;
    const SO3<double> R = SO3<double>::exp(Vector3<double>(0.0, lean, 0.0));
    const Vector3<double> edge(d.thickness / 2, 0.0, -d.height / 2);  // which it stands on
    boxes.add(fmt::format("domino_{}", i), fmt::format("free_{}", i), d.mass, edges,
              Pose(R, Vector3<double>(i * d.spacing + d.thickness / 2, 0.0, 0.0) - R * edge));
  }
  return boxes.finish();
}

}  // namespace amble
