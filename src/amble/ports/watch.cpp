#include "amble/ports/watch.hpp"

#include <fmt/format.h>

#include <cmath>

#include "amble/base/error.hpp"
#include "amble/dynamics/kinematics.hpp"

namespace amble {

namespace {

class Onlooker : public Element {
 public:
  Onlooker(std::string name, Quantity quantity, double level, int direction)
      : Element(std::move(name)), quantity_(std::move(quantity)), level_(level), direction_(direction) {
    if (!quantity_) throw Error(fmt::format("'{}' watches nothing", this->name()));
    if (!std::isfinite(level)) throw Error(fmt::format("'{}' watches for {}: expected a number", this->name(), level));
  }
  void evaluate(const PortState&, const double*, PortFlows&, double*) const override {}
  int guards() const override { return 1; }
  void guard_values(const PortState& at, const double*, double* values) const override { values[0] = quantity_(at) - level_; }
  void happen(const PortState&, PortEvent& event) const override {
    if (event.crossed[0] != 0 && event.crossed[0] * direction_ >= 0) event.log.push_back(name());
  }

 private:
  Quantity quantity_;
  double level_;
  int direction_;
};

}  // namespace

ElementPtr watch(std::string name, Quantity quantity, double level, int direction) {
  return std::make_shared<Onlooker>(std::move(name), std::move(quantity), level, direction);
}

Quantity height_of(const Mechanism& m, const std::string& body, const Vector3<double>& point) {
  m.body_index(body);  // says when there is none
  return [body, point](const PortState& at) { return (pose(at.mechanism, at.work, at.q, body) * point).z(); };
}

Quantity clearance_of(const Mechanism& m, const std::string& body, GroundPtr ground, const Vector3<double>& point) {
  m.body_index(body);
  return [body, ground = std::move(ground), point](const PortState& at) {
    return ground->clearance(pose(at.mechanism, at.work, at.q, body) * point);
  };
}

Quantity rise_of(const Mechanism& m, const std::string& body, const Vector3<double>& point) {
  m.body_index(body);
  return [body, point](const PortState& at) {
    return jacobian(at.mechanism, at.work, at.q, body, {.point = point, .frame = JacobianFrame::aligned}).row(2).dot(at.v);
  };
}

}  // namespace amble
