"""Rotations, poses, twists, screws, lines, inertias and charts of SO(3), on NumPy arrays.

Twists and wrenches have six numbers, linear part first. Functions of one array also take stacks (..., n).
"""

from amble._amble.geometry import *
from amble._amble import geometry as _compiled

__all__ = [name for name in dir(_compiled) if not name.startswith("_")]
