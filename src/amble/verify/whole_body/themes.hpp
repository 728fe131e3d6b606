#pragma once

#include "amble/verify/verify.hpp"

// Themes of the area `whole-body` with a file of their own.
namespace amble {

/// Quadratic programs whose optimum is published or has a closed form.
std::vector<VerificationEntry> whole_body_programs();
/// Postures by statics; steps, a push and a lift against the contact engine, which knows nothing of the controller.
std::vector<VerificationEntry> whole_body_stances();

}  // namespace amble
