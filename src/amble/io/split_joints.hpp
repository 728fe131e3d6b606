#pragma once

#include <functional>
#include <initializer_list>
#include <string_view>

#include "amble/base/error.hpp"
#include "amble/mechanism/description.hpp"

namespace amble {

/// Says joints of these types (universal, cylindrical, planar) by joints of one axis one after the other,
/// with massless frames between them, for formats that have no such types. Keyframes follow. Each is an entry
/// of `changed`.
void split_joints(ModelDescription& model, std::initializer_list<std::string_view> types, Problems& changed);

/// Puts a massless body between joint and child where `wanted`, for formats in which a joint's frame is that
/// of its child: the joint holds that body, with X_CM the identity, and the child is fixed on it. Each is an
/// entry of `changed`.
void add_joint_frames(ModelDescription& model, const std::function<bool(const JointDescription&)>& wanted,
                      Problems& changed);

}  // namespace amble
