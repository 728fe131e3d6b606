#pragma once

#include <vector>

#include "amble/walkers/legged/legged_settings.hpp"
#include "amble/walkers/legged/limbs.hpp"
#include "amble/walkers/legged/mirror.hpp"

// Which limbs are legs and which way is up: a guess for a posture and a direction, and how well it fits.
namespace amble {

/// Links from the hip to the foot's link; what the foot's link carries (toes) is part of the foot.
struct LegChain {
  std::vector<int> links;
  int foot() const { return links.back(); }
};

struct StandingGuess {
  Vector3<double> up = Vector3<double>::UnitZ();  ///< world axes in the posture
  std::vector<LegChain> legs;
  bool mirrored = false;  ///< every leg has its image in `plane`
  MirrorPlane plane;      ///< its normal across the robot
  LinkImages images;
  double score = 0.0;  ///< 0: no legs that stand; see guess_standing()
  std::string reason;  ///< why the score is 0
};

/// Legs are limbs whose ends are within a tenth of the way from the lowest one to the center of mass, and
/// others of the same build that are nearly as low. The score is the height of the center of mass over the
/// ends as a share of the legs' length, at most 1; less where fewer of the legs' axes are along or across
/// `up`, where there are fewer legs, where the center of mass is beside the ends, and where legs have no
/// mirror image.
StandingGuess guess_standing(const PosedLinks& at, int base_link, const Vector3<double>& up,
                             const std::vector<int>& foot_links = {});

/// The best of: up against gravity, and, for models that are drawn lying or turned, along the axes of their
/// limbs' joints and across two of them, for which the score counts less.
StandingGuess find_standing(const PosedLinks& at, int base_link, const std::vector<int>& foot_links,
                            const std::optional<Vector3<double>>& up);

/// Where the end of a chain is: the lowest of its center of mass, the frames on it and its joint.
Vector3<double> end_point(const PosedLinks& at, int link, const Vector3<double>& up);

}  // namespace amble
