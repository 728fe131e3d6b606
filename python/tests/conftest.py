"""Model files for the tests: ours, and real robots where their folder is there."""

import os
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


@pytest.fixture
def models():
    return MODELS
