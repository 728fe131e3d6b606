#include "amble/ports/prescribed_motion.hpp"

#include "amble/ports/checks.hpp"

namespace amble {

namespace {

class PrescribedMotion : public Element {
 public:
  PrescribedMotion(std::string name, ConstraintPtr constraint)
      : Element(std::move(name)), constraint_(std::move(constraint)) {}
  void evaluate(const PortState&, const double*, PortFlows&, double*) const override {}
  std::vector<ConstraintPtr> constraints() const override { return {constraint_}; }

 private:
  ConstraintPtr constraint_;
};

}  // namespace

ElementPtr prescribed_motion(std::string name, const Mechanism& m, const std::string& joint,
                             std::function<CoordinateMotion(double)> motion, int axis) {
  if (!motion) throw Error(fmt::format("'{}' has no motion", name));
  ConstraintPtr constraint = coordinate_follows(name, coordinate_of(m, name, joint, axis), std::move(motion));
  return std::make_shared<PrescribedMotion>(std::move(name), std::move(constraint));
}

}  // namespace amble
