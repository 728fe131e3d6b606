#include "amble/io/mjcf/geoms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/io/mjcf/orientation.hpp"

namespace amble {

namespace {

using Type = CompiledGeom::Type;

constexpr std::string_view kTypes[] = {"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                       "cylinder", "box",    "mesh",   "sdf"};
constexpr MjcfColor kGrey{0.5, 0.5, 0.5, 1.0};

Type type_of(const MjcfValues& e) {
  const auto found = std::find(std::begin(kTypes), std::end(kTypes), e.text("type", "sphere"));
  return static_cast<Type>(found - std::begin(kTypes));
}

int size_count(Type type) {
  switch (type) {
    case Type::sphere:
      return 1;
    case Type::capsule:
    case Type::cylinder:
      return 2;
    case Type::ellipsoid:
    case Type::box:
      return 3;
    default:
      return 0;
  }
}

/// The ends of a shape give its length and place; its z axis points from the second to the first.
void read_ends(const MjcfValues& e, CompiledGeom& geom) {
  const bool allowed = geom.type == Type::capsule || geom.type == Type::cylinder ||
                       geom.type == Type::ellipsoid || geom.type == Type::box;
  if (!allowed) refuse(e.element(), "fromto is for capsules, cylinders, ellipsoids and boxes only");
  if (!e.vector("pos").isZero(0.0)) refuse(e.element(), "has both pos and fromto; expected one");
  const auto x = e.numbers<6>("fromto");
  const Vector3<double> from(x[0], x[1], x[2]), to(x[3], x[4], x[5]);
  const double half = 0.5 * (from - to).norm();
  if (!(half > 1e-14)) refuse(e.element(), "the two points of fromto are the same");
  const bool round = geom.type == Type::capsule || geom.type == Type::cylinder;
  if (!round) geom.size[1] = geom.size[0], geom.size[2] = half;
  if (round) geom.size[1] = half;
  geom.X_BX = Pose(mjcf_smallest_turn(from - to), 0.5 * (from + to));
}

void check_size(const MjcfElement& e, const CompiledGeom& geom) {
  for (int i = 0; i < size_count(geom.type); ++i)
    if (!(geom.size[i] > 0.0))
      refuse(e, fmt::format("size[{}] of the {} is {}; expected more than 0", i,
                            kTypes[static_cast<std::size_t>(geom.type)], geom.size[i]));
}

/// The geom's own color unless it is MuJoCo's default grey, else the material's, as MuJoCo draws it.
std::optional<MjcfColor> color_of(const MjcfValues& e, const CompiledGeom& geom, const MjcfAssets& assets) {
  const MjcfColor own = e.numbers<4>("rgba", kGrey);
  if (own != kGrey) return own;
  const std::string material = e.text("material", geom.mesh != nullptr ? geom.mesh->material() : "");
  return material.empty() ? std::nullopt : assets.color(material);
}

/// Of two surfaces MuJoCo takes the larger condim: without friction are those that both have 1.
ContactSurface surface_of(const MjcfValues& e, int condim) {
  return {.friction = e.numbers<3>("friction", {1.0, 0.005, 0.0001})[0],
          .combine = ContactSurface::Combine::larger,
          .priority = static_cast<int>(e.number("priority", 0.0)),
          .frictionless = condim == 1,
          .type = static_cast<int>(e.number("contype", 1.0)),
          .affinity = static_cast<int>(e.number("conaffinity", 1.0)),
          .margin = e.number("margin", 0.0)};
}

double density_of(const MjcfValues& e) { return e.number("density", 1000.0); }

double square(double x) { return x * x; }

/// Of density 1. `h` of capsules and cylinders is the whole length, without caps.
GeomMass solid(Type type, const Vector3<double>& s) {
  constexpr double kPi = 3.14159265358979323846;
  const double r = s[0], h = 2.0 * s[1];
  GeomMass out;
  if (type == Type::sphere || type == Type::ellipsoid) {
    const Vector3<double> a = type == Type::sphere ? Vector3<double>(r, r, r) : s;
    out.mass = 4.0 / 3.0 * kPi * a.prod();
    for (int i = 0; i < 3; ++i)
      out.moments[i] = out.mass / 5.0 * (square(a[(i + 1) % 3]) + square(a[(i + 2) % 3]));
  } else if (type == Type::box || type == Type::hfield) {
    out.mass = 8.0 * s.prod();
    for (int i = 0; i < 3; ++i)
      out.moments[i] = out.mass / 3.0 * (square(s[(i + 1) % 3]) + square(s[(i + 2) % 3]));
  } else if (type == Type::cylinder || type == Type::capsule) {
    const double middle = kPi * r * r * h, caps = type == Type::capsule ? 4.0 / 3.0 * kPi * r * r * r : 0.0;
    out.mass = middle + caps;
    const double across =
        middle * (3.0 * r * r + h * h) / 12.0 + 0.4 * caps * r * r + caps * h * (3.0 * r + 2.0 * h) / 8.0;
    out.moments = {across, across, middle * r * r / 2.0 + 0.4 * caps * r * r};
  }
  return out;
}

/// An ellipsoid's surface by Thomsen's formula; its moments from the difference of two solids.
GeomMass ellipsoid_shell(const Vector3<double>& a) {
  constexpr double kPower = 1.6075, kThin = 1e-6, kPi = 3.14159265358979323846;
  const auto product = [&](int i, int j) { return std::pow(a[i] * a[j], kPower); };
  GeomMass out;
  out.mass = 4.0 * kPi * std::pow((product(0, 1) + product(0, 2) + product(1, 2)) / 3.0, 1.0 / kPower);
  const GeomMass inner = solid(Type::ellipsoid, a),
                 outer = solid(Type::ellipsoid, a + Vector3<double>::Constant(kThin));
  out.moments = (outer.moments - inner.moments) * (out.mass / (outer.mass - inner.mass));
  return out;
}

GeomMass box_shell(const Vector3<double>& s) {
  GeomMass out;
  for (int k = 0; k < 3; ++k) {  // the two faces across axis k
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const double m = 8.0 * s[i] * s[j];
    out.mass += m;
    out.moments[k] += m * (square(s[i]) + square(s[j])) / 3.0;
    out.moments[i] += m * (square(s[j]) / 3.0 + square(s[k]));
    out.moments[j] += m * (square(s[i]) / 3.0 + square(s[k]));
  }
  return out;
}

/// Side, and two discs or two half spheres.
GeomMass round_shell(Type type, const Vector3<double>& s) {
  constexpr double kPi = 3.14159265358979323846;
  const double r = s[0], h = 2.0 * s[1], side = 2.0 * kPi * r * h;
  const bool caps = type == Type::capsule;
  const double ends = caps ? 4.0 * kPi * r * r : 2.0 * kPi * r * r;
  GeomMass out;
  out.mass = side + ends;
  const double across_side = side * (6.0 * r * r + h * h) / 12.0;
  const double across_ends =
      caps ? ends * (2.0 / 3.0 * r * r + h * h / 4.0 + h * r / 2.0) : ends * (r * r / 4.0 + h * h / 4.0);
  const double along_ends = caps ? ends * 2.0 / 3.0 * r * r : ends * r * r / 2.0;
  out.moments = {across_side + across_ends, across_side + across_ends, side * r * r + along_ends};
  return out;
}

GeomMass shell(Type type, const Vector3<double>& s) {
  switch (type) {
    case Type::sphere: {
      constexpr double kPi = 3.14159265358979323846;
      const double mass = 4.0 * kPi * s[0] * s[0];
      return {mass, Vector3<double>::Constant(2.0 / 3.0 * mass * s[0] * s[0])};
    }
    case Type::ellipsoid:
      return ellipsoid_shell(s);
    case Type::box:
      return box_shell(s);
    case Type::capsule:
    case Type::cylinder:
      return round_shell(type, s);
    default:
      return {};
  }
}

GeomMass of_density_one(const MjcfValues& e, const CompiledGeom& geom) {
  const bool is_shell = e.flag("shellinertia", false);
  if (geom.type == Type::mesh) {
    if (is_shell) refuse(e.element(), "shellinertia is for shapes; a mesh has inertia=\"shell\"");
    const MjcfMeshMass& m = geom.mesh->mass();
    return {m.mass, m.moments};
  }
  return is_shell ? shell(geom.type, geom.size) : solid(geom.type, geom.size);
}

}  // namespace

CompiledGeom read_geom(const MjcfValues& e, const MjcfSource& source, const Pose& X_BF) {
  CompiledGeom out;
  out.element = &e.element();
  out.name = e.element().get("name");
  out.type = type_of(e);
  const auto size = e.numbers<3>("size");
  out.size = {size[0], size[1], size[2]};
  if (e.has("mesh")) out.mesh = &source.assets->mesh(e.element(), e.text("mesh"));
  if (out.type == Type::sdf && out.mesh != nullptr) out.type = Type::mesh;  // the mesh gives its mass too
  if (out.type == Type::mesh && out.mesh == nullptr) refuse(e.element(), "is of type mesh but names no mesh");
  if (e.has("fromto"))
    read_ends(e, out);
  else
    out.X_BX = mjcf_place(e, source.settings);
  out.X_BX = X_BF * out.X_BX;
  out.X_BG = out.X_BX;
  if (out.mesh == nullptr) check_size(e.element(), out);
  out.color = color_of(e, out, *source.assets);
  out.group = e.number("group", 0.0);
  out.condim = static_cast<int>(e.number("condim", 3.0));
  out.surface = surface_of(e, out.condim);
  return out;
}

GeomMass weigh_geom(const MjcfValues& e, CompiledGeom& geom) {
  if (geom.type == Type::plane || geom.type == Type::sdf) return {};
  const bool by_mass = e.has("mass");
  const double given = by_mass ? e.number("mass", 0.0) : density_of(e);
  if (given < 0.0) refuse(e.element(), fmt::format("{} {} is negative", by_mass ? "mass" : "density", given));
  if (given == 0.0) return {};
  const GeomMass unit = of_density_one(e, geom);
  if (geom.type == Type::mesh) geom.X_BG = geom.X_BX * geom.mesh->mass().X_MI;
  if (!(unit.mass > 0.0)) return {};
  const double factor = by_mass ? given / unit.mass : given;
  return {by_mass ? given : given * unit.mass, factor * unit.moments};
}

void fit_geom(const MjcfValues& e, const MjcfSource& source, CompiledGeom& geom) {
  if (geom.mesh == nullptr || geom.type == Type::mesh || geom.type == Type::sdf || geom.type == Type::hfield)
    return;
  const MjcfMeshMass& m = geom.mesh->mass();
  const Vector3<double> lower = m.lower, upper = m.upper, J = m.moments;
  Vector3<double> b, middle = Vector3<double>::Zero();
  if (source.settings.fit_aabb) {
    b = 0.5 * (upper - lower), middle = 0.5 * (upper + lower);
  } else {
    for (int i = 0; i < 3; ++i)  // half edges of the box with the same inertia
      b[i] = 0.5 * std::sqrt(std::max(0.0, 6.0 * (J[(i + 1) % 3] + J[(i + 2) % 3] - J[i]) / m.mass));
  }
  const bool around = source.settings.fit_aabb;  // the box, instead of having its inertia
  const double scale = e.number("fitscale", 1.0),
               radius = around ? std::max(b[0], b[1]) : 0.5 * (b[0] + b[1]);
  if (geom.type == Type::sphere)
    geom.size = {around ? b.maxCoeff() : b.sum() / 3.0, 0.0, 0.0};
  else if (geom.type == Type::capsule)
    geom.size = {radius, std::max(0.0, around ? b[2] - radius : b[2] - 0.5 * radius), 0.0};
  else if (geom.type == Type::cylinder)
    geom.size = {radius, b[2], 0.0};
  else
    geom.size = b;
  geom.size *= scale;
  geom.X_BX = geom.X_BX * m.X_MI * Pose(middle);
  geom.X_BG = geom.X_BX;
}

}  // namespace amble
