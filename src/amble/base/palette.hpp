#pragma once

#include <array>

// One meaning, one colour, everywhere: plots, figures and pages take theirs from here. Told apart also by
// people who see no red or green (Okabe and Ito 2008).
namespace amble::palette {

inline constexpr const char* kInk = "#1b1f24";
inline constexpr const char* kFaint = "#8a929c";
inline constexpr const char* kGrid = "#e3e6ea";
inline constexpr const char* kPaper = "#ffffff";

inline constexpr const char* kStanceLeg = "#0072b2";
inline constexpr const char* kSwingLeg = "#d55e00";
inline constexpr const char* kBody = "#1b1f24";

inline constexpr const char* kStable = "#0072b2";
inline constexpr const char* kUnstable = "#d55e00";

inline constexpr const char* kGravity = "#009e73";
inline constexpr const char* kImpacts = "#d55e00";
inline constexpr const char* kDampers = "#cc79a7";
inline constexpr const char* kActuators = "#e69f00";
inline constexpr const char* kSprings = "#56b4e9";

inline constexpr const char* kKinetic = "#56b4e9";
inline constexpr const char* kPotential = "#009e73";
inline constexpr const char* kContactForce = "#e69f00";
inline constexpr const char* kFrictionCone = "#56b4e9";
inline constexpr const char* kCenterOfMass = "#cc79a7";
inline constexpr const char* kSupport = "#009e73";
inline constexpr const char* kFootprint = "#0072b2";
inline constexpr const char* kJointAxis = "#d55e00";

/// For curves without a meaning of their own.
inline constexpr std::array kCurves{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"};

}  // namespace amble::palette
