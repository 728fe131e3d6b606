"""Draws docs/pictures/foot-placement-line.svg: DS Fig 5.21."""

import runpy
from pathlib import Path

beside = runpy.run_path(str(Path(__file__).with_name("foot_placement_push.py")))


def picture():
    return beside["scenario"]("foot_placement_line", "path")


if __name__ == "__main__":
    beside["write"](__file__, picture())
