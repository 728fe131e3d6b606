#include "amble/scenario/walker_quantities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "amble/base/error.hpp"
#include "amble/base/names.hpp"

namespace amble {

namespace {

template <class Items>
auto& named(Items& items, const WalkerQuantity& q, const char* kind) {
  std::vector<std::string> names;
  for (auto& item : items) {
    if (item.name == q.of) return item;
    names.push_back(item.name);
  }
  throw Error(fmt::format("the {} of '{}' cannot be set: there is no such {}{}", q.quantity, q.of, kind,
                          suggestion(q.of, names)));
}

using Feet = std::vector<WalkerDescription::Foot>;

/// One of the things that can be set: how it is read and written, and the least that it may be.
struct Kind {
  std::string name;
  std::function<double(const WalkerQuantity&, const ModelDescription&, const Feet&)> get;
  std::function<void(const WalkerQuantity&, double, ModelDescription&, Feet&)> set;
  bool negative = true;
};

Inertia<double> with_mass(const Inertia<double>& I, double mass) {
  return Inertia<double>::from_com(
      mass, I.com(), I.mass() > 0.0 ? Matrix3<double>(I.about_com() * (mass / I.mass())) : I.about_com());
}

std::vector<Kind> body_kinds() {
  const auto body = [](const WalkerQuantity& q, auto& d) -> auto& { return named(d.bodies, q, "body"); };
  std::vector<Kind> kinds{
      {"mass", [=](const auto& q, const auto& d, const auto&) { return body(q, d).inertia.mass(); },
       [=](const auto& q, double x, auto& d, auto&) {
         body(q, d).inertia = with_mass(body(q, d).inertia, x);
       },
       false},
      {"inertia_scale", [=](const auto& q, const auto& d, const auto&) { return body(q, d), 1.0; },
       [=](const auto& q, double x, auto& d, auto&) {
         const Inertia<double> I = body(q, d).inertia;
         body(q, d).inertia = Inertia<double>::from_com(I.mass(), I.com(), x * I.about_com());
       },
       false}};
  for (int axis = 0; axis < 3; ++axis)
    kinds.push_back(
        {std::string("com.") + "xyz"[axis],
         [=](const auto& q, const auto& d, const auto&) { return body(q, d).inertia.com()[axis]; },
         [=](const auto& q, double x, auto& d, auto&) {
           const Inertia<double> I = body(q, d).inertia;
           Vector3<double> com = I.com();
           com[axis] = x;
           body(q, d).inertia = Inertia<double>::from_com(I.mass(), com, I.about_com());
         }});
  return kinds;
}

Kind property_kind(const char* name, std::vector<double> JointProperties::*member, bool negative) {
  const auto joint = [](const WalkerQuantity& q, auto& d) -> auto& { return named(d.joints, q, "joint"); };
  return {name,
          [=](const auto& q, const auto& d, const auto&) {
            const std::vector<double>& numbers = joint(q, d).properties.*member;
            return numbers.empty() ? 0.0 : numbers[0];
          },
          [=](const auto& q, double x, auto& d, auto&) { joint(q, d).properties.*member = {x}; }, negative};
}

std::vector<Kind> joint_kinds() {
  std::vector<Kind> kinds{property_kind("stiffness", &JointProperties::stiffness, true),
                          property_kind("damping", &JointProperties::damping, false),
                          property_kind("armature", &JointProperties::armature, false),
                          property_kind("rest", &JointProperties::reference, true)};
  const auto joint = [](const WalkerQuantity& q, auto& d) -> auto& { return named(d.joints, q, "joint"); };
  for (int axis = 0; axis < 3; ++axis)
    kinds.push_back(
        {std::string("place.") + "xyz"[axis],
         [=](const auto& q, const auto& d, const auto&) { return joint(q, d).X_PF.translation()[axis]; },
         [=](const auto& q, double x, auto& d, auto&) {
           Pose& X = joint(q, d).X_PF;
           Vector3<double> p = X.translation();
           p[axis] = x;
           X = Pose(X.rotation(), p);
         }});
  return kinds;
}

std::vector<Kind> foot_kinds() {
  const auto foot = [](const WalkerQuantity& q, auto& feet) -> auto& { return named(feet, q, "foot"); };
  std::vector<Kind> kinds{
      {"radius", [=](const auto& q, const auto&, const auto& feet) { return foot(q, feet).radius; },
       [=](const auto& q, double x, auto&, auto& feet) { foot(q, feet).radius = x; }, false}};
  for (int axis = 0; axis < 3; ++axis)
    kinds.push_back({std::string("point.") + "xyz"[axis],
                     [=](const auto& q, const auto&, const auto& feet) { return foot(q, feet).point[axis]; },
                     [=](const auto& q, double x, auto&, auto& feet) { foot(q, feet).point[axis] = x; }});
  return kinds;
}

const std::vector<Kind>& all_kinds() {
  static const std::vector<Kind> kinds = [] {
    std::vector<Kind> all = body_kinds();
    for (const std::vector<Kind>& more : {joint_kinds(), foot_kinds()})
      all.insert(all.end(), more.begin(), more.end());
    return all;
  }();
  return kinds;
}

const Kind& kind_of(const WalkerQuantity& q) {
  const std::vector<Kind>& all = all_kinds();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Kind& kind) { return kind.name == q.quantity; });
  if (found != all.end()) return *found;
  const std::vector<std::string> names = walker_quantities();
  throw Error(fmt::format("there is no quantity '{}'{}; there are {}", q.quantity,
                          suggestion(q.quantity, names), fmt::join(names, ", ")));
}

}  // namespace

std::vector<std::string> walker_quantities() {
  std::vector<std::string> names;
  for (const Kind& kind : all_kinds()) names.push_back(kind.name);
  return names;
}

double read_quantity(const WalkerQuantity& quantity, const ModelDescription& model, const Feet& feet) {
  return kind_of(quantity).get(quantity, model, feet);
}

void set_quantity(const WalkerQuantity& quantity, double value, ModelDescription& model, Feet& feet) {
  const Kind& kind = kind_of(quantity);
  if (value < 0.0 && !kind.negative)
    throw Error(
        fmt::format("the {} of '{}' would be {}: expected 0 or more", quantity.quantity, quantity.of, value));
  kind.set(quantity, value, model, feet);
}

}  // namespace amble
