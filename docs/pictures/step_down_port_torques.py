"""Draws docs/pictures/step-down-port-torques.svg: DS Fig 5.11, at the ankle."""

import runpy
from pathlib import Path

beside = runpy.run_path(str(Path(__file__).with_name("foot_placement_push.py")))


def picture():
    return beside["scenario"]("step_down", "torques_q3", "controller=port")


if __name__ == "__main__":
    beside["write"](__file__, picture())
