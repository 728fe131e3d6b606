#pragma once

#include <optional>
#include <span>

#include "amble/base/owned.hpp"

namespace amble {

/// Redundant contacts that hold (a table on four legs) do not tell who carries how much: forces p with rows J of
/// (normal, t1, t2) each, and any others that differ by z with J^T z = held^T mu for some mu, move everything alike.
/// Of all these that lie in every cone, p_n >= 0 and |p_t| <= friction p_n, those nearest to p: p itself where it does.
/// Nothing where there are none. `held`: rows of other constraints, which take what is given up here; may have no rows.
/// An infinite friction is p_n >= 0 alone.
std::optional<OwnedVector> shared_forces(const Eigen::Ref<const Eigen::MatrixXd>& J,
                                         const Eigen::Ref<const Eigen::MatrixXd>& held,
                                         std::span<const double> friction, const VectorRef& p);

}  // namespace amble
