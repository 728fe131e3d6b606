#pragma once

#include <string_view>

#include "amble/dynamics/workspace.hpp"

namespace amble {

/// nv x 6: the derivative of inverse_dynamics when the frame of `joint` in its parent moves, X_PF -> X_PF exp(d), by
/// the small twist d in the joint's frame, linear part first. Any joint of the tree, fixed ones too; all that hangs
/// on it moves along.
MatrixView inverse_dynamics_placement_derivatives(const Mechanism& mechanism, Workspace& work, const VectorRef& q,
                                                  const VectorRef& v, const VectorRef& a, std::string_view joint);

}  // namespace amble
