#pragma once

#include "amble/walkers/described_walker.hpp"
#include "amble/walkers/drive_parameters.hpp"

namespace amble {

/// A walker file (TOML): a model of one's own, the feet that it walks on, and how.
///
///   name = "my_walker"                  # default: that of the file
///   summary = "two legs and a trunk"
///   motion = "planar"                   # planar, space
///   [model]                             # as in a scenario; a root that no joint holds is free
///   file = "my_walker.urdf"             # relative to this file
///   [floor]
///   slope_deg = 3.0                     # the parameters slope_deg and gravity, which every walker has
///   gravity = 9.81
///   [[parameters]]
///   name = "leg_mass"
///   value = 1.0                         # default: what the model has
///   unit = "kg"
///   meaning = "of each leg"
///   sets = [{ quantity = "mass", of = "left_leg" }, { quantity = "mass", of = "right_leg", factor = 1.0,
///   plus = 0.0 }]
///   [[feet]]                            # two or more
///   name = "left"
///   body = "left_leg"
///   point = [0, 0, -1]                  # in the body's frame
///   radius = 0.0                        # of a disc about that point; planar only
///   [[phases]]                          # in their order
///   name = "swing"
///   stance = "left"
///   swing = "right"
///   ends = "touchdown"                  # or { joint = "right_knee", at = 0.0, from = "below" }
///   locked = { left_knee = 0.0 }        # joints that do not move, and where they are
///   rest = { hip = 0.3 }                # where joint springs rest in this phase
///   passing = { hip = -1.0 }            # a sum of coordinates that has to be above
///   passed = 0.01                       # this before the swing foot may touch the floor
///   holds_joints = []                   # what the event brings to rest, beside the foot that comes down (or
///   stands, when a holds_feet = []                     # joint stops) and joints locked in this phase or the
///   next [symmetry]                          # none: the phases are a full stride returns = "step" # or
///   "stride": the phases, then again with the names of the other side joints = { left_knee = "right_knee",
///   hip = "-hip" } feet = { left = "right" }
///   [[bounds]]                          # beyond them the walker has failed
///   coordinate = "pitch"
///   lower = -1.5
///   upper = 1.5
///   failure = "falls over"
///   [region]                            # where cycles are looked for
///   pitch = [-0.5, -0.05]
///   dpitch = [0.1, 2.0]
///   [start]                             # other numbers at the start of a step; zero when not named
///   hip = { pitch = -2.0 }              # a multiple of one in the region, or a number
///   [drive]                             # a motor that makes it walk; its numbers are parameters, see drive_parameters()
///   joint = "hip"
///   constant = 0.0302                   # N m/A, resistance, ratio, rotor_inertia, efficiency, voltage_limit,
///                                       # current_limit, regenerates as in WalkerDrive::motor
///   proportional = 10.0                 # A/rad, and derivative
///   set_point = 0.3                     # rad
///   directions = { left = -1, right = 1 }   # by stance foot: what its set point is times that
///   period = 0.01                       # s; first_foot_alone, adaptation, target_speed, adaptation_range
///   magnet_power = 7.48                 # W, for each knee; electronics_power
///   start = { pitch = -0.15 }           # of simulated walks, by names of the region
///   [search]
///   longest_step = 5.0                  # s
///
/// Coordinates of the walker are how its stance foot is turned, (yaw,) pitch(, roll), and those of its
/// joints. Throws one Error with every problem and its line, and names what does not fit together.
WalkerKind load_walker(const std::string& path);
WalkerKind read_walker(const std::string& text, const std::string& file);

/// A walker that comes with Amble by its name, or one of a file by its path, which ends in .toml.
WalkerKind find_walker(const std::string& name_or_path);
/// The same for one that has a drive; an Error for one that has none.
DrivenKind find_driven_walker(const std::string& name_or_path);

}  // namespace amble
