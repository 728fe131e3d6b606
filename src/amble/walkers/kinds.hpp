#pragma once

#include "amble/walkers/walkers.hpp"

// The walkers that come with Amble, for the table in walkers.cpp.
namespace amble {

WalkerKind compass_kind();
WalkerKind simplest_kind();
WalkerKind rimless_kind();
WalkerKind dribbel_kind();
WalkerKind trunk_kind();
WalkerKind pointmass3d_kind();
WalkerKind legs3d_kind();
WalkerKind torso_kind();
WalkerKind bisecting_kind();
WalkerKind human_kind();

/// Parameters that every walker has.
std::vector<WalkerParameter> with_floor(std::vector<WalkerParameter> parameters, double slope_deg,
                                        double gravity = 9.81);

/// The value of a parameter. Throws an Error unless it is above (or at least) zero.
double positive(const WalkerValues& values, std::string_view name);
double not_negative(const WalkerValues& values, std::string_view name);
/// Of the floor (rad). Throws an Error unless it is below upright.
double slope_of(const WalkerValues& values);

/// How far a swing leg has to be ahead before its foot may touch the floor (rad), DS Remark 4.3.
inline constexpr double kPassed = 0.01;

}  // namespace amble
