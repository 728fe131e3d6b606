#include "amble/walkers/legged/mirror.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "amble/dynamics/link_motion.hpp"
#include "amble/walkers/legged/limbs.hpp"

namespace amble {

namespace {

constexpr double kMostMismatch = 0.06;  // rad, and share of the robot's size
constexpr double kMassWeight = 0.02;    // of a relative difference of masses, beside the mismatch of axes
constexpr double kMostShift = 0.1;  // of the center of mass of all that a link carries, a share of the size

struct Columns {
  std::array<Twist<double>, 6> V_W;
  int count = 0;
};

/// What the joint of a link does to it, world axes, about the world's origin.
Columns columns(const PosedLinks& at, int link) {
  const Link& l = at.mechanism.links()[link];
  Columns out;
  out.count = l.v.size;
  joint_subspace(l, at.q.data(), out.V_W.data());
  for (int k = 0; k < out.count; ++k) out.V_W[k] = at.X_WL[link] * out.V_W[k];
  return out;
}

/// The twist of the image: polar linear part, axial angular part. `plane` need not pass through the origin.
Twist<double> reflected(const Twist<double>& V, const MirrorPlane& plane) {
  // About the foot of the plane, which is its own image: V_p = v + w x p.
  const Vector3<double> p = plane.offset * plane.normal;
  const Vector3<double> v = V.linear() + cross<double>(V.angular(), p);
  const Vector3<double> w = -plane.turn(V.angular());
  return Twist<double>(plane.turn(v) - cross<double>(w, p), w);
}

/// |A - s B| with moments over `size`, about the point `near`.
double mismatch(const Twist<double>& A, const Twist<double>& B, double sign, const Vector3<double>& near,
                double size) {
  const Vector3<double> w = A.angular() - sign * B.angular();
  const Vector3<double> v = A.linear() - sign * B.linear() + cross<double>(w, near);
  const bool turns = B.angular().norm() > 1e-9;
  return w.norm() + v.norm() / (turns ? size : 1.0);
}

struct Match {
  double error = kUnlimited;
  std::array<int, 6> column{};   // of the image, for each of the link
  std::array<double, 6> sign{};  // V_image[column] = sign * reflected(V_link)
};

Match match(const PosedLinks& at, int link, int other, const MirrorPlane& plane, double size) {
  const Link &a = at.mechanism.links()[link], &b = at.mechanism.links()[other];
  Match out;
  if (a.kind != b.kind || a.v.size != b.v.size) return out;
  const Columns A = columns(at, link), B = columns(at, other);
  const Vector3<double> near = at.origin(other);
  out.error = 0.0;
  for (int k = 0; k < A.count; ++k) {
    const Twist<double> image = reflected(A.V_W[k], plane);
    double best = kUnlimited;
    for (int j = 0; j < B.count; ++j)
      for (const double sign : {1.0, -1.0})
        if (const double e = mismatch(image, B.V_W[j], sign, near, size); e < best)
          best = e, out.column[k] = j, out.sign[k] = sign;
    out.error = std::max(out.error, best);
  }
  return out;
}

/// What a link carries, itself included.
struct Load {
  double mass = 0.0;
  Vector3<double> center = Vector3<double>::Zero();
};

Load load_of(const PosedLinks& at, int link) {
  Load out;
  int count = 0;
  Vector3<double> places = Vector3<double>::Zero();
  for (const int i : carried_links(at.mechanism, link)) {
    const double mass = at.mechanism.links()[i].inertia.mass();
    out.mass += mass, out.center += mass * at.center(i), places += at.center(i), ++count;
  }
  out.center = out.mass > 0.0 ? Vector3<double>(out.center / out.mass) : Vector3<double>(places / count);
  return out;
}

std::vector<int> children(const Mechanism& m, int link) {
  std::vector<int> out;
  for (int i = link + 1; i < static_cast<int>(m.links().size()); ++i)
    if (m.links()[i].parent == link) out.push_back(i);
  return out;
}

class Matching {
 public:
  Matching(const PosedLinks& at, const MirrorPlane& plane, double size)
      : at_(at), plane_(plane), size_(size) {
    out_.image.assign(at.mechanism.links().size(), -1);
  }
  LinkImages run(int base_link) {
    out_.image[base_link] = base_link;
    below(base_link, base_link);
    for (const int i : carried_links(at_.mechanism, base_link)) out_.unmatched += out_.image[i] < 0;
    return out_;
  }

 private:
  struct Candidate {
    double cost, error;
    int a, b;
  };
  /// Pairs children of a link with those of its image, the best first.
  void below(int link, int image) {
    const Mechanism& m = at_.mechanism;
    std::vector<Candidate> all;
    for (const int a : children(m, link))
      for (const int b : children(m, image)) {
        if (link == image && b < a) continue;
        // A joint across the plane is its own image by its axis: what it carries tells it from that of the
        // other side.
        const Load A = load_of(at_, a), B = load_of(at_, b);
        const double shift = (plane_.reflect(A.center) - B.center).norm() / size_;
        const double error = match(at_, a, b, plane_, size_).error;
        if (error > kMostMismatch || shift > kMostShift) continue;
        all.push_back({error + shift + kMassWeight * std::abs(A.mass - B.mass) / (A.mass + B.mass + 1e-9),
                       error, a, b});
      }
    std::stable_sort(all.begin(), all.end(),
                     [](const Candidate& x, const Candidate& y) { return x.cost < y.cost; });
    for (const Candidate& c : all) {
      if (out_.image[c.a] >= 0 || out_.image[c.b] >= 0) continue;
      out_.image[c.a] = c.b, out_.image[c.b] = c.a;
      out_.error = std::max(out_.error, c.error);
      below(c.a, c.b);
    }
  }

  const PosedLinks& at_;
  MirrorPlane plane_;
  double size_;
  LinkImages out_;
};

}  // namespace

LinkImages link_images(const PosedLinks& at, int base_link, const MirrorPlane& plane, double size) {
  return Matching(at, plane, size).run(base_link);
}

MirrorMap mirror_map(const PosedLinks& at, int base_link, const MirrorPlane& plane,
                     const LinkImages& images) {
  const Mechanism& m = at.mechanism;
  MirrorMap out;
  for (int i = 0; i < static_cast<int>(m.joints().size()); ++i) out.joint.push_back(i);
  for (int k = 0; k < m.nv(); ++k) out.v.push_back(k), out.sign.push_back(1.0);
  for (int i = 0; i < static_cast<int>(m.links().size()); ++i) {
    const int image = images.image[i];
    if (image < 0 || i == base_link) continue;
    const Link &a = m.links()[i], &b = m.links()[image];
    out.joint[a.joint] = b.joint;
    if (m.joints()[a.joint].leader >= 0) continue;  // its leader has the coordinate
    const Match found = match(at, i, image, plane, kUnlimited);
    for (int k = 0; k < a.v.size; ++k)
      out.v[a.v.start + k] = b.v.start + found.column[k], out.sign[a.v.start + k] = found.sign[k];
  }
  // Of the base in axes forward, left, up: y and rotations about x and z change sign.
  const Slice base = m.links()[base_link].v;
  for (const int k : {1, 3, 5}) out.sign[base.start + k] = -1.0;
  return out;
}

}  // namespace amble
