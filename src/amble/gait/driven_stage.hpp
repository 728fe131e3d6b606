#pragma once

#include <functional>

#include "amble/ports/element.hpp"
#include "amble/walkers/walker_drive.hpp"

namespace amble {

/// What a walker with a drive walks on.
struct DrivenFloor {
  bool compliant = false;                                      ///< feet and floor give way, or not
  double friction = std::numeric_limits<double>::infinity();   ///< Coulomb's coefficient; infinite: feet never slip
  /// Where it gives way: Hunt and Crossley's law, stiffness d^1.5 (1 + damping d').
  double stiffness = 5e6;  ///< N/m^1.5
  double damping = 5.0;    ///< s/m
  double sliding_stiffness = 1e5;  ///< N/m, along the floor
  void validate() const;
};

/// A walker with its drive made ready for a simulator: the whole mechanism, free to be anywhere, on contacts at its feet,
/// with magnets at its knees, DS 4.3.2 and 5.3.1. Knees are the joints that end phases of the description.
struct DrivenStage {
  Mechanism mechanism;
  OwnedVector q, v;  ///< where it starts
  std::vector<ElementPtr> elements;
  struct Foot {
    std::string name, frame;
    double radius;  ///< m
    std::string comes_down;  ///< name of the event
  };
  std::vector<Foot> feet;
  double height = 0.0;        ///< of the centre of mass where it stands upright (m)
  double longest_step = 0.0;  ///< s
};

/// Throws an Error when the walker has no drive, or joints that its phases lock and no event lets be caught.
/// `tell` as in JointDriveOptions.
DrivenStage driven_stage(const DrivenWalker& walker, const DrivenFloor& floor = {},
                         std::function<void(double t, int stance, double current)> tell = {});

/// Names of entries of its ledger.
inline constexpr const char* kDriveMotor = "drive motor";
inline constexpr const char* kDriveGearbox = "drive gearbox";
inline constexpr const char* kDriveAmplifier = "drive amplifier";
inline constexpr const char* kElectronics = "electronics";
inline constexpr const char* kMagnet = " magnet";  ///< at the end of the names of magnets

}  // namespace amble
