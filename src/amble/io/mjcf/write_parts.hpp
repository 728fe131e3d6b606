#pragma once

#include <vector>

#include "amble/io/left_out.hpp"
#include "amble/io/mjcf/fold.hpp"
#include "amble/io/mjcf/printer.hpp"

// The sections of a MJCF file that the writer makes beside the bodies.
namespace amble {

/// The bound of the joint's own on what drives do to it (actuatorfrcrange), for an effort limit that is not
/// what its drives can do at most; empty when there is none to write.
std::vector<double> mjcf_effort_range(const ModelDescription& description, const JointDescription& joint);

/// Writes the actuators. Returns the indices of the drives that are written.
std::vector<std::size_t> write_mjcf_drives(const ModelDescription& description, MjcfPrinter& out,
                                           const LeftOut& left_out);

/// Writes the keyframes, with the controls of these drives.
void write_mjcf_keyframes(const ModelDescription& description, const MjcfTree& tree,
                          const std::vector<std::size_t>& drives, MjcfPrinter& out);

}  // namespace amble
