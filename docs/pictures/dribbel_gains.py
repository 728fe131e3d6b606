"""Draws docs/pictures/dribbel-gains.svg: walks of Dribbel over the gains of its hip controller, as in DS Fig 5.12. Run it with
`./amble python docs/pictures/dribbel_gains.py`."""

from pathlib import Path

import amble

axes = [("proportional_gain", 2.0, 18.0, 9), ("derivative_gain", 0.0, 0.5, 6)]
sweep = amble.drive_sweep("dribbel", axes)
Path(__file__).with_name("dribbel-gains.svg").write_text(sweep["svg"])
