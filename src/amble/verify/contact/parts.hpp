#pragma once

#include "amble/verify/verify.hpp"

// The entries of the area `contact`, by part.
namespace amble {

/// Nearest points of surfaces and bodies, and how they move: direct, differential and by the collision library.
std::vector<VerificationEntry> contact_kinematics();
/// Contact that gives way: bounces, friction, books, the way to rigid contact.
std::vector<VerificationEntry> contact_compliant();
/// Rigid contact: the examples of DS 3.3, shares of energy, motions in closed form, books.
std::vector<VerificationEntry> contact_rigid();
/// Many frictional contacts at once: closed forms, random problems with their certificate, refusals.
std::vector<VerificationEntry> contact_solvers();
/// Steps over many contacts: what sticks, slides, rolls and stands.
std::vector<VerificationEntry> contact_time_stepping();

}  // namespace amble
