#include "amble/contact/models/bristles.hpp"

namespace amble {

namespace {

class StickSlip : public SlidingLaw {
 public:
  explicit StickSlip(const SlidingNumbers& numbers)
      : bristles_("stick-slip friction", numbers), friction_(numbers.friction) {}

  SlidingForce at(const Sliding& x) const override {
    return behind_slider(bristles_, x, x.velocity, friction_limit(friction_, x.push));
  }

 private:
  Bristles bristles_;
  double friction_;
};

}  // namespace

SlidingLawPtr stick_slip(const SlidingNumbers& numbers) { return std::make_shared<StickSlip>(numbers); }

}  // namespace amble
