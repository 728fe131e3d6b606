#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "amble/io/options.hpp"
#include "amble/mechanism/description.hpp"

namespace amble {

/// A gearbox couples the two hinges by which its parent and its child turn in a reference body. SDFormat 1.9,
/// joint: theta_1 is the angle from the reference body to the parent about `axis`, theta_2 that from the
/// reference body to the child about `axis2`, and theta_2 = -ratio theta_1.
struct SdfGearbox {
  std::string name, parent, child, reference;
  Vector3<double> axis_W, axis2_W;  ///< in the world, where the file places the bodies
  double ratio = 1.0;
  int line = 0;
};

/// A description on its way from SDFormat, which places bodies by poses and lets what nothing holds fly free.
struct SdfAssembly {
  ModelDescription model;
  std::map<std::string, Pose> X_WB;  ///< of every body, as the file places it
  std::set<std::string> still;       ///< bodies of static models
  std::vector<SdfGearbox> gearboxes;
};

/// Gives every body that no joint holds a free joint, named root_joint when there is one such body and
/// `body_free` otherwise, whose q is the body's pose in the world; a note in the model's findings names the q that
/// puts it where the file does. Bodies of static models, and all of them when `base` is fixed, are fixed where they
/// are instead.
void hold_loose_bodies(SdfAssembly& assembly, Base base);

/// Turns gearboxes into joints that follow others; what cannot be turned is reported.
void couple_gearboxes(SdfAssembly& assembly, Problems& errors);

}  // namespace amble
