#pragma once

#include "amble/walkers/walker_drive.hpp"
#include "amble/walkers/walkers.hpp"

namespace amble {

/// A kind of walker that has a drive.
struct DrivenKind {
  WalkerKind kind;
  /// With every parameter given and checked to be finite.
  std::function<DrivenWalker(const WalkerValues& values)> describe;
  WalkerValues driven = {};  ///< parameters that take the place of defaults where it is to walk by its drive

  /// With some parameters given, the others as in the kind.
  DrivenWalker operator()(const WalkerValues& given) const { return describe(walker_values(kind, given)); }
};

/// One that comes with Amble. Throws an Error for a walker that has no drive.
DrivenKind driven_kind(std::string_view name);
/// DS 5.3.
DrivenKind driven_dribbel();

/// The parameters that every walker with a drive has, with the values of `drive` as defaults.
std::vector<WalkerParameter> drive_parameters(const WalkerDrive& drive);

/// The drive with these parameters. Throws an Error naming a value that makes none.
WalkerDrive drive_with(const WalkerDrive& drive, const WalkerValues& values);

}  // namespace amble
