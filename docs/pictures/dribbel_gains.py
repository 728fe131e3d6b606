"""Draws docs/pictures/dribbel-gains.svg: DS Fig 5.12, over both gains at a set point of 0.3 rad."""

import runpy
from pathlib import Path

beside = runpy.run_path(str(Path(__file__).with_name("foot_placement_push.py")))


def picture():
    return beside["drawn"]("gait drive dribbel --sweep proportional_gain=2:18:9 --sweep derivative_gain=0:0.5:6 --svg map.svg")


if __name__ == "__main__":
    beside["write"](__file__, picture())
