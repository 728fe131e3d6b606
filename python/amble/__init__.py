"""Amble: model, simulate, analyse and control legged robots.

    import amble
    robot = amble.load("robot.urdf", floating_base=True)
    q = robot.random(seed=1)
    X = amble.pose(robot, q, "foot")            # 4 x 4
    J = amble.jacobian(robot, q, "foot")        # 6 x nv, linear part first

SI units and radians. Every function that takes q also takes a stack (..., nq) and then runs on all cores.
"""

from amble import geometry
from amble._amble import (
    Body,
    Builder,
    Error,
    Frame,
    Joint,
    Loop,
    Mechanism,
    ProductOfExponentials,
    __version__,
    actuator_forces,
    bias_forces,
    deserialize,
    differences,
    forward_dynamics,
    generalized_forces,
    gravity_forces,
    inertial_parameters,
    inverse_dynamics,
    inverse_dynamics_placement_derivatives,
    inverse_dynamics_regressor,
    jacobian,
    kinetic_energy_gradient,
    kinetic_energy_regressor,
    load,
    load_text,
    mass_matrix,
    mechanism_of,
    pose,
    potential_energy_regressor,
    product_of_exponentials,
    random_mechanism,
    serialize,
    set_threads,
    threads,
)

__all__ = [
    "Body",
    "Builder",
    "Error",
    "Frame",
    "Joint",
    "Loop",
    "Mechanism",
    "ProductOfExponentials",
    "actuator_forces",
    "bias_forces",
    "deserialize",
    "differences",
    "forward_dynamics",
    "generalized_forces",
    "geometry",
    "gravity_forces",
    "inertial_parameters",
    "inverse_dynamics",
    "inverse_dynamics_placement_derivatives",
    "inverse_dynamics_regressor",
    "jacobian",
    "kinetic_energy_gradient",
    "kinetic_energy_regressor",
    "load",
    "load_text",
    "mass_matrix",
    "mechanism_of",
    "pose",
    "potential_energy_regressor",
    "product_of_exponentials",
    "random_mechanism",
    "serialize",
    "set_threads",
    "threads",
]
