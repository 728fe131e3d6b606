"""How far the joints of a seven-axis arm have wandered after its hand has gone round a circle again and again."""

from pathlib import Path

import amble
import numpy as np

ROOT = Path(__file__).resolve().parents[2]


def picture():
    arm = amble.load(ROOT / "models/arm7.urdf")
    task = amble.position_task(arm, arm.bodies[-1])
    q = [0.3, 0.6, -0.4, 1.1, 0.5, 0.7, -0.2]
    still = [2, 4, 5, 6]  # the joints that an inverse which repeats itself leaves alone
    rest = amble.user_task(arm, "rest", 4, lambda q: q[still], lambda q: np.eye(7)[still])
    inverses = [amble.pseudoinverse(task), amble.kinetic_lift(task), amble.extended_inverse(task, rest)]
    loops = [amble.holonomy(i, q, [1, 0, 0], [0, 0, 1], radius=0.08, loops=12, tolerance=1e-8, samples=2) for i in inverses]
    return amble.drift_figure(arm, loops, ["pseudoinverse", "horizontal lift", "extended inverse"])


if __name__ == "__main__":
    print(picture(), end="")
