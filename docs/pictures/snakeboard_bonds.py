"""Draws docs/pictures/snakeboard-bonds.svg: the bond graph of scenarios/bonds/snakeboard.toml. Run it with
`./amble python docs/pictures/snakeboard_bonds.py`."""

from pathlib import Path

import amble

ROOT = Path(__file__).resolve().parents[2]


def picture():
    return amble.load_bond_graph(ROOT / "scenarios/bonds/snakeboard.toml").svg()


if __name__ == "__main__":
    (ROOT / "docs/pictures/snakeboard-bonds.svg").write_text(picture())
