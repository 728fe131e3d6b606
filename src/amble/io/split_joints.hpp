#pragma once

#include <initializer_list>
#include <string_view>

#include "amble/base/error.hpp"
#include "amble/mechanism/description.hpp"

namespace amble {

/// Says joints of these types (universal, cylindrical, planar) by joints of one axis one after the other,
/// with massless frames between them, for formats that have no such types. Keyframes follow. Each is an entry
/// of `changed`.
void split_joints(ModelDescription& model, std::initializer_list<std::string_view> types, Problems& changed);

}  // namespace amble
