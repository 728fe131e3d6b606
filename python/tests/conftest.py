"""Model files for the tests: ours, and real robots where their folder is there."""

import os
import threading
import time
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2]
MODELS = SOURCE / "models"
ROBOTS = Path(os.environ.get("AMBLE_ROBOTS", SOURCE.parent / "shared" / "robots"))


def urdf_files():
    """Parameters: every URDF of ours and, when the folder is there, of the real robots."""
    files = [pytest.param(f, id=f.stem) for f in sorted(MODELS.glob("*.urdf"))]
    robots = sorted(ROBOTS.glob("*.urdf"))
    if robots:
        return files + [pytest.param(f, id="robot-" + f.stem) for f in robots]
    absent = pytest.mark.skip(reason=f"no real robots in {ROBOTS}; set AMBLE_ROBOTS to their folder")
    return files + [pytest.param(None, id="robots", marks=absent)]


def ticks_during(work):
    """How often the interpreter could do something else meanwhile, about once a millisecond while it is not locked."""
    thread = threading.Thread(target=work)
    ticks = 0
    thread.start()
    while thread.is_alive():
        time.sleep(0.001)
        ticks += 1
    thread.join()
    return ticks


@pytest.fixture
def models():
    return MODELS
