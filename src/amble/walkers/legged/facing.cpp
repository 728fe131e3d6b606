#include "amble/walkers/legged/facing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace amble {

namespace {

// Toes are made to be ahead. Knees of bipeds go forward and those of quadrupeds back in most robots, bird's
// legs excepted. Files list front legs first, and most base frames have x ahead.
constexpr double kToes = 3.0, kKnees = 2.0, kOtherLimbs = 2.0, kListed = 1.5, kBaseAxis = 1.0;
constexpr double kHeavyToes = 0.5;   // the center of mass of a foot ahead, where its sole is not known
constexpr double kClearToes = 8e-3;  // m: a sole that reaches less far ahead says nothing
constexpr double kAlongBase = 0.9;   // cosine to the base's x axis

class Votes {
 public:
  void add(double weight, const std::string& text) {
    sum_ += weight, all_ += std::abs(weight);
    if (weight != 0.0) texts_.push_back({weight, text});
  }
  Facing result() const {
    Facing out;
    out.sign = sum_ < 0.0 ? -1.0 : 1.0;
    for (const auto& [weight, text] : texts_)
      out.evidence.push_back(weight * out.sign > 0.0 ? text : "against it: " + text);
    out.sure = std::abs(sum_) > 0.5 * all_ && std::abs(sum_) > kBaseAxis;
    return out;
  }

 private:
  double sum_ = 0.0, all_ = 0.0;
  std::vector<std::pair<double, std::string>> texts_;
};

void toes(const PosedLinks& at, const StandingGuess& guess, const std::vector<FootSupport>& feet,
          const std::vector<int>& guessed, const Vector3<double>& forward, Votes& votes) {
  double ahead = 0.0;
  for (std::size_t i = 0; i < feet.size(); ++i) {
    if (feet[i].shape != Foot::Shape::sole && feet[i].shape != Foot::Shape::line) return;
    const int foot = guess.legs[i].foot();
    const Vector3<double> middle = guessed.empty() ? at.X_WL[foot] * feet[i].center() : at.center(foot);
    ahead +=
        forward.dot(middle - ankle(at, guess.legs[i], guess.plane.normal)) / static_cast<double>(feet.size());
  }
  if (std::abs(ahead) < kClearToes) return;
  votes.add((guessed.empty() ? kToes : kHeavyToes) * (ahead > 0.0 ? 1.0 : -1.0),
            fmt::format("{} {:.0f} mm ahead of the ankles",
                        guessed.empty() ? "soles reach" : "the mass of feet is", 1e3 * std::abs(ahead)));
}

void bending(const PosedLinks& at, const StandingGuess& guess, const std::vector<FootSupport>& feet,
             const std::vector<Knee>& knees, const Vector3<double>& forward, Votes& votes) {
  double sum = 0.0;
  for (std::size_t i = 0; i < knees.size(); ++i) {
    const Vector3<double> d =
        knee_direction(at, knees[i], at.X_WL[guess.legs[i].foot()] * feet[i].center(), guess.up);
    if (d.norm() > 1e-9) sum += forward.dot(d) / d.norm() / static_cast<double>(knees.size());
  }
  if (std::abs(sum) < 0.6) return;
  const bool two = knees.size() == 2;
  votes.add((two ? kKnees : -kKnees) * sum, two ? "knees go forward" : "all knees go backward");
}

void other_limbs(const PosedLinks& at, int base_link, const StandingGuess& guess,
                 const Vector3<double>& forward, const Vector3<double>& middle, Votes& votes) {
  const Mechanism& m = at.mechanism;
  double mass = 0.0, moment = 0.0, total = 0.0;
  for (const int i : carried_links(m, base_link)) {
    total += m.links()[i].inertia.mass();
    bool leg = i == base_link;
    for (const LegChain& chain : guess.legs)
      leg = leg || std::find(chain.links.begin(), chain.links.end(), i) != chain.links.end();
    if (leg) continue;
    mass += m.links()[i].inertia.mass();
    moment += m.links()[i].inertia.mass() * forward.dot(at.center(i) - middle);
  }
  if (mass > 0.01 * total && std::abs(moment) > 0.02 * mass)
    votes.add(moment > 0.0 ? kOtherLimbs : -kOtherLimbs, "limbs that are no legs are ahead");
}

}  // namespace

Vector3<double> ankle(const PosedLinks& at, const LegChain& leg, const Vector3<double>& across) {
  for (auto link = leg.links.rbegin(); link != leg.links.rend(); ++link)
    if (std::abs(at.axis(*link).dot(across)) > kAlongBase) return at.origin(*link);
  return at.origin(leg.foot());
}

Facing find_facing(const PosedLinks& at, int base_link, const StandingGuess& guess,
                   const std::vector<FootSupport>& feet, const std::vector<int>& guessed,
                   const std::vector<Knee>& knees, const Vector3<double>& forward) {
  Votes votes;
  toes(at, guess, feet, guessed, forward, votes);
  bending(at, guess, feet, knees, forward, votes);
  if (feet.size() > 2) {
    Vector3<double> middle = Vector3<double>::Zero();
    std::vector<Vector3<double>> hips;
    for (const LegChain& leg : guess.legs) hips.push_back(at.origin(leg.links[0]));
    for (const Vector3<double>& h : hips) middle += h / static_cast<double>(hips.size());
    other_limbs(at, base_link, guess, forward, middle, votes);
    int first = 0;
    for (std::size_t i = 1; i < guess.legs.size(); ++i)
      if (guess.legs[i].links[0] < guess.legs[first].links[0]) first = static_cast<int>(i);
    if (const double ahead = forward.dot(hips[first] - middle); std::abs(ahead) > 1e-3)
      votes.add(ahead > 0.0 ? kListed : -kListed, "the file lists front legs first");
  }
  const double along = forward.dot(at.X_WL[base_link].rotation() * Vector3<double>::UnitX());
  if (std::abs(along) > kAlongBase) votes.add(kBaseAxis * along, "the base's x axis is ahead");
  return votes.result();
}

}  // namespace amble
