#pragma once

#include "amble/verify/verify.hpp"

// The entries of the area `dynamics`, by theme.
namespace amble {

/// Mechanisms of textbooks, solved by hand.
std::vector<VerificationEntry> dynamics_textbook();
/// What the sources print, and their equations evaluated as they stand.
std::vector<VerificationEntry> dynamics_published();
/// Laws that hold for every mechanism, on random ones.
std::vector<VerificationEntry> dynamics_laws();
/// Derivatives by dual numbers; the dynamics in extended precision.
std::vector<VerificationEntry> dynamics_derivatives();
/// Derivatives by differences on the manifold, where functions take doubles only.
std::vector<VerificationEntry> dynamics_differences();
/// Every instruction set, several states at once.
std::vector<VerificationEntry> dynamics_lanes();

}  // namespace amble
