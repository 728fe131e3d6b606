"""Draws docs/pictures/foot-placement-push.svg: DS Fig 5.20. Run it, and those beside it that use it, with `./amble python FILE`."""

import os
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
AMBLE = Path(os.environ.get("AMBLE_BUILD_DIR", ROOT / "build/release")) / "bin/amble"


def drawn(command, *words, file="map.svg"):
    """The picture that a command of the program writes."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([AMBLE, *command.split(), *words], cwd=folder, capture_output=True, text=True)
        if done.returncode == 2:
            raise ValueError(done.stderr)
        return (Path(folder) / file).read_text(encoding="utf-8")


def scenario(name, picture, *settings):
    """What `amble simulate --svg` draws of a walker's scenario."""
    words = [word for setting in settings for word in ("--set", setting)]
    return drawn("simulate --svg -o .", ROOT / f"scenarios/{name}.toml", *words, file=f"{name}_{picture}.svg")


def picture():
    return scenario("foot_placement_push", "path")


def write(script, svg):
    Path(script).with_name(Path(script).stem.replace("_", "-") + ".svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    write(__file__, picture())
