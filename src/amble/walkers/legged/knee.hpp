#pragma once

#include <string>
#include <vector>

#include "amble/walkers/legged/foot_support.hpp"
#include "amble/walkers/legged/posed_links.hpp"

namespace amble {

/// The joint that brings the foot nearer to the hip.
struct Knee {
  int link = -1;          ///< that it moves; -1: none does
  double straight = 0.0;  ///< its coordinate where hip and foot are farthest apart (rad)
  double sense = 0.0;     ///< 1 or -1: the way it bends from there; 0: not known
  std::string evidence;   ///< of the sense
};

/// Of a leg, links from the hip to the foot, with its foot at `foot_W`. The sense is that of the far wider
/// range of its limits, else that of the keyframe `stands`, else of the wider range, else that in which it is
/// bent as the model is drawn.
Knee find_knee(const PosedLinks& at, const std::vector<int>& leg, const Vector3<double>& foot_W,
               const OwnedVector* stands);

/// Point next to the axes of the joints above the knee, three at most.
Vector3<double> hip_center(const PosedLinks& at, const std::vector<int>& leg, int knee_link);

/// The center of the hip on the last axis above the knee that turns as the knee does, where there is one.
Vector3<double> hip_point(const PosedLinks& at, const std::vector<int>& leg, int knee_link);

/// From the hip to the sole with all joints straight that turn as the knee does (m).
double stretched_length(const PosedLinks& at, const std::vector<int>& leg, int knee_link,
                        const FootSupport& foot);

/// Which way the knee goes when the leg bends with hip and foot in place, world axes, horizontal; zero: not
/// known.
Vector3<double> knee_direction(const PosedLinks& at, const Knee& knee, const Vector3<double>& foot_W,
                               const Vector3<double>& up_W);

}  // namespace amble
