#include "amble/ports/end_stops.hpp"

#include "amble/dynamics/tendons.hpp"
#include "amble/ports/checks.hpp"
#include "amble/ports/scratch.hpp"
#include "amble/ports/tendon_elements.hpp"

namespace amble {

namespace {

/// What a pad does, a number in memory: the law of a mode is smooth beyond its borders, so that no step meets a
/// corner.
constexpr double kFree = 0.0, kPressed = 1.0, kLagging = 2.0;

/// A limit tells how far it is, its rate, and what a push away from it does at the joints.
struct JointEnd {
  JointLimit limit;
  double gap(const PortState& at) const { return limit.gap(at.q); }
  double gap_rate(const PortState& at) const { return limit.gap_rate(at.v); }
  void push(const PortState&, double force, OwnedVector& tau) const {
    limit.coordinate.push(limit.sign() * force, tau);
  }
  std::string name() const { return limit.name(); }
};

struct TendonEnd {
  TendonLimit limit;
  double sign() const { return limit.upper ? -1.0 : 1.0; }
  double gap(const PortState& at) const {
    return sign() * (tendon_length(at.mechanism, at.work, at.q, limit.tendon) - limit.at);
  }
  double gap_rate(const PortState& at) const { return sign() * slope(at).dot(at.v); }
  void push(const PortState& at, double force, OwnedVector& tau) const { tau += sign() * force * slope(at); }
  std::string name() const { return limit.name + (limit.upper ? " above" : " below"); }

 private:
  const OwnedVector& slope(const PortState& at) const {
    OwnedVector& J = scratch(0, at.mechanism.nv());
    tendon_length(at.mechanism, at.work, at.q, limit.tendon, J.data());
    return J;
  }
};

template <class Limit>
class EndStops : public Element {
 public:
  EndStops(std::string name, std::vector<Limit> limits, const EndStopOptions& options)
      : Element(std::move(name)), limits_(std::move(limits)), options_(options) {
    check_above_zero(this->name(), "stiffness", options.stiffness);
    check_strength(this->name(), "damping", options.damping);
    if (!(options.exponent >= 1.0) || !std::isfinite(options.exponent))
      throw Error(fmt::format("'{}' has an exponent of {}: expected 1 or more", this->name(), options.exponent));
  }

  int memory() const override { return count(); }
  void start(const PortState& at, double*, double* memory) const override {
    for (int i = 0; i < count(); ++i)
      memory[i] = limits_[i].gap(at) >= 0.0 ? kFree : follows(i, at) > 0.0 ? kPressed : kLagging;
  }

  void evaluate(const PortState& at, const double*, PortFlows& out, double*) const override {
    for (int i = 0; i < count(); ++i) {
      if (at.memory[i] == kFree) continue;
      const double depth = -limits_[i].gap(at), rate = -limits_[i].gap_rate(at);
      // Odd beyond its border, where only stages of a step come.
      const double elastic = options_.stiffness * std::copysign(std::pow(std::abs(depth), options_.exponent), depth);
      const double push = at.memory[i] == kPressed ? elastic * (1.0 + options_.damping * rate) : 0.0;
      limits_[i].push(at, push, out.tau);
      out.stored += elastic * depth / (options_.exponent + 1.0);
      out.dissipated += (push - elastic) * rate;
    }
  }

  int guards() const override { return 2 * count(); }
  void guard_values(const PortState& at, const double*, double* values) const override {
    for (int i = 0; i < count(); ++i) {
      values[2 * i] = -limits_[i].gap(at);
      values[2 * i + 1] = at.memory[i] == kFree ? -1.0 : follows(i, at);
    }
  }
  std::string guard_name(int guard) const override {
    return fmt::format("{}: {}{}", name(), limits_[guard / 2].name(), guard % 2 == 0 ? "" : " parts");
  }
  void happen(const PortState&, PortEvent& event) const override {
    for (int i = 0; i < count(); ++i) {
      const int touch = event.crossed[2 * i], follow = event.crossed[2 * i + 1];
      double& mode = event.memory[i];
      if (touch != 0) mode = touch > 0 ? kPressed : kFree;
      if (touch != 0)
        event.log.push_back(fmt::format("{}: {} {}", name(), limits_[i].name(), touch > 0 ? "touches" : "leaves"));
      if (follow != 0 && mode != kFree) mode = follow > 0 ? kPressed : kLagging;
    }
  }

 private:
  int count() const { return static_cast<int>(limits_.size()); }
  /// Above zero while the pad keeps up with the joint.
  double follows(int i, const PortState& at) const {
    return 1.0 - options_.damping * limits_[i].gap_rate(at);
  }

  std::vector<Limit> limits_;
  EndStopOptions options_;
};

template <class End, class Limit>
ElementPtr stops(std::string name, std::vector<Limit> limits, const EndStopOptions& options) {
  std::vector<End> ends;
  for (Limit& limit : limits) ends.push_back({std::move(limit)});
  return std::make_shared<EndStops<End>>(std::move(name), std::move(ends), options);
}

}  // namespace

ElementPtr end_stops(std::string name, std::vector<JointLimit> limits, const EndStopOptions& options) {
  return stops<JointEnd>(std::move(name), std::move(limits), options);
}

ElementPtr tendon_stops(std::string name, std::vector<TendonLimit> limits, const EndStopOptions& options) {
  return stops<TendonEnd>(std::move(name), std::move(limits), options);
}

}  // namespace amble
