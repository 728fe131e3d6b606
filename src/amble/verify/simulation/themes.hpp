#pragma once

#include "amble/verify/verify.hpp"

// The entries of the area `simulation`, by theme.
namespace amble {

/// A free rigid body in Jacobi's elliptic functions.
std::vector<VerificationEntry> simulation_free_body();
/// A heavy symmetric top: steady precession, nutation.
std::vector<VerificationEntry> simulation_top();
/// The bungee jump, as a mechanism and in the three representations of DS Example 1.2.
std::vector<VerificationEntry> simulation_bungee();
/// The books of random mechanisms.
std::vector<VerificationEntry> simulation_ledger();
/// The energy of a variational integrator over a million steps.
std::vector<VerificationEntry> simulation_long_runs();
/// Andrews' squeezing mechanism, of the sets of test problems.
std::vector<VerificationEntry> simulation_squeezer();
/// Every integrator: its order, a published stiff problem, the times of events.
std::vector<VerificationEntry> simulation_integrators();

}  // namespace amble
