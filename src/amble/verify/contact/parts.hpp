#pragma once

#include "amble/verify/verify.hpp"

// The entries of the area `contact`, by part.
namespace amble {

/// Contact that gives way: bounces, friction, books, the way to rigid contact.
std::vector<VerificationEntry> contact_compliant();

}  // namespace amble
