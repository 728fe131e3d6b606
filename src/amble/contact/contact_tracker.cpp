#include "amble/contact/contact_tracker.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "amble/base/error.hpp"
#include "amble/contact/direct_pairs.hpp"

namespace amble {

namespace {

/// What (3.13) and (3.14) have in common: the rate of u_i, with j the other. v and omega are the twist
/// T^{i,i}_j.
struct OneSide {
  const SurfaceJet &i, &j;
  Matrix3<double> R;  // of j in the axes of i
  Vector3<double> p;

  Vector3<double> across(const Vector3<double>& x) const { return R * x + p; }
  double distance() const { return i.g.dot(across(j.f) - i.f); }

  Vector2<double> rate(const Vector3<double>& v, const Vector3<double>& omega, double distance_rate) const {
    const Matrix3<double> bend_j = bending(j);
    // T~^{j,j}_i P_j, the velocity of i's points against j, in the axes of j
    const Vector3<double> against = -(R.transpose() * (v + cross<double>(omega, across(j.f))));
    const Matrix<double, 3, 2> left = i.g_u + R * bend_j * R.transpose() * (i.f_u + distance() * i.g_u);
    const Vector3<double> right = cross<double>(omega, i.g) + R * bend_j * (distance_rate * j.g - against);
    const Matrix2<double> square = i.f_u.transpose() * left;
    const double size = (i.f_u.transpose() * i.f_u).norm() * (left.norm() / std::max(i.f_u.norm(), 1e-300));
    if (!(std::abs(square.determinant()) > 1e-12 * size * size))
      throw Error("two surfaces bend alike where they are nearest: expected one pair of nearest points");
    return square.inverse() * (i.f_u.transpose() * right);
  }
};

OneSide from_a(const SurfaceJet& a, const SurfaceJet& b, const Pose& X_AB) {
  return {a, b, X_AB.rotation().matrix(), X_AB.translation()};
}

}  // namespace

RelativeMotion relative_motion(const FrameMotion& a, const FrameMotion& b) {
  RelativeMotion out;
  out.X_AB = Pose(SO3<double>(Matrix3<double>(a.R.transpose() * b.R)), a.R.transpose() * (b.p - a.p));
  const Vector3<double> omega = a.R.transpose() * (b.omega - a.omega);
  const Vector3<double> rate = a.R.transpose() * (b.p_dot - a.p_dot - cross<double>(a.omega, b.p - a.p));
  out.V_AB_A = Twist<double>(rate - cross<double>(omega, out.X_AB.translation()), omega);
  return out;
}

ContactRates contact_rates(const SurfaceJet& a, const SurfaceJet& b, const RelativeMotion& motion) {
  const Vector3<double> v = motion.V_AB_A.linear(), omega = motion.V_AB_A.angular();
  const OneSide side_a = from_a(a, b, motion.X_AB), side_b = from_a(b, a, motion.X_AB.inverse());
  const Twist<double> back = motion.X_AB.inverse() * (-motion.V_AB_A);  // T^{j,j}_i
  ContactRates out;
  out.distance = a.g.dot(v + cross<double>(omega, side_a.across(b.f)));  // (3.17)
  out.u_a = side_a.rate(v, omega, out.distance);
  out.u_b = side_b.rate(back.linear(), back.angular(), out.distance);
  return out;
}

double contact_residual(const SurfaceJet& a, const SurfaceJet& b, const Pose& X_AB) {
  const OneSide side = from_a(a, b, X_AB);
  return std::max((a.f + side.distance() * a.g - side.across(b.f)).norm(), (a.g + side.R * b.g).norm());
}

bool seat_contact(const ParametricSurface& a, const ParametricSurface& b, const Pose& X_AB,
                  ContactPlaces& at) {
  ContactPlaces now = at;
  double last = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 40; ++i) {
    const SurfaceJet on_a = a.at(now.a), on_b = b.at(now.b);
    const OneSide side = from_a(on_a, on_b, X_AB);
    now.distance = side.distance();
    // six equations in (u_a, u_b, distance), one of them idle since the normals are unit
    Eigen::Matrix<double, 6, 5> J = Eigen::Matrix<double, 6, 5>::Zero();
    J.block<3, 2>(0, 0) = on_a.f_u + now.distance * on_a.g_u;
    J.block<3, 2>(0, 2) = -side.R * on_b.f_u;
    J.block<3, 1>(0, 4) = on_a.g;
    J.block<3, 2>(3, 0) = on_a.g_u;
    J.block<3, 2>(3, 2) = side.R * on_b.g_u;
    Eigen::Matrix<double, 6, 1> r;
    r << on_a.f + now.distance * on_a.g - side.across(on_b.f), on_a.g + side.R * on_b.g;
    const Eigen::Matrix<double, 5, 1> step = -J.colPivHouseholderQr().solve(r);
    if (!step.allFinite()) return false;
    const double length = step.norm(), shorter = std::min(1.0, 0.5 / length);
    now.a.u += shorter * step.segment<2>(0);
    now.b.u += shorter * step.segment<2>(2);
    now.a = a.better(now.a);
    now.b = b.better(now.b);
    if (length < 1e-14 || (length < 1e-9 && length >= last)) {
      const SurfaceJet end_a = a.at(now.a), end_b = b.at(now.b);
      if (!(contact_residual(end_a, end_b, X_AB) < 1e-9)) return false;
      now.distance = from_a(end_a, end_b, X_AB).distance();
      at = now;
      return true;
    }
    last = length;
  }
  return false;
}

