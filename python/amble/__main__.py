"""The program `amble`, as `python -m amble` and as the command that pip installs."""

import os
import shutil
import sys
from pathlib import Path


def main() -> None:
    here = Path(__file__).resolve().parent
    # In a package that pip built, then in the build folder of a source tree, then wherever the system has it.
    places = [here / "bin" / "amble", here.parents[1] / "bin" / "amble"]
    program = next((str(p) for p in places if p.is_file()), None) or shutil.which("amble")
    if program is None:
        sys.exit("amble: error: the program amble is not installed with this package; on Debian: apt install amble")
    os.execv(program, ["amble", *sys.argv[1:]])


if __name__ == "__main__":
    main()
