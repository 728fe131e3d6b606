"""Draws docs/pictures/step-down-port-energies.svg: DS Fig 5.10."""

import runpy
from pathlib import Path

beside = runpy.run_path(str(Path(__file__).with_name("foot_placement_push.py")))


def picture():
    return beside["scenario"]("step_down", "energies", "controller=port")


if __name__ == "__main__":
    beside["write"](__file__, picture())