namespace {

struct Sample {
  SurfacePlace place;
  Vector3<double> f, g;
};

/// Places in the middles of a grid's cells.
std::vector<Sample> samples(const ParametricSurface& surface, int grid, const Pose& X) {
  std::vector<Sample> out;
  for (int c = 0; c < static_cast<int>(surface.charts().size()); ++c) {
    const ParametricSurface::Chart& chart = surface.charts()[c];
    for (int i = 0; i < grid; ++i)
      for (int j = 0; j < grid; ++j) {
        const Vector2<double> share((i + 0.5) / grid, (j + 0.5) / grid);
        const SurfacePlace place{c, chart.lower + share.cwiseProduct(chart.upper - chart.lower)};
        try {
          const SurfaceJet at = surface.at(place);
          out.push_back({place, X * at.f, X.rotation() * at.g});
        } catch (const Error&) {  // where a chart ends there is nothing to start from
        }
      }
  }
  return out;
}

/// A pair of samples, and how far from nearest it is.
struct Likely {
  double miss;
  const Sample *a, *b;
};

/// For every sample of a, the most likely of b: looked at straight on, and near.
std::vector<Likely> likely_pairs(const std::vector<Sample>& of_a, const std::vector<Sample>& of_b) {
  std::vector<Likely> out;
  for (const Sample& a : of_a) {
    Likely best{std::numeric_limits<double>::infinity(), &a, nullptr};
    for (const Sample& b : of_b) {
      const Vector3<double> d = b.f - a.f;
      const double along = d.dot(a.g), aside = (d - along * a.g).norm();
      const double miss = aside + (d.norm() + aside) * (a.g + b.g).norm() + 0.1 * std::abs(along);
      if (miss < best.miss) best.miss = miss, best.b = &b;
    }
    if (best.b) out.push_back(best);
  }
  std::sort(out.begin(), out.end(), [](const Likely& x, const Likely& y) { return x.miss < y.miss; });
  return out;
}

}  // namespace

ContactPlaces search_contact(const ParametricSurface& a, const ParametricSurface& b, const Pose& X_AB,
                             int grid) {
  constexpr int kStarts = 24;
  const std::vector<Sample> of_a = samples(a, grid, Pose()), of_b = samples(b, grid, X_AB);
  ContactPlaces best;
  best.distance = std::numeric_limits<double>::infinity();
  int left = kStarts;
  for (const Likely& pair : likely_pairs(of_a, of_b)) {
    if (left-- == 0) break;
    ContactPlaces now{pair.a->place, pair.b->place, 0.0};
    try {
      if (seat_contact(a, b, X_AB, now) && std::abs(now.distance) < std::abs(best.distance)) best = now;
    } catch (const Error&) {  // Newton's method ran off a chart
    }
  }
  if (!std::isfinite(best.distance))
    throw Error(
        "no pair of nearest points of two surfaces was found: expected surfaces that face each other");
  return best;
}

ContactTracker::ContactTracker(ParametricSurface a, ParametricSurface b, const Settings& settings)
    : a_(std::move(a)), b_(std::move(b)), settings_(settings) {
  if (!(settings.step > 0.0))
    throw Error(fmt::format("a contact tracker with step {}: expected more than 0", settings.step));
  if (!(settings.reseat >= 0.0))
    throw Error(fmt::format("a contact tracker with reseat {}: expected 0 or more", settings.reseat));
  if (settings.grid < 2)
    throw Error(fmt::format("a contact tracker with grid {}: expected 2 or more", settings.grid));
}

void ContactTracker::start(const Pose& X_AB) { places_ = search_contact(a_, b_, X_AB, settings_.grid); }

void ContactTracker::seat(const Pose& X_AB) {
  if (!seat_contact(a_, b_, X_AB, places_))
    throw Error("the nearest points of two surfaces were lost: Newton's method does not settle");
}

