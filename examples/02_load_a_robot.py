"""Any URDF, SDFormat or MJCF file: what is in it, and where are its bodies?"""

import sys

import amble

robot = amble.load(sys.argv[1])
print(f"{robot.name}: nq {robot.nq}, nv {robot.nv}, {robot.mass} kg")
for warning in robot.warnings + robot.notes:
    print("noticed:", warning)
q = robot.neutral()
for body in robot.bodies:
    print(body, "at", amble.pose(robot, q, body)[:3, 3])
# Everyday changes make new mechanisms; the old one stays as it is.
print("gravity on the moon:", robot.with_gravity([0, 0, -1.62]).gravity, "m/s^2")
