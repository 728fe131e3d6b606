"""Draws docs/pictures/step-down-none-energies.svg: DS Fig 5.8."""

import runpy
from pathlib import Path

beside = runpy.run_path(str(Path(__file__).with_name("foot_placement_push.py")))


def picture():
    return beside["scenario"]("step_down", "energies", "controller=none")


if __name__ == "__main__":
    beside["write"](__file__, picture())
