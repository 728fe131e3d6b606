#pragma once

#include "amble/verify/verify.hpp"

// The entries of the area `contact`, by part.
namespace amble {

/// Contact that gives way: bounces, friction, books, the way to rigid contact.
std::vector<VerificationEntry> contact_compliant();
/// Many frictional contacts at once: closed forms, random problems with their certificate, refusals.
std::vector<VerificationEntry> contact_solvers();

}  // namespace amble
