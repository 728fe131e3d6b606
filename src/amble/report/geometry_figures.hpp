#pragma once

#include <span>

#include "amble/report/plot.hpp"
#include "amble/riemann/repeatability.hpp"

// Pictures of riemann/.
namespace amble {

/// Which two of the coordinates of q are drawn.
struct DrawnPair {
  int across = 0, up = 1;
};

/// The sectional curvature of the plane of two velocities, over the two coordinates that belong to them; the
/// other coordinates are those of q. Coordinates must be plain numbers, or it is an Error. Angles go round
/// once, other coordinates 1 each way, about q.
CellMap curvature_map(const Mechanism& mechanism, const VectorRef& q, DrawnPair drawn = {}, int cells = 60);

/// Curves of configurations on two of their coordinates; angles are not wrapped.
Plot geodesic_plot(const Mechanism& mechanism, std::span<const CurveOnMechanism> curves,
                   std::span<const std::string> names, DrawnPair drawn = {});

/// How joints drift from loop to loop: difference(q[0], q[i]) in the metric of M, for several inverses.
Plot drift_plot(const Mechanism& mechanism, std::span<const Holonomy> loops,
                std::span<const std::string> names);

}  // namespace amble
