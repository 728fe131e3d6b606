#pragma once

#include <span>
#include <string>

namespace amble {

/// A physical domain: which pair of variables carries its power (DS Table B.1), what they integrate to, and the
/// units. What a domain has no integral of is empty: there is no thermal inertia.
struct BondDomain {
  std::string name;
  std::string effort, effort_unit, flow, flow_unit;
  std::string momentum, momentum_unit;          ///< the integral of the effort, state of an I
  std::string displacement, displacement_unit;  ///< the integral of the flow, state of a C
};

/// The domains of DS Table B.1.
std::span<const BondDomain> bond_domains();
/// By name; throws an Error with the nearest one.
const BondDomain& bond_domain(const std::string& name);

}  // namespace amble
