#include "amble/simulation/held_joints.hpp"

#include <algorithm>
#include <cmath>

namespace amble {

namespace {

using Kind = StepBlock::Kind;

// Of the most that friction can: from there on a joint is not taken to be held. Farther from the edge where things touch,
// as forces are redundant there and another step may share them out otherwise.
constexpr double kSlips = 0.999, kSlipsInTouch = 0.95;
constexpr double kTouch = 1e-9;  // m: what is nearer than this may carry load
constexpr double kPast = 1e-15;  // rad, m: a joint that is farther past its limit has to move
constexpr int kRest = 50;         // steps, after a guess that could not be solved

/// Calls back with the links between two that are not above both.
template <class Visit>
void between(const std::vector<Link>& links, int a, int b, Visit visit) {
  while (a != b) {
    int& lower = a > b ? a : b;  // parents come first
    visit(links[lower]);
    lower = links[lower].parent;
  }
}

}  // namespace

HeldJoints::HeldJoints(const Mechanism& m) : links_(m.links().begin(), m.links().end()), held_(m.nv()), loads_(m.nv()) {}

bool HeldJoints::any() const {
  return std::any_of(held_.begin(), held_.end(), [](char held) { return held != 0; });
}

void HeldJoints::forget() {
  std::fill(held_.begin(), held_.end(), 0);
  rest_ = 0;
}

void HeldJoints::give_up() {
  forget();
  rest_ = kRest;
}

void HeldJoints::release_between(int link_a, int link_b) {
  between(links_, link_a, link_b, [&](const Link& link) { std::fill_n(held_.begin() + link.v.start, link.v.size, 0); });
}

bool HeldJoints::moves_between(int link_a, int link_b) const {
  bool moves = false;
  between(links_, link_a, link_b, [&](const Link& link) {
    for (int k = link.v.start; k < link.v.start + link.v.size; ++k) moves |= !held_[k];
  });
  return moves;
}

void HeldJoints::meet(std::span<const SteppedContact> contacts) {
  for (const SteppedContact& c : contacts) {
    const StepBlock& b = c.block;
    if (b.kind == Kind::bound && b.distance < -kPast) held_[b.v] = 0;
    if (b.kind == Kind::contact && b.at.distance < kTouch && !moves_between(b.at.link_a, b.at.link_b))
      release_between(b.at.link_a, b.at.link_b);
  }
}

bool HeldJoints::meets(const StepBlock& b) const {
  if (b.kind == Kind::contact) return !moves_between(b.at.link_a, b.at.link_b);
  return held_[b.v] != 0;
}

void HeldJoints::learn(std::span<const SteppedContact> contacts) {
  if (rest_ > 0) return void(--rest_);
  std::fill(loads_.begin(), loads_.end(), 0);
  for (const SteppedContact& c : contacts)
    if (c.block.kind == Kind::friction || (c.block.kind == Kind::bound && c.force[0] > 0.0)) ++loads_[c.block.v];
  const bool touch = std::any_of(contacts.begin(), contacts.end(), [](const auto& c) { return c.block.kind == Kind::contact; });
  const double most = touch ? kSlipsInTouch : kSlips;
  for (const SteppedContact& c : contacts) {
    const StepBlock& b = c.block;
    if (b.kind == Kind::friction && loads_[b.v] == 1 && std::abs(c.force[0]) < most * b.force) held_[b.v] = 1;
  }
}

}  // namespace amble
