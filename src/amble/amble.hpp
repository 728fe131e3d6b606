#pragma once

/// Everything of Amble in one include.
#include "amble/dynamics/dynamics.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/geometry/charts.hpp"
#include "amble/geometry/screw.hpp"
#include "amble/geometry/se2.hpp"
#include "amble/io/load.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/mechanism/compare.hpp"
#include "amble/mechanism/edit.hpp"
#include "amble/mechanism/joints/custom.hpp"
#include "amble/mechanism/product_of_exponentials.hpp"
#include "amble/mechanism/random_mechanism.hpp"
#include "amble/mechanism/serialize.hpp"
#include "amble/version.hpp"
