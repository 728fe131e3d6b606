#pragma once

#include "amble/mechanism/joints/custom.hpp"
#include "amble/mechanism/joints/cylindrical.hpp"
#include "amble/mechanism/joints/fixed.hpp"
#include "amble/mechanism/joints/free.hpp"
#include "amble/mechanism/joints/helical.hpp"
#include "amble/mechanism/joints/planar.hpp"
#include "amble/mechanism/joints/prismatic.hpp"
#include "amble/mechanism/joints/revolute.hpp"
#include "amble/mechanism/joints/spherical.hpp"
#include "amble/mechanism/joints/universal.hpp"

namespace amble {

template <class... Types>
struct JointTypes {};

/// Every joint type, one line each. A joint's kind is its place in this list.
using JointList = JointTypes<  //
    Fixed,                     //
    Revolute,                  //
    Prismatic,                 //
    Helical,                   //
    Cylindrical,               //
    Universal,                 //
    Planar,                    //
    Spherical,                 //
    Free,                      //
    Custom>;

namespace detail {

template <class... Types>
constexpr int size_of(JointTypes<Types...>) {
  return sizeof...(Types);
}

template <class Wanted, class... Types>
constexpr int index_of(JointTypes<Types...>) {
  int index = -1, i = 0;
  ((std::is_same_v<Wanted, Types> ? void(index = i) : void(), ++i), ...);
  return index;
}

template <class F, class First, class... Rest>
decltype(auto) visit_type(int kind, F&& f, JointTypes<First, Rest...>) {
  if constexpr (sizeof...(Rest) == 0) {
    return f.template operator()<First>();
  } else {
    if (kind == 0) return f.template operator()<First>();
    return visit_type(kind - 1, std::forward<F>(f), JointTypes<Rest...>{});
  }
}

}  // namespace detail

inline constexpr int kJointKinds = detail::size_of(JointList{});
template <class Type>
inline constexpr int kJointKind = detail::index_of<Type>(JointList{});

/// f.operator()<Type>() for the type of this kind.
template <class F>
decltype(auto) visit_joint_type(int kind, F&& f) {
  return detail::visit_type(kind, std::forward<F>(f), JointList{});
}

/// f(joint) with the joint object of this kind.
template <class F>
decltype(auto) visit_joint(int kind, const JointParameters& parameters, F&& f) {
  return visit_joint_type(kind, [&]<class Type>() -> decltype(auto) { return f(Type(parameters)); });
}

}  // namespace amble
