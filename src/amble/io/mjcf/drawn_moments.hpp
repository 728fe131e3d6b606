#pragma once

#include "amble/io/mjcf/drives.hpp"
#include "amble/io/mjcf/mass_matrix.hpp"

namespace amble {

/// What a unit force of the drive does at MuJoCo's freedoms at qpos0, where the model stands as drawn.
std::vector<double> drawn_moment(const CompiledDrive& drive, const CompiledModel& model,
                                 const std::vector<CompiledTendon>& tendons,
                                 const CompiledMassMatrix& matrix);

}  // namespace amble
