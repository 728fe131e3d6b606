"""Draws docs/pictures/battery-motor-joint.svg: the bond graph of scenarios/bonds/battery_motor_joint.toml. Run it with
`./amble python docs/pictures/battery_motor_joint.py`."""

from pathlib import Path

import amble

ROOT = Path(__file__).resolve().parents[2]


def picture():
    return amble.load_bond_graph(ROOT / "scenarios/bonds/battery_motor_joint.toml").svg()


if __name__ == "__main__":
    (ROOT / "docs/pictures/battery-motor-joint.svg").write_text(picture())
