#include "amble/gait/free_parameters.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "amble/base/error.hpp"
#include "amble/base/names.hpp"

namespace amble {

namespace {

using Eigen::Matrix3d;

struct Property {
  const char* name;
  std::vector<double> JointProperties::*numbers;
  bool not_negative;
};
const std::array<Property, 5> kProperties{{{"stiffness", &JointProperties::stiffness, true},
                                           {"reference", &JointProperties::reference, false},
                                           {"damping", &JointProperties::damping, true},
                                           {"friction", &JointProperties::friction, true},
                                           {"armature", &JointProperties::armature, true}}};

const Property* property_of(std::string_view name) {
  const auto found =
      std::find_if(kProperties.begin(), kProperties.end(), [&](const Property& p) { return p.name == name; });
  return found == kProperties.end() ? nullptr : &*found;
}

/// S = tr(I) / 2 - I is the second moment of the mass; I = tr(S) - S.
Matrix3d second_moment(const Matrix3d& I) { return 0.5 * I.trace() * Matrix3d::Identity() - I; }
Matrix3d inertia_of(const Matrix3d& S) { return S.trace() * Matrix3d::Identity() - S; }

Matrix3d lower_factor(const double* theta) {
  Matrix3d C = Matrix3d::Zero();
  for (int i = 0; i < 3; ++i) C(i, i) = std::exp(theta[i]);
  C(1, 0) = theta[3], C(2, 0) = theta[4], C(2, 1) = theta[5];
  return C;
}

/// A rod or a point has a singular S: it begins as a body of a hundredth of its size (a decimetre for a
/// point).
void put_factor(const Inertia<double>& inertia, double* theta) {
  Matrix3d S = second_moment(inertia.about_com());
  const double size = std::max(S.trace() / inertia.mass(), 1e-2), least = 1e-4 * inertia.mass() * size;
  const Eigen::LLT<Matrix3d> trial(S - 0.5 * least * Matrix3d::Identity());
  if (trial.info() != Eigen::Success) S += least * Matrix3d::Identity();
  const Matrix3d C = Eigen::LLT<Matrix3d>(S).matrixL();
  for (int i = 0; i < 3; ++i) theta[i] = std::log(C(i, i));
  theta[3] = C(1, 0), theta[4] = C(2, 0), theta[5] = C(2, 1);
}

double entry(const std::vector<double>& numbers, int i) { return numbers.empty() ? 0.0 : numbers[i]; }

}  // namespace

FreeParameters::FreeParameters(const Mechanism& mechanism, const std::vector<std::string>& names)
    : mechanism_(mechanism) {
  for (const std::string& name : names) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos || dot == 0)
      throw Error(fmt::format(
          "'{}' is free: expected BODY.mass, BODY.com, BODY.inertia, or JOINT.damping, .friction, "
          ".stiffness, .reference, .armature",
          name));
    add(std::string_view(name).substr(0, dot), std::string_view(name).substr(dot + 1));
  }
  if (names_.empty()) throw Error("nothing is free: there is nothing to identify");
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (std::find(names_.begin(), names_.begin() + static_cast<std::ptrdiff_t>(i), names_[i]) !=
        names_.begin() + static_cast<std::ptrdiff_t>(i))
      throw Error(fmt::format("'{}' is said to be free twice", names_[i]));
  read_start();
}

void FreeParameters::add(std::string_view owner, std::string_view what) {
  const ModelDescription& d = mechanism_.description();
  const bool all = owner == "*", of_body = what == "mass" || what == "com" || what == "inertia";
  if (!of_body && property_of(what) == nullptr)
    throw Error(fmt::format(
        "'{}.{}' is free: expected mass, com or inertia of a body, or damping, friction, stiffness, "
        "reference or armature of a joint",
        owner, what));
  const Kind kind = what == "mass" ? Kind::mass : what == "com" ? Kind::com : Kind::inertia;
  std::vector<std::string> known;
  bool found = false;
  const auto each = [&](const auto& list, const auto& fits, const auto& take) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      known.push_back(list[i].name);
      if (all ? !fits(i) : list[i].name != owner) continue;
      found = true;
      take(i);
    }
  };
  if (of_body)
    each(
        d.bodies, [&](std::size_t i) { return d.bodies[i].inertia.mass() > 0.0; },
        [&](std::size_t i) { add_body(i, kind, what); });
  else
    each(
        d.joints,
        [&](std::size_t i) {
          const Joint& joint = mechanism_.joints()[mechanism_.joint_index(d.joints[i].name)];
          return joint.leader < 0 && joint.v.size > 0;
        },
        [&](std::size_t i) { add_joint(i, what); });
  if (!found)
    throw Error(fmt::format("'{}.{}' is free, but there is no {} '{}'{}", owner, what,
                            of_body ? "body" : "joint", owner, suggestion(owner, known)));
}

