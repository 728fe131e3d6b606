#include "amble/walkers/legged/standing_guess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "amble/mechanism/joints/list.hpp"
#include "amble/walkers/legged/foot_support.hpp"

namespace amble {

namespace {

constexpr double kFootShare = 0.1;   // of the height from the lowest end to the center of mass
constexpr double kLeastBase = 0.25;  // of the base over it: arms hang from a base that is as low as they are
constexpr double kMostBeside = 0.4;  // of the center of mass beside what the ends span, share of its height
constexpr double kTwinShare = 0.4;   // and of limbs that are built as one that is so low
constexpr double kLeastHeight = 0.15;  // of the center of mass over the lowest end, share of the legs' length
constexpr double kAlignedSine = 0.035;     // 2 degrees
constexpr double kAlike = 0.15;            // share by which limbs of one build differ in length and mass
constexpr double kLeastTurned = 0.1;       // score: less is no sign of legs
constexpr double kLeastAligned = 0.2;      // of the axes of legs
constexpr double kSameDirection = 0.9986;  // cosine of 3 degrees
constexpr double kTurned = 0.4;            // of the score of a direction that is not gravity's
constexpr double kImageShift = 0.02;       // of ends and their images, share of the robot's size; and
constexpr double kImageSlack = 0.02;       // m
constexpr double kUnmirrored = 0.3;        // of the score, where legs have no images

double chain_length(const PosedLinks& at, int from, const std::vector<int>& links) {
  double out = 0.0;
  Vector3<double> last = at.origin(from);
  for (const int i : links) out += (at.origin(i) - last).norm(), last = at.origin(i);
  return out + (at.center(links.back()) - last).norm();
}

bool one_axis(const PosedLinks& at, int link) {
  return at.mechanism.links()[link].kind == kJointKind<Revolute>;
}

/// Ends that share all but one of their joints are toes of one foot; joints that all legs share are no leg's
/// own.
std::vector<LegChain> chains_to(std::vector<std::vector<int>> paths) {
  const auto common = [](const std::vector<int>& a, const std::vector<int>& b) {
    std::size_t n = 0;
    while (n < a.size() && n < b.size() && a[n] == b[n]) ++n;
    return n;
  };
  for (std::size_t i = 0; i < paths.size(); ++i)  // toes
    for (std::size_t j = i + 1; j < paths.size();) {
      const std::size_t n = common(paths[i], paths[j]);
      if (n >= 2 && std::min(paths[i].size(), paths[j].size()) - n <= 1) {
        paths[i].resize(n);
        paths.erase(paths.begin() + static_cast<std::ptrdiff_t>(j));
      } else {
        ++j;
      }
    }
  std::size_t shared = paths.empty() ? 0 : paths[0].size() - 1;
  for (const std::vector<int>& path : paths) shared = std::min(shared, common(paths[0], path));
  if (paths.size() < 2) shared = 0;
  std::vector<LegChain> out;
  for (const std::vector<int>& path : paths)
    out.push_back(
        {{path.begin() + static_cast<std::ptrdiff_t>(std::min(shared, path.size() - 1)), path.end()}});
  return out;
}

std::vector<std::vector<int>> paths_to(const Mechanism& m, int base_link, const std::vector<int>& ends) {
  std::vector<std::vector<int>> out;
  for (const int end : ends) {
    std::vector<int> path;
    for (int i = end; i != base_link && i > 0; i = m.links()[i].parent) path.push_back(i);
    std::reverse(path.begin(), path.end());
    if (!path.empty()) out.push_back(std::move(path));
  }
  return out;
}

double chain_mass(const Mechanism& m, const std::vector<int>& links) {
  double out = 0.0;
  for (const int i : links) out += m.links()[i].inertia.mass();
  return out;
}

/// Two chains of one build: as many joints, like lengths and masses.
bool alike(const PosedLinks& at, const std::vector<int>& a, const std::vector<int>& b) {
  const auto near = [](double x, double y) { return std::abs(x - y) < kAlike * std::max(x, y); };
  return a.size() == b.size() && near(chain_length(at, a[0], a), chain_length(at, b[0], b)) &&
         near(chain_mass(at.mechanism, a), chain_mass(at.mechanism, b));
}

std::vector<int> low_ends(const PosedLinks& at, int base_link, const Vector3<double>& up, double& low) {
  const std::vector<Limb> all = limbs(at.mechanism, base_link);
  low = kUnlimited;
  for (const Limb& limb : all) low = std::min(low, up.dot(end_point(at, limb.end(), up)));
  const double height = up.dot(at.com) - low;
  const auto share = [&](const Limb& limb) { return (up.dot(end_point(at, limb.end(), up)) - low) / height; };
  std::vector<int> out;
  for (const Limb& limb : all) {
    bool leg = share(limb) <= kFootShare;
    for (const Limb& other : all)  // front legs that are drawn bent more than hind legs
      leg = leg ||
            (share(limb) <= kTwinShare && share(other) <= kFootShare && alike(at, limb.links, other.links));
    if (leg) out.push_back(limb.end());
  }
  return out;
}

double aligned_share(const PosedLinks& at, const std::vector<LegChain>& legs, const Vector3<double>& up) {
  int aligned = 0, all = 0;
  for (const LegChain& leg : legs)
    for (const int i : leg.links)
      if (one_axis(at, i)) {
        const double along = std::abs(at.axis(i).dot(up));
        ++all, aligned += along < kAlignedSine || along > std::sqrt(1.0 - kAlignedSine * kAlignedSine);
      }
  return all > 0 ? static_cast<double>(aligned) / all : 0.0;
}

/// Where the ends are that a mirror plane must map onto each other.
std::vector<Vector3<double>> leg_ends(const PosedLinks& at, const std::vector<LegChain>& legs) {
  std::vector<Vector3<double>> out;
  for (const LegChain& leg : legs) out.push_back(at.center(leg.foot()));
  return out;
}

bool maps_onto(const std::vector<Vector3<double>>& ends, const MirrorPlane& plane, double slack) {
  for (const Vector3<double>& p : ends) {
    double nearest = kUnlimited;
    for (const Vector3<double>& other : ends) nearest = std::min(nearest, (plane.reflect(p) - other).norm());
    if (nearest > slack) return false;
  }
  return true;
}

/// How far the axes that bend the legs are along the plane's normal: of two mirror planes of a quadruped,
/// that of left and right has them across the robot.
double bending_across(const PosedLinks& at, const std::vector<LegChain>& legs,
                      const Vector3<double>& normal) {
  double sum = 0.0;
  int count = 0;
  for (const LegChain& leg : legs)
    if (leg.links.size() > 1 && one_axis(at, leg.links.back())) {
      double across = 0.0;
      for (std::size_t k = 1; k < leg.links.size(); ++k)
        if (one_axis(at, leg.links[k]))
          across += std::abs(at.axis(leg.links[k]).dot(normal)) / (leg.links.size() - 1.0);
      sum += across, ++count;
    }
  return count > 0 ? sum / count : 0.0;
}

void find_plane(const PosedLinks& at, int base_link, double size, StandingGuess& guess) {
  const std::vector<Vector3<double>> ends = leg_ends(at, guess.legs);
  double best = -1.0;
  for (std::size_t i = 0; i < ends.size(); ++i)
    for (std::size_t j = i + 1; j < ends.size(); ++j) {
      Vector3<double> d = ends[j] - ends[i];
      d -= guess.up.dot(d) * guess.up;
      if (!(d.norm() > 0.02 * size)) continue;
      MirrorPlane plane{d.normalized()};
      plane.offset = 0.5 * plane.normal.dot(ends[i] + ends[j]);
      if (!maps_onto(ends, plane, kImageSlack + kImageShift * size)) continue;
      const LinkImages images = link_images(at, base_link, plane, size);
      bool all = true;
      for (const LegChain& leg : guess.legs)
        for (const int link : leg.links) all = all && images.image[link] >= 0;
      if (!all) continue;
      const double fit =
          bending_across(at, guess.legs, plane.normal) - images.error - 0.01 * images.unmatched;
      if (fit > best) best = fit, guess.plane = plane, guess.images = images, guess.mirrored = true;
    }
}

/// A plane through the center of mass across the line between the ends that are farthest apart along it.
void assume_plane(const PosedLinks& at, StandingGuess& guess) {
  const std::vector<Vector3<double>> ends = leg_ends(at, guess.legs);
  Vector3<double> axis = Vector3<double>::Zero();
  for (const LegChain& leg : guess.legs)
    for (std::size_t k = 1; k < leg.links.size(); ++k)
      if (one_axis(at, leg.links[k])) {
        const Vector3<double> a = at.axis(leg.links[k]);
        axis += axis.dot(a) < 0.0 ? Vector3<double>(-a) : a;
      }
  axis -= guess.up.dot(axis) * guess.up;
  if (!(axis.norm() > 1e-6) && ends.size() > 1) axis = ends[1] - ends[0];
  axis -= guess.up.dot(axis) * guess.up;
  if (!(axis.norm() > 1e-6)) axis = rotation_from_z(guess.up) * Vector3<double>::UnitY();
  guess.plane.normal = axis.normalized();
  guess.plane.offset = guess.plane.normal.dot(at.com);
  guess.images.image.assign(at.mechanism.links().size(), -1);
}

/// Limbs that are built as a leg and are none: a robot on its hind legs has them in the air.
int idle_twins(const PosedLinks& at, int base_link, const std::vector<LegChain>& legs) {
  int out = 0;
  for (const Limb& limb : limbs(at.mechanism, base_link)) {
    bool leg = false, twin = false;
    for (const LegChain& other : legs) {
      leg = leg || std::find(limb.links.begin(), limb.links.end(), other.foot()) != limb.links.end();
      twin = twin || alike(at, limb.links, other.links);
    }
    out += twin && !leg;
  }
  return out;
}

double distance_to_segment(const Vector3<double>& p, const Vector3<double>& a, const Vector3<double>& b) {
  const Vector3<double> d = b - a;
  const double t = d.squaredNorm() > 0.0 ? std::clamp(d.dot(p - a) / d.squaredNorm(), 0.0, 1.0) : 0.0;
  return (p - a - t * d).norm();
}

/// How far the center of mass is from being over what the ends span (m, horizontally).
double beside_support(const PosedLinks& at, const StandingGuess& guess) {
  const auto flat = [&](const Vector3<double>& p) { return Vector3<double>(p - guess.up.dot(p) * guess.up); };
  std::vector<Vector3<double>> ends;
  for (const LegChain& leg : guess.legs) ends.push_back(flat(end_point(at, leg.foot(), guess.up)));
  const std::vector<Vector3<double>> hull = support_hull(ends, guess.up);
  const Vector3<double> com = flat(at.com);
  double nearest = kUnlimited;
  bool inside = hull.size() > 2;
  for (std::size_t i = 0; i < hull.size(); ++i) {
    const Vector3<double>&a = hull[i], &b = hull[(i + 1) % hull.size()];
    nearest = std::min(nearest, distance_to_segment(com, a, b));
    inside = inside && cross<double>(b - a, com - a).dot(guess.up) >= 0.0;
  }
  return inside ? 0.0 : nearest;
}

/// Directions along axes of the limbs and across two that follow each other, each with its opposite.
std::vector<Vector3<double>> axis_directions(const PosedLinks& at, int base_link) {
  std::vector<Vector3<double>> out;
  const auto add = [&](const Vector3<double>& d) {
    if (!(d.norm() > 0.3)) return;
    const Vector3<double> n = d.normalized();
    for (const Vector3<double>& known : out)
      if (std::abs(known.dot(n)) > kSameDirection) return;
    out.push_back(n), out.push_back(-n);
  };
  for (const Limb& limb : limbs(at.mechanism, base_link)) {
    for (std::size_t k = 0; k < limb.links.size(); ++k) {
      if (!one_axis(at, limb.links[k])) continue;
      add(at.axis(limb.links[k]));
      if (k > 0 && one_axis(at, limb.links[k - 1]))
        add(cross<double>(at.axis(limb.links[k - 1]), at.axis(limb.links[k])));
    }
  }
  return out;
}

}  // namespace

Vector3<double> end_point(const PosedLinks& at, int link, const Vector3<double>& up) {
  Vector3<double> out = at.center(link);
  const auto lower = [&](const Vector3<double>& p) {
    if (up.dot(p) < up.dot(out)) out = p;
  };
  lower(at.origin(link));
  for (const Body& b : at.mechanism.bodies())
    if (b.link == link) lower(at.X_WL[link] * b.X_LB.translation());
  for (const Frame& f : at.mechanism.frames())
    if (f.link == link) lower(at.X_WL[link] * f.X_LF.translation());
  return out;
}

StandingGuess guess_standing(const PosedLinks& at, int base_link, const Vector3<double>& up,
                             const std::vector<int>& foot_links) {
  StandingGuess out;
  out.up = up;
  double low = kUnlimited;
  std::vector<int> ends = foot_links;
  if (ends.empty())
    ends = low_ends(at, base_link, up, low);
  else
    for (const int link : ends) low = std::min(low, up.dot(end_point(at, link, up)));
  if (ends.size() < 2) {
    out.reason = ends.empty() ? "nothing moves on the base"
                              : fmt::format("only one chain of joints reaches down, to body '{}'",
                                            main_body(at.mechanism, ends[0]).name);
    return out;
  }
  out.legs = chains_to(paths_to(at.mechanism, base_link, ends));
  double length = 0.0;
  std::size_t fewest = 100;
  for (const LegChain& leg : out.legs) {
    length = std::max(length, chain_length(at, at.mechanism.links()[leg.links[0]].parent, leg.links));
    fewest = std::min(fewest, leg.links.size());
  }
  if (out.legs.size() < 2 || fewest < 2) {
    out.reason = "the lowest chains have fewer than two joints of their own, or are one";
    return out;
  }
  std::vector<char> taken(at.mechanism.links().size(), 0);
  for (const LegChain& leg : out.legs)
    for (const int link : leg.links)
      if (std::exchange(taken[link], 1)) {
        out.reason = fmt::format("chains that reach down share joints, as that of body '{}'",
                                 main_body(at.mechanism, link).name);
        return out;
      }
  const double height = (up.dot(at.com) - low) / length;
  if (height < kLeastHeight) {
    out.reason = "the center of mass is not above the ends of the chains";
    return out;
  }
  const double beside = beside_support(at, out) / (height * length);
  if (beside > kMostBeside) {
    out.reason = "the center of mass is beside the ends of the chains";
    return out;
  }
  if (up.dot(at.center(base_link)) - low < kLeastBase * length) {
    out.reason = fmt::format("the base '{}' is as low as the ends of the chains",
                             main_body(at.mechanism, base_link).name);
    return out;
  }
  find_plane(at, base_link, length, out);
  if (!out.mirrored) assume_plane(at, out);
  const double count = static_cast<double>(out.legs.size());
  const double aligned = std::max(kLeastAligned, aligned_share(at, out.legs, up));
  const int twins = idle_twins(at, base_link, out.legs);
  out.score = count / (count + twins) * std::min(1.0, height) * aligned * aligned * count / (count + 1.0) /
              (1.0 + beside * beside) * (out.mirrored ? 1.0 : kUnmirrored);
  return out;
}

StandingGuess find_standing(const PosedLinks& at, int base_link, const std::vector<int>& foot_links,
                            const std::optional<Vector3<double>>& up) {
  if (up) return guess_standing(at, base_link, *up, foot_links);
  const Vector3<double>& g = at.mechanism.gravity();
  const Vector3<double> against =
      g.norm() > 0.0 ? Vector3<double>(-g.normalized()) : Vector3<double>::UnitZ();
  StandingGuess best = guess_standing(at, base_link, against, foot_links);
  for (const Vector3<double>& d : axis_directions(at, base_link)) {
    StandingGuess other = guess_standing(at, base_link, d, foot_links);
    other.score *= kTurned;
    if (other.mirrored && other.score > std::max(best.score, kLeastTurned)) best = std::move(other);
  }
  return best;
}

}  // namespace amble
