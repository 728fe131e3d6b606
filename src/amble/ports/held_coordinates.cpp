#include "amble/ports/held_coordinates.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "amble/base/error.hpp"

namespace amble {

namespace {

class CoordinateFollows : public Constraint {
 public:
  CoordinateFollows(std::string name, const Coordinate& c, std::function<CoordinateMotion(double)> motion)
      : Constraint(std::move(name), 1, true), coordinate_(c), motion_(std::move(motion)) {}
  std::string meaning(int) const override { return fmt::format("force along '{}' (N or N m)", coordinate_.name); }
  void evaluate(ConstraintKinematics& at, const ConstraintRows& out) const override {
    const CoordinateMotion m = motion_(at.t());
    if (!std::isfinite(m.place) || !std::isfinite(m.rate) || !std::isfinite(m.acceleration))
      throw Error(
          fmt::format("'{}' moves '{}' to a place that is not a number at {} s", name(), coordinate_.name, at.t()));
    std::fill_n(out.A, at.mechanism().nv(), 0.0);
    out.A[coordinate_.v] = coordinate_.ratio;
    out.violation[0] = coordinate_.value(at.q()) - m.place;
    out.target[0] = m.rate, out.bias[0] = -m.acceleration;
  }

 private:
  Coordinate coordinate_;
  std::function<CoordinateMotion(double)> motion_;
};

class VelocitiesHeld : public Constraint {
 public:
  VelocitiesHeld(std::string name, Slice v) : Constraint(std::move(name), v.size, false), v_(v) {}
  std::string meaning(int row) const override {
    return fmt::format("force along velocity {} (N or N m)", v_.start + row);
  }
  void evaluate(ConstraintKinematics& at, const ConstraintRows& out) const override {
    const int nv = at.mechanism().nv();
    std::fill_n(out.A, v_.size * nv, 0.0);
    std::fill_n(out.bias, v_.size, 0.0);
    for (int k = 0; k < v_.size; ++k) out.A[k * nv + v_.start + k] = 1.0;
  }

 private:
  Slice v_;
};

}  // namespace

ConstraintPtr coordinate_follows(std::string name, const Coordinate& coordinate,
                                 std::function<CoordinateMotion(double)> motion) {
  return std::make_shared<CoordinateFollows>(std::move(name), coordinate, std::move(motion));
}
ConstraintPtr coordinate_held(std::string name, const Coordinate& coordinate, double place) {
  return coordinate_follows(std::move(name), coordinate, [place](double) {
    return CoordinateMotion{place, 0.0, 0.0};
  });
}
ConstraintPtr velocities_held(std::string name, Slice v) {
  return std::make_shared<VelocitiesHeld>(std::move(name), v);
}

}  // namespace amble
