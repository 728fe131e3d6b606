#include "amble/mechanism/magnitudes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/base/limits.hpp"

namespace amble {

namespace {

class Magnitudes {
 public:
  explicit Magnitudes(const ModelDescription& d) : d_(d) {}

  Problems run() {
    element_ = "gravity", line_ = 0;
    bound("gravity", d_.gravity, Limit::acceleration);
    for (const BodyDescription& b : d_.bodies) check(b);
    for (const JointDescription& j : d_.joints) check(j);
    for (const LoopDescription& l : d_.loops) check(l);
    for (const SpringDescription& s : d_.springs) check(s);
    for (const RollingDescription& r : d_.rollings) check(r);
    for (const FrameDescription& f : d_.frames) check(f);
    for (const ContactPairDescription& p : d_.contact.pairs) check(p);
    for (const TendonDescription& t : d_.tendons) check(t);
    for (const CouplingDescription& c : d_.couplings) check(c);
    for (const DriveDescription& d : d_.drives) check(d);
    start("scenery", "", 0);
    shapes(d_.world_visuals), shapes(d_.world_collisions);
    counts();
    return std::move(problems_);
  }

 private:
  void error(const std::string& reason) {
    problems_.push_back({Severity::error, d_.file, line_, element_, reason});
  }

  void start(const char* kind, const std::string& name, int line) {
    constexpr std::size_t kShown = 40;
    const bool cut = name.size() > limit(Limit::name_bytes);
    element_ = kind, line_ = line;
    if (!name.empty())
      element_ += fmt::format(" '{}{}'", cut ? name.substr(0, kShown) : name, cut ? "..." : "");
    within(Limit::name_bytes, static_cast<double>(name.size()), "the length of its name");
  }

  void within(Limit which, double value, const char* what) {
    if (const std::string breach = limit_breach(which, value, what); !breach.empty()) error(breach);
  }
  /// Numbers that are not finite have messages of their own.
  void bound(const char* what, double value, Limit which) {
    if (std::isfinite(value)) within(which, value, what);
  }
  void bound(const char* what, const std::vector<double>& values, Limit which) {
    for (const double value : values) bound(what, value, which);
  }
  template <int R, int C>
  void bound(const char* what, const Matrix<double, R, C>& values, Limit which) {
    if (values.allFinite()) within(which, values.cwiseAbs().maxCoeff(), what);
  }
  void place(const Pose& X) { bound("a coordinate of its place", X.translation(), Limit::length); }

  void check(const BodyDescription& b) {
    start("body", b.name, b.line);
    const Vector3<double>& h = b.inertia.first_moment();
    bound("mass", b.inertia.mass(), Limit::mass);
    // Of a mass that is next to nothing, even a small moment puts the center of mass out of reach.
    if (h.allFinite() && b.inertia.mass() > 0.0)
      within(Limit::length, h.cwiseAbs().maxCoeff() / b.inertia.mass(), "a coordinate of its center of mass");
    bound("a first moment of mass", h, Limit::inertia);
    bound("a moment of inertia about its origin", b.inertia.about_origin(), Limit::inertia);
    shapes(b.visuals), shapes(b.collisions);
  }

  void shapes(const std::vector<PlacedShape>& all) {
    shapes_ += all.size();
    for (const PlacedShape& s : all) {
      if (!s.shape.size.allFinite() || !s.X_BS.matrix().allFinite())
        error(fmt::format("size or place of {} '{}' is not finite", shape_name(s.shape.kind), s.name));
      if (s.color && !std::ranges::all_of(*s.color, [](double x) { return std::isfinite(x); }))
        error(fmt::format("color of {} '{}' is not finite", shape_name(s.shape.kind), s.name));
      const bool mesh = s.shape.kind == Shape::Kind::mesh;
      bound(mesh ? "scale of a mesh" : "size of a shape", s.shape.size, mesh ? Limit::ratio : Limit::length);
      bound("a coordinate of the place of a shape", s.X_BS.translation(), Limit::length);
      if (s.surface) bound("margin of a shape", s.surface->margin, Limit::length);
    }
  }