void ContactTracker::follow(const Motion& motion, double from, double to) {
  const int steps = std::max(1, static_cast<int>(std::ceil(std::abs(to - from) / settings_.step - 1e-9)));
  const double h = (to - from) / steps;
  const auto rate = [&](const ContactPlaces& at, double t) {
    return contact_rates(a_.at(at.a), b_.at(at.b), motion(t));
  };
  const auto moved = [](ContactPlaces at, const ContactRates& by, double h) {
    at.a.u += h * by.u_a;
    at.b.u += h * by.u_b;
    at.distance += h * by.distance;
    return at;
  };
  for (int i = 0; i < steps; ++i) {
    const double t = from + i * h;
    const ContactRates k1 = rate(places_, t), k2 = rate(moved(places_, k1, 0.5 * h), t + 0.5 * h),
                       k3 = rate(moved(places_, k2, 0.5 * h), t + 0.5 * h),
                       k4 = rate(moved(places_, k3, h), t + h);
    places_ = moved(moved(moved(moved(places_, k1, h / 6.0), k2, h / 3.0), k3, h / 3.0), k4, h / 6.0);
    places_.a = a_.better(places_.a);
    places_.b = b_.better(places_.b);
    const Pose X_AB = motion(t + h).X_AB;
    const double off = residual(X_AB);
    drift_ = std::max(drift_, off);
    if (off <= settings_.reseat) continue;
    seat(X_AB);
    ++reseated_;
  }
}

ContactPoint ContactTracker::point(const Pose& X_AB) const {
  const SurfaceJet on_a = a_.at(places_.a), on_b = b_.at(places_.b);
  ContactPoint out;
  out.p_a = on_a.f;
  out.p_b = X_AB * on_b.f;
  out.normal = on_a.g;
  out.distance = on_a.g.dot(out.p_b - out.p_a);
  return out;
}

double ContactTracker::residual(const Pose& X_AB) const {
  return contact_residual(a_.at(places_.a), b_.at(places_.b), X_AB);
}

namespace {

class ParametricPair : public CurvedPair {
 public:
  ParametricPair(std::string name, const LinkFrame& a, const ParametricSurface& surface_a, const LinkFrame& b,
                 const ParametricSurface& surface_b)
      : CurvedPair(std::move(name), a, b), a_(surface_a), b_(surface_b) {}

  ContactPoint nearest(const FrameMotion& a, const FrameMotion& b) const override {
    const ContactPlaces at = search_contact(a_, b_, relative_motion(a, b).X_AB);
    const SurfaceJet on_a = a_.at(at.a), on_b = b_.at(at.b);
    ContactPoint out{.link_a = this->a().link, .link_b = this->b().link};
    out.p_a = a.p + a.R * on_a.f;
    out.p_b = b.p + b.R * on_b.f;
    out.normal = a.R * on_a.g;
    out.distance = out.normal.dot(out.p_b - out.p_a);
    return out;
  }

  ContactMotion motion(const ContactPoint& at, const FrameMotion& a, const FrameMotion& b) const override {
    const auto [on_a, on_b] = jets(a, b);
    const ContactRates rates = contact_rates(on_a, on_b, relative_motion(a, b));
    ContactMotion out;
    out.p_a_dot = a.p_dot + cross<double>(a.omega, at.p_a - a.p) + a.R * (on_a.f_u * rates.u_a);
    out.p_b_dot = b.p_dot + cross<double>(b.omega, at.p_b - b.p) + b.R * (on_b.f_u * rates.u_b);
    out.normal_dot = cross<double>(a.omega, at.normal) + a.R * (on_a.g_u * rates.u_a);
    out.distance_rate = rates.distance;
    return out;
  }

  Curvatures curvatures(const ContactPoint&, const FrameMotion& a, const FrameMotion& b) const override {
    const auto [on_a, on_b] = jets(a, b);
    return {turned(curvature(on_a), a.R), turned(curvature(on_b), b.R)};
  }

 private:
  std::pair<SurfaceJet, SurfaceJet> jets(const FrameMotion& a, const FrameMotion& b) const {
    const ContactPlaces places = search_contact(a_, b_, relative_motion(a, b).X_AB);
    return {a_.at(places.a), b_.at(places.b)};
  }
  static SurfaceCurvature turned(SurfaceCurvature c, const Matrix3<double>& R) {
    c.directions = R * c.directions;
    return c;
  }

  ParametricSurface a_, b_;
};

}  // namespace

ContactPairPtr parametric_pair(std::string name, const LinkFrame& a, const ParametricSurface& surface_a,
                               const LinkFrame& b, const ParametricSurface& surface_b) {
  return std::make_shared<ParametricPair>(std::move(name), a, surface_a, b, surface_b);
}

}  // namespace amble
