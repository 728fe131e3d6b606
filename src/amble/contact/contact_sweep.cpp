#include "amble/contact/contact_sweep.hpp"

#include <algorithm>
#include <cmath>

namespace amble {

namespace {

constexpr double kStill = 3e-9;  // m: what distances lose is its square over a radius of curvature

/// How far a point within `reach` of the origin comes from one pose to another, at most.
double way_between(const Pose& from, const Pose& to, double reach) {
  return (to.translation() - from.translation()).norm() +
         (to.rotation().matrix() - from.rotation().matrix()).norm() * reach;
}

}  // namespace

void ContactSweep::start(std::uint64_t scene, double t, int shapes, const std::vector<char>& may_touch,
                         const Vector3<double>& down) {
  const bool goes_on = scene_ == scene && t > t_;
  t_ = t, down_ = down;
  if (goes_on) return;  // a motion that starts again goes the same way
  scene_ = scene, shapes_ = shapes;
  X_WS_.assign(shapes, Pose()), way_.assign(shapes, 0.0), travel_.assign(shapes, 0.0),
      way_ahead_.assign(shapes, 0.0);
  apart_until_.resize(may_touch.size());
  std::transform(may_touch.begin(), may_touch.end(), apart_until_.begin(),
                 [](char may) { return may ? 0.0 : HUGE_VAL; });
  pair_of_.assign(may_touch.size(), -1);
  pairs_.clear(), pairs_.reserve(4 * shapes), order_.clear();
}

void ContactSweep::place(int i, const Pose& X_WS, double reach, double travel) {
  if (reach >= 0.0) way_[i] += way_between(X_WS_[i], X_WS, reach);
  X_WS_[i] = X_WS, travel_[i] = travel, way_ahead_[i] = way_[i] + travel;
}

const ContactSweep::Pair* ContactSweep::kept(int i, int j) const {
  const int at = pair_of_[i * shapes_ + j];
  return at >= 0 && pairs_[at].kept ? &pairs_[at] : nullptr;
}

ContactSweep::Pair& ContactSweep::pair(int i, int j) {
  int& at = pair_of_[i * shapes_ + j];
  if (at < 0) at = static_cast<int>(pairs_.size()), pairs_.emplace_back();
  return pairs_[at];
}

Vector3<double> ContactSweep::last_way(int i, int j, const Vector3<double>& otherwise) const {
  const Pair* const kept = this->kept(i, j);
  if (kept == nullptr || kept->at.count == 0) return otherwise;
  return X_WS_[j].rotation() * kept->at.points[0].p_b;
}

bool ContactSweep::carried(int i, int j, double margin, ContactManifold& out) const {
  const Pair* const kept = this->kept(i, j);
  if (kept == nullptr || margin > kept->margin) return false;
  const Pose &X_I = X_WS_[i], &X_J = X_WS_[j];
  if (!(way_between(kept->X_IJ, X_I.inverse() * X_J, kept->reach) < kStill)) return false;
  out = kept->at;
  for (int k = 0; k < out.count; ++k) {
    ContactPoint& at = out.points[k];
    at.p_a = X_I * at.p_a, at.p_b = X_J * at.p_b, at.normal = X_I.rotation() * at.normal;
    at.distance = at.normal.dot(at.p_b - at.p_a);
  }
  return true;
}

void ContactSweep::keep(int i, int j, double reach, double margin, const ContactManifold& found) {
  Pair& to = pair(i, j);
  const Pose I_inverse = X_WS_[i].inverse(), J_inverse = X_WS_[j].inverse();
  to.kept = true;
  to.X_IJ = I_inverse * X_WS_[j], to.reach = reach, to.margin = margin, to.at = found;
  for (int k = 0; k < found.count; ++k) {
    ContactPoint& at = to.at.points[k];
    at.p_a = I_inverse * at.p_a, at.p_b = J_inverse * at.p_b, at.normal = I_inverse.rotation() * at.normal;
  }
}

void ContactSweep::sort() {
  for (std::size_t k = 1; k < order_.size(); ++k)
    for (std::size_t l = k; l > 0 && order_[l] < order_[l - 1]; --l) std::swap(order_[l], order_[l - 1]);
}

}  // namespace amble
