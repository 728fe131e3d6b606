#include "amble/ports/drive.hpp"

namespace amble {

namespace {

class Driven : public Element {
 public:
  Driven(std::string name, Drive drive) : Element(std::move(name)), drive_(std::move(drive)) {}
  void evaluate(const PortState& at, const double*, PortFlows& out, double*) const override {
    drive_(at.t, at.q, at.v, out.tau);
    out.supplied = out.tau.dot(at.v);
  }

 private:
  Drive drive_;
};

}  // namespace

ElementPtr drive(std::string name, Drive drive) { return std::make_shared<Driven>(std::move(name), std::move(drive)); }

}  // namespace amble
