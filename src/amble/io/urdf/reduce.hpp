#pragma once

#include "amble/base/error.hpp"
#include "amble/mechanism/description.hpp"

namespace amble {

/// The part of a description that URDF can say, in URDF's way: frames become massless links; a joint whose
/// frame stands elsewhere in its child gets a massless link there; several roots and scenery hang on the link
/// `world`; joints of two axes become two joints. What is changed or left out is put into `left_out`, one
/// entry each. What cannot be left out without changing how the rest moves, such as a joint of an unknown
/// type, stays as it is.
ModelDescription reduce_to_urdf(const ModelDescription& model, Problems& left_out);

}  // namespace amble