  void check(const JointDescription& j) {
    start("joint", j.name, j.line);
    place(j.X_PF), place(j.X_CM);
    bound("pitch", j.pitch, Limit::length);
    if (j.mimic)
      bound("ratio", j.mimic->ratio, Limit::ratio), bound("offset", j.mimic->offset, Limit::length);
    const JointProperties& p = j.properties;
    bound("damping", p.damping, Limit::damping);
    bound("friction", p.friction, Limit::force);
    bound("armature", p.armature, Limit::inertia);
    bound("stiffness", p.stiffness, Limit::stiffness);
    bound("spring reference", p.reference, Limit::length);
    range(p);
  }

  /// As bounds these may be of any size; as places where the joint can be they may not.
  void range(const JointProperties& p) {
    for (const double x : p.lower) bound("lower limit", std::max(x, 0.0), Limit::length);
    for (const double x : p.upper) bound("upper limit", std::min(x, 0.0), Limit::length);
  }

  void check(const LoopDescription& l) {
    start("loop", l.name, l.line);
    place(l.X_AF), place(l.X_BM);
    bound("pitch", l.pitch, Limit::length);
  }
  void check(const SpringDescription& s) {
    start("spring", s.name, s.line);
    bound("a coordinate of point_a", s.point_a, Limit::length);
    bound("a coordinate of point_b", s.point_b, Limit::length);
    bound("stiffness", s.stiffness, Limit::stiffness);
    bound("length", s.length, Limit::length), bound("damping", s.damping, Limit::damping);
  }
  void check(const RollingDescription& r) {
    start("rolling", r.name, r.line);
    bound("radius", r.radius, Limit::length), bound("a coordinate of center", r.center, Limit::length);
  }
  void check(const FrameDescription& f) {
    start("frame", f.name, f.line);
    place(f.X_BF);
  }

  void check(const ContactPairDescription& p) {
    start("contact pair", p.name, p.line);
    bound("margin", p.margin, Limit::length);
  }
  void check(const TendonDescription& t) {
    start("tendon", t.name, t.line);
    for (const TendonJoint& j : t.joints) bound("coefficient", j.coefficient, Limit::ratio);
    terms_ += t.joints.size() + t.path.size();
    for (const TendonPoint& p : t.path) {
      place(p.X_BP), bound("a coordinate of its side point", p.side, Limit::length);
      bound("radius", p.radius, Limit::length), bound("divisor", p.divisor, Limit::ratio);
    }
    bound("stiffness", t.stiffness[0], Limit::stiffness), bound("damping", t.damping[0], Limit::damping);
    for (const double x : t.rest) bound("rest length", x, Limit::length);
    bound("offset", t.offset, Limit::length), bound("friction", t.friction, Limit::force);
    bound("armature", t.armature, Limit::inertia);
  }
  void check(const CouplingDescription& c) {
    start("coupling", c.name, c.line);
    bound("y0", c.y0, Limit::length), bound("x0", c.x0, Limit::length);
    for (const double x : c.coefficients) bound("coefficient", x, Limit::ratio);
  }
  void check(const DriveDescription& d) {
    start("drive", d.name, d.line);
    for (const double x : d.gear) bound("gear", x, Limit::ratio);
    bound("rod", d.rod, Limit::length);
  }

  void counts() {
    const std::pair<const char*, std::size_t> all[] = {
        {"bodies", d_.bodies.size()},       {"joints", d_.joints.size()},
        {"loops", d_.loops.size()},         {"springs", d_.springs.size()},
        {"rollings", d_.rollings.size()},   {"frames", d_.frames.size()},
        {"tendons", d_.tendons.size()},     {"points and joints of tendons", terms_},
        {"couplings", d_.couplings.size()}, {"drives", d_.drives.size()},
        {"keyframes", d_.keyframes.size()}, {"contact pairs", d_.contact.pairs.size()},
        {"contact exclusions", d_.contact.exclusions.size()}, {"shapes", shapes_}};
    element_ = "model", line_ = 0;
    for (const auto& [what, count] : all)
      within(Limit::bodies, static_cast<double>(count), fmt::format("the number of {}", what).c_str());
  }

  const ModelDescription& d_;
  std::string element_;
  int line_ = 0;
  std::size_t shapes_ = 0, terms_ = 0;
  Problems problems_;
};

}  // namespace

Problems find_magnitudes(const ModelDescription& description) { return Magnitudes(description).run(); }

}  // namespace amble
