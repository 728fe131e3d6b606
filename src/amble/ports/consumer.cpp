#include "amble/ports/consumer.hpp"

#include "amble/ports/checks.hpp"

namespace amble {

namespace {

class Consumer : public Element {
 public:
  Consumer(std::string name, double power) : Element(std::move(name)), power_(power) {
    check_strength(this->name(), "power", power);
  }
  void evaluate(const PortState&, const double*, PortFlows& out, double*) const override {
    out.supplied = out.dissipated = power_;
  }

 private:
  double power_;
};

}  // namespace

ElementPtr consumer(std::string name, double power) { return std::make_shared<Consumer>(std::move(name), power); }

}  // namespace amble
