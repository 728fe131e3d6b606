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
    deserialize,
    differences,
    jacobian,
    load,
    load_text,
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
    "deserialize",
    "differences",
    "geometry",
    "jacobian",
    "load",
    "load_text",
    "mechanism_of",
    "pose",
    "product_of_exponentials",
    "random_mechanism",
    "serialize",
    "set_threads",
    "threads",
]
