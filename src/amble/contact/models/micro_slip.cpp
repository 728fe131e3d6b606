#include <algorithm>

#include "amble/contact/models/bristles.hpp"

namespace amble {

namespace {

class MicroSlip : public SlidingLaw {
 public:
  explicit MicroSlip(const SlidingNumbers& numbers)
      : bristles_("micro-slip friction", numbers), friction_(numbers.friction), exponent_(numbers.exponent) {
    check_above_zero("micro-slip friction", "slip exponent", exponent_);
  }

  /// Only what stretches further slips, DS (3.26): unloading is elastic.
  SlidingForce at(const Sliding& x) const override {
    const double limit = friction_limit(friction_, x.push);
    const Vector2<double> pull = bristles_.pull(x);
    const double size = pull.norm(), drive = size > 0.0 ? pull.dot(x.velocity) / size : 0.0;
    if (!(drive > 0.0)) return behind_slider(bristles_, x, x.velocity, limit);
    const double sticks = size < limit ? std::pow(1.0 - size / limit, exponent_) : 0.0;
    return behind_slider(bristles_, x, x.velocity - (1.0 - sticks) * drive / size * pull, limit);
  }

 private:
  Bristles bristles_;
  double friction_, exponent_;
};

}  // namespace

SlidingLawPtr micro_slip(const SlidingNumbers& numbers) { return std::make_shared<MicroSlip>(numbers); }

}  // namespace amble
