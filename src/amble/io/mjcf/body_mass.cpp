#include "amble/io/mjcf/body_mass.hpp"

#include <fmt/format.h>

#include "amble/geometry/inertia.hpp"
#include "amble/io/mjcf/orientation.hpp"

namespace amble {

namespace {

constexpr double kLeastGeomMass = 1e-14;

void set(const Inertia<double>& sum, CompiledBody& body) {
  const MjcfMoments principal = mjcf_principal_axes(sum.about_com());
  body.mass = sum.mass();
  body.moments = principal.moments;
  body.X_BI = Pose(principal.axes, sum.com());
}

void read_full(const MjcfValues& e, const Vector3<double>& com, CompiledBody& body) {
  if (has_orientation(e.element()) || e.has("quat") || e.has("diaginertia"))
    refuse(e.element(), "has fullinertia beside an orientation or diaginertia; expected one");
  const auto x = e.numbers<6>("fullinertia");
  Matrix3<double> full;
  full << x[0], x[3], x[4], x[3], x[1], x[5], x[4], x[5], x[2];
  const MjcfMoments principal = mjcf_principal_axes(full);
  body.moments = principal.moments;
  body.X_BI = Pose(principal.axes, com);
}

void read_inertial(const MjcfElement& element, const MjcfSettings& settings, CompiledBody& body) {
  const MjcfValues e(element, nullptr);
  if (!e.has("mass")) refuse(element, "has no attribute mass");
  body.mass = e.number("mass", 0.0);
  if (body.mass < 0.0) refuse(element, fmt::format("mass {} is negative", body.mass));
  if (e.has("fullinertia")) return read_full(e, e.vector("pos"), body);
  body.moments = e.vector("diaginertia");
  for (const double x : body.moments)
    if (x < 0.0) refuse(element, fmt::format("diaginertia {} is negative", x));
  body.X_BI = mjcf_place(e, settings);
}

/// One geom gives its own frame; of several the sum is turned to principal axes.
void sum_geoms(const MjcfSettings& settings, const std::vector<GeomMass>& weights, CompiledBody& body) {
  Inertia<double> sum;
  int count = 0;
  const CompiledGeom* only = nullptr;
  GeomMass weight;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const CompiledGeom& geom = body.geoms[i];
    if (geom.group < settings.lowest_group || geom.group > settings.highest_group) continue;
    if (!(weights[i].mass > kLeastGeomMass)) continue;
    ++count, only = &geom, weight = weights[i];
    sum = sum + geom.X_BG * Inertia<double>::from_com(weight.mass, Vector3<double>::Zero(),
                                                      weight.moments.asDiagonal());
  }
  if (count == 0) return;
  if (count > 1) return set(sum, body);
  body.mass = weight.mass, body.moments = weight.moments, body.X_BI = only->X_BG;
}

void check_moments(const BodyMassSource& source, CompiledBody& body, Problems& findings) {
  Vector3<double>& m = body.moments;
  const double largest = m.maxCoeff();
  if (!(m.sum() - largest < largest)) return;
  if (source.settings->balance_inertia) return (void)m.setConstant(m.mean());
  findings.push_back(source.element->problem(
      Severity::warning,
      fmt::format("its principal moments of inertia {}, {}, {} kg m^2 break A + B >= C, which MuJoCo "
                  "refuses; balanceinertia=\"true\" would change them",
                  m[0], m[1], m[2])));
}

}  // namespace

bool mass_is_from_geoms(const BodyMassSource& source) {
  using Choice = MjcfSettings::InertiaFromGeom;
  const Choice choice = source.settings->inertia_from_geom;
  return choice == Choice::yes || (choice == Choice::where_missing && source.inertial == nullptr);
}

void set_body_mass(const BodyMassSource& source, const std::vector<GeomMass>& weights, CompiledBody& body,
                   Problems& findings) {
  body.X_BI = Pose(source.pos);  // as in MuJoCo, for a body that nothing gives a mass
  if (source.inertial != nullptr) read_inertial(*source.inertial, *source.settings, body);
  if (mass_is_from_geoms(source)) sum_geoms(*source.settings, weights, body);
  body.mass = std::max(body.mass, source.settings->least_mass);
  body.moments = body.moments.cwiseMax(source.settings->least_inertia);
  check_moments(source, body, findings);
}

}  // namespace amble
