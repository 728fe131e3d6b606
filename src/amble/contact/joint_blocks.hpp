#pragma once

#include "amble/contact/solved_element.hpp"

// What joints carry, for steps that solve for it.
namespace amble {

/// Every finite Mechanism::lower() and upper(), met without giving way.
std::shared_ptr<const SolvedElement> stepped_joint_limits(std::string name, const Mechanism& mechanism,
                                                          double restitution = 0.0);

/// Dry friction (nv numbers, N or N m) that holds a joint still until a force is larger.
std::shared_ptr<const SolvedElement> stepped_joint_friction(std::string name, const VectorRef& friction);

/// tau = -damping v at the end of a step, which is stable whatever its size.
std::shared_ptr<const SolvedElement> stepped_joint_damping(std::string name, const VectorRef& damping);

/// What a mechanism carries by its description, as carried_elements() has it, with damping and friction of its joints to
/// be solved for.
std::vector<ElementPtr> stepped_carried_elements(const Mechanism& mechanism);

}  // namespace amble
