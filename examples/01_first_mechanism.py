"""A double pendulum in code: where is its tip, and how does the tip move?"""

import numpy as np

import amble

inertia = np.diag([1 / 12, 1 / 12, 0.001])
down = np.eye(4)
down[2, 3] = -1.0

b = amble.Builder("double_pendulum")
for rod in ("upper", "lower"):
    b.body(rod, mass=1.0, com=[0, 0, -0.5], inertia=inertia)
b.joint("shoulder", "revolute", parent="world", child="upper", axis=[0, 1, 0])
b.joint("elbow", "revolute", parent="upper", child="lower", pose=down, axis=[0, 1, 0])
b.frame("tip", "lower", pose=down)
pendulum = b.build()

q = np.array([0.3, -0.5])
print("tip at", amble.pose(pendulum, q, "tip")[:3, 3], "m")
print("its Jacobian\n", amble.jacobian(pendulum, q, "tip", frame="aligned"))

# A stack of states goes through at once, on all cores.
many = np.stack([pendulum.random(seed=i) for i in range(1000)])
print("highest tip of 1000 random states:", amble.pose(pendulum, many, "tip")[:, 2, 3].max(), "m")
