"""The Gauss curvature of the double pendulum's torus: positive where the arm is stretched, negative where it is folded."""

from pathlib import Path

import amble

ROOT = Path(__file__).resolve().parents[2]


def picture():
    return amble.curvature_map(amble.load(ROOT / "models/double_pendulum.urdf"), [0.0, 0.0], cells=48)


if __name__ == "__main__":
    print(picture(), end="")
