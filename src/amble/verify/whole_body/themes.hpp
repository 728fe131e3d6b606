#pragma once

#include "amble/verify/verify.hpp"

// Themes of the area `whole-body` with a file of their own.
namespace amble {

/// Quadratic programs whose optimum is published or has a closed form.
std::vector<VerificationEntry> whole_body_programs();

}  // namespace amble
