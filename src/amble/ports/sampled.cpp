#include <algorithm>
#include <cmath>

#include "amble/ports/checks.hpp"
#include "amble/ports/controller.hpp"

namespace amble {

namespace {

constexpr double kSameInstant = 1e-12;  // relative: instants this close are one
constexpr double kShortestPeriod = 1e-9;  // s: no program is asked more often
constexpr double kMostPeriods = 1e6;      // of delay: what was said is kept so long

/// Memory: when the motion started, how many samples were taken, how many of them act or have acted, and a ring of
/// what they said, the one that acts included.
class Sampled : public Element {
 public:
  Sampled(std::string name, std::shared_ptr<Controller> controller, const Mechanism& m, const SampledOptions& options)
      : Element(std::move(name)), controller_(std::move(controller)), options_(options), nv_(m.nv()), tau_(m.nv()) {
    if (controller_ == nullptr) throw Error(fmt::format("'{}' has no controller", this->name()));
    check_above_zero(this->name(), "period", options.period);
    check_strength(this->name(), "delay", options.delay);
    check_strength(this->name(), "offset", options.offset);
    // Whole periods and a rest: where the delay is whole, words act exactly at later samples.
    if (options.period < kShortestPeriod)
      throw Error(fmt::format("'{}' has a period of {} s: expected {:g} s or more", this->name(), options.period,
                              kShortestPeriod));
    if (options.delay > kMostPeriods * options.period)
      throw Error(fmt::format("'{}' has a delay of {} s, which is more than {:g} periods of {} s", this->name(),
                              options.delay, kMostPeriods, options.period));
    periods_ = std::floor(options.delay / options.period + 1e-9);
    rest_ = options.delay - periods_ * options.period;
    if (rest_ < 1e-9 * options.period) rest_ = 0.0;
    ring_ = static_cast<int>(periods_) + 2;
  }

  int memory() const override { return kRing + ring_ * nv_; }
  void start(const PortState& at, double*, double* memory) const override {
    memory[kStart] = at.t, memory[kSampled] = memory[kActed] = 0.0;
    controller_->reset(seen(at), at.t);
    go_to(at, memory);
  }
  const double* acting(const double* memory) const {
    return memory[kActed] == 0.0 ? nullptr : memory + place(memory[kActed] - 1.0);
  }
  void evaluate(const PortState& at, const double*, PortFlows& out, double*) const override {
    const double* const tau = acting(at.memory);
    if (tau == nullptr) return;
    out.tau = Eigen::Map<const Eigen::VectorXd>(tau, nv_);
    out.supplied = out.tau.dot(at.v);
  }
  bool senses_contacts() const override { return controller_->senses_contacts(); }
  std::any save() const override { return controller_->save(); }
  void restore(const std::any& saved) const override { controller_->restore(saved); }
  double next_instant(double, const double* memory) const override {
    const double sample = sample_time(memory, memory[kSampled]);
    return memory[kActed] < memory[kSampled] ? std::min(sample, acting_time(memory, memory[kActed])) : sample;
  }
  void happen(const PortState& at, PortEvent& event) const override {
    go_to(at, event.memory);
    for (std::string& text : controller_->said()) event.log.push_back(std::move(text));
  }

 private:
  enum { kStart, kSampled, kActed, kRing };

  static ControllerState seen(const PortState& at) {
    return {at.q, at.v, at.mechanism, at.work, at.touching};
  }
  int place(double k) const { return kRing + static_cast<int>(std::fmod(k, ring_)) * nv_; }
  /// From the number alone, so that no error adds up.
  double sample_time(const double* memory, double k) const {
    return memory[kStart] + options_.offset + k * options_.period;
  }
  double acting_time(const double* memory, double k) const { return sample_time(memory, k + periods_) + rest_; }

  /// Takes the sample and lets act the word whose time has come.
  void go_to(const PortState& at, double* memory) const {
    const double now = at.t + kSameInstant * std::max(1.0, std::abs(at.t));
    while (sample_time(memory, memory[kSampled]) <= now) {
      tau_.setZero();
      controller_->update(seen(at), at.t, tau_);
      if (tau_.size() != nv_ || !tau_.allFinite())
        throw Error(fmt::format("controller '{}' gives a force that is not a number at {} s", name(), at.t));
      std::copy_n(tau_.data(), nv_, memory + place(memory[kSampled]));
      memory[kSampled] += 1.0;
    }
    while (memory[kActed] < memory[kSampled] && acting_time(memory, memory[kActed]) <= now) memory[kActed] += 1.0;
  }

  std::shared_ptr<Controller> controller_;
  SampledOptions options_;
  int nv_, ring_ = 0;
  double periods_ = 0.0, rest_ = 0.0;
  mutable OwnedVector tau_;  // the controller belongs to one motion, and so does this
};

}  // namespace

ElementPtr sampled(std::string name, std::shared_ptr<Controller> controller, const Mechanism& m,
                   const SampledOptions& options) {
  return std::make_shared<Sampled>(std::move(name), std::move(controller), m, options);
}

const double* acting_forces(const Element& element, const double* memory) {
  const auto* const controller = dynamic_cast<const Sampled*>(&element);
  return controller == nullptr ? nullptr : controller->acting(memory);
}

}  // namespace amble
