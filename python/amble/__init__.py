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
    bias_forces,
    deserialize,
    differences,
    forward_dynamics,
    gravity_forces,
    inverse_dynamics,
    jacobian,
    load,
    load_text,
    mass_matrix,
    mechanism_of,
    pose,
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
    "bias_forces",
    "deserialize",
    "differences",
    "forward_dynamics",
    "geometry",
    "gravity_forces",
    "inverse_dynamics",
    "jacobian",
    "load",
    "load_text",
    "mass_matrix",
    "mechanism_of",
    "pose",
    "product_of_exponentials",
    "random_mechanism",
    "serialize",
    "set_threads",
    "threads",
]