void FreeParameters::append(const Group& group, const std::string& name,
                            const std::vector<std::string>& endings) {
  groups_.push_back(group);
  groups_.back().first = size(), groups_.back().size = static_cast<int>(endings.size());
  for (const std::string& ending : endings) names_.push_back(name + ending);
}

void FreeParameters::add_body(std::size_t body, Kind kind, std::string_view what) {
  const BodyDescription& b = mechanism_.description().bodies[body];
  if (!(b.inertia.mass() > 0.0))
    throw Error(fmt::format("'{}.{}' is free, but the body has no mass", b.name, what));
  const std::vector<std::string> endings =
      kind == Kind::mass  ? std::vector<std::string>{""}
      : kind == Kind::com ? std::vector<std::string>{".x", ".y", ".z"}
                          : std::vector<std::string>{".xx", ".xy", ".xz", ".yy", ".yz", ".zz"};
  append({kind, body, "", 0, 0}, fmt::format("{}.{}", b.name, what), endings);
}

void FreeParameters::add_joint(std::size_t joint, std::string_view property) {
  const std::string& name = mechanism_.description().joints[joint].name;
  const Joint& j = mechanism_.joints()[mechanism_.joint_index(name)];
  if (j.leader >= 0 || j.v.size == 0)
    throw Error(fmt::format("'{}.{}' is free, but the joint {}", name, property,
                            j.leader >= 0 ? "follows another" : "does not move"));
  std::vector<std::string> endings;
  for (int i = 0; i < j.v.size; ++i) endings.push_back(j.v.size == 1 ? "" : fmt::format("[{}]", i));
  append({Kind::property, joint, std::string(property), 0, 0}, fmt::format("{}.{}", name, property), endings);
}

void FreeParameters::read_start() {
  const ModelDescription& d = mechanism_.description();
  start_ = OwnedVector(size()), lower_ = OwnedVector(size());
  lower_.setConstant(-std::numeric_limits<double>::infinity());
  for (const Group& group : groups_) {
    double* const theta = start_.data() + group.first;
    if (group.kind == Kind::property) {
      const Property& property = *property_of(group.property);
      for (int i = 0; i < group.size; ++i)
        theta[i] = entry(d.joints[group.owner].properties.*property.numbers, i);
      if (property.not_negative) lower_.segment(group.first, group.size).setZero();
      continue;
    }
    const Inertia<double>& inertia = d.bodies[group.owner].inertia;
    if (group.kind == Kind::mass) theta[0] = std::log(inertia.mass());
    if (group.kind == Kind::com) Eigen::Map<Eigen::Vector3d>(theta, 3) = inertia.com();
    if (group.kind == Kind::inertia) put_factor(inertia, theta);
  }
}

Mechanism FreeParameters::mechanism(const VectorRef& theta) const {
  ModelDescription d = mechanism_.description();
  for (const Group& group : groups_) {
    const double* const at = theta.data() + group.first;
    if (group.kind == Kind::property) {
      std::vector<double>& numbers = d.joints[group.owner].properties.*property_of(group.property)->numbers;
      numbers.assign(at, at + group.size);
      continue;
    }
    Inertia<double>& inertia = d.bodies[group.owner].inertia;
    double mass = inertia.mass();
    Vector3<double> com = inertia.com();
    Matrix3<double> I = inertia.about_com();
    if (group.kind == Kind::mass) mass = std::exp(at[0]);
    if (group.kind == Kind::com) com = {at[0], at[1], at[2]};
    if (group.kind == Kind::inertia) {
      const Matrix3d C = lower_factor(at);
      I = inertia_of(C * C.transpose());
    }
    inertia = Inertia<double>::from_com(mass, com, I);
  }
  return compile(std::move(d));
}

OwnedVector FreeParameters::values(const VectorRef& theta) const {
  OwnedVector values(theta);
  for (const Group& group : groups_) {
    const double* const at = theta.data() + group.first;
    double* const to = values.data() + group.first;
    if (group.kind == Kind::mass) to[0] = std::exp(at[0]);
    if (group.kind != Kind::inertia) continue;
    const Matrix3d C = lower_factor(at), I = inertia_of(C * C.transpose());
    to[0] = I(0, 0), to[1] = I(0, 1), to[2] = I(0, 2), to[3] = I(1, 1), to[4] = I(1, 2), to[5] = I(2, 2);
  }
  return values;
}

OwnedMatrix FreeParameters::values_derivative(const VectorRef& theta) const {
  constexpr double kStep =
      1e-5;  // values are exponentials and squares: differences of order four are exact to 1e-10
  OwnedMatrix derivative(size(), size());
  for (int i = 0; i < size(); ++i) {
    const auto at = [&](double share) {
      OwnedVector moved(theta);
      moved[i] += share * kStep;
      return Eigen::VectorXd(values(moved));
    };
    derivative.col(i) = (8.0 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12.0 * kStep);
  }
  return derivative;
}

}  // namespace amble
