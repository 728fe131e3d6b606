"""Recordings on the disk: read by h5py as users do, the same bits, and readable whenever their writer is killed."""

import gc
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pytest

import amble

ROOT = Path(__file__).resolve().parents[2]
SNAKEBOARD = ROOT / "scenarios/snakeboard.toml"


def floating_arm():
    b = amble.Builder("arm")
    b.body("base", mass=2.0, com=[0, 0, 0.1], inertia=np.eye(3))
    b.body("hand", mass=1.0, com=[0.2, 0, 0], inertia=np.eye(3))
    b.joint("root", "free", parent="world", child="base")
    b.joint("slide", "prismatic", parent="base", child="hand", axis=[1, 0, 0], damping=0.3)
    return b.build()


def motion():
    m = floating_arm()
    v = np.arange(m.nv) / 7.0
    return amble.simulate(m, m.neutral(), v, 1.0, elements=[amble.joint_springs(m, np.full(m.nv, 5.0))], interval=0.05)


def test_the_parts_of_a_recorded_mechanism_outlive_the_recording():
    recording = motion()
    hand = recording.mechanism.body("hand")
    assert recording.mechanism is recording.mechanism
    del recording
    gc.collect()
    assert hand.mass == 1.0 and hand.name == "hand"


def assert_same(a, b):
    for name in ("t", "q", "v", "kinetic", "potential", "energy"):
        assert np.array_equal(getattr(a, name), getattr(b, name)), name
    assert a.ledger == b.ledger and a.events == b.events and a.origin == b.origin and a.complete == b.complete
    for name, value in a.ledgers.items():
        assert np.array_equal(value, b.ledgers[name]), name


def test_what_is_saved_is_loaded_to_the_last_bit(tmp_path):
    r = motion()
    assert r.complete and len(r.ledgers["t"]) > 5 and r.ledgers["names"] == ["joint damping", "springs"]
    for name in ("a.h5", "b.hdf5"):
        r.save(tmp_path / name)
        assert_same(r, amble.load_recording(tmp_path / name))
    again = amble.load_recording(str(tmp_path / "a.h5"))
    again.save(tmp_path / "again.csv"), r.save(tmp_path / "first.csv")
    assert (tmp_path / "again.csv").read_text() == (tmp_path / "first.csv").read_text()


def test_h5py_reads_it_with_units_and_frames(tmp_path):
    r = motion()
    r.save(tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5", "r") as f:
        assert (f.attrs["format"].decode(), f.attrs["version"], f.attrs["complete"]) == ("amble recording", 2, 1)
        assert f.attrs["amble"].decode() == amble.__version__ and f.attrs["seed"] == 0
        for name in ("t", "q", "v", "kinetic", "potential"):
            assert np.array_equal(f[name][:], getattr(r, name)) and f[name].attrs["meaning"]
        assert f["t"].attrs["units"] == b"s" and f["kinetic"].attrs["units"] == b"J"
        assert f["q"].attrs["units"].tolist() == [b"m"] * 3 + [b"1"] * 4 + [b"m"]
        assert f["v"].attrs["units"].tolist() == [b"m/s"] * 3 + [b"rad/s"] * 3 + [b"m/s"]
        assert b"quaternion" in f["q"].attrs["frame"] and b"body axes" in f["v"].attrs["frame"]
        assert f["q_names"].asstr()[:].tolist() == r.q_names and f["v_names"].asstr()[:].tolist() == r.v_names
        assert f["ledger/names"].asstr()[:].tolist() == r.ledgers["names"]
        assert np.array_equal(f["ledger/delivered"][:], r.ledgers["delivered"])
        assert f["ledger/delivered"][-1, 1] == r.ledger["entries"][1]["delivered"]
        plain = []
        f.visititems(lambda name, x: plain.append(isinstance(x, h5py.Group) or x.dtype.kind in "fS"))
        assert all(plain)  # nothing that MATLAB cannot read


def test_a_scenario_is_recorded_while_it_runs_and_replayed(tmp_path):
    r, _ = amble.run_scenario(SNAKEBOARD, ["simulation.duration=2"], record=tmp_path / "board.h5")
    loaded = amble.load_recording(tmp_path / "board.h5")
    assert_same(r, loaded)
    assert loaded.origin["scenario"] == SNAKEBOARD.read_text() and loaded.origin["settings"] == ["simulation.duration=2"]
    assert amble.replay(loaded) == {"same": True, "rows": len(r), "difference": ""}
    with pytest.raises(amble.Error, match="no scenario"):
        amble.replay(motion())
    with pytest.raises(amble.Error, match="ends in .h5"):
        amble.run_scenario(SNAKEBOARD, record=tmp_path / "board.txt")


FOREVER = """
import sys, amble
amble.run_scenario(sys.argv[1], ["simulation.duration=1e9", "simulation.interval=0"], record=sys.argv[2])
"""


def test_a_killed_run_leaves_a_file_that_h5py_and_we_can_read(tmp_path):
    dice = random.Random(3)
    whole = None
    for attempt in range(6):
        path = tmp_path / f"killed{attempt}.h5"
        run = subprocess.Popen([sys.executable, "-c", FOREVER, str(SNAKEBOARD), str(path)])
        while not path.exists():
            time.sleep(0.01)
        time.sleep(dice.uniform(0.0, 2.0))
        with h5py.File(path, "r") as f:  # while it is being written
            meanwhile = len(f["t"])
        run.send_signal(signal.SIGKILL)
        run.wait()
        with h5py.File(path, "r") as f:
            t, q = f["t"][:], f["q"][:]
            assert f.attrs["complete"] == 0 and len(t) >= meanwhile and len(q) >= len(t) > 0
            assert np.isfinite(q).all() and (np.diff(t) > 0).all()
        r = amble.load_recording(path)
        assert not r.complete and np.array_equal(r.t, t) and np.array_equal(r.q, q[: len(t)])
        whole = r if whole is None or len(r) > len(whole) else whole
        assert np.array_equal(whole.q[: min(len(r), len(whole))], r.q[: min(len(r), len(whole))])
    assert len(whole) > 500 and amble.replay(whole)["same"]


def test_files_that_are_no_recordings_are_refused(tmp_path):
    (tmp_path / "text.h5").write_text("hello")
    with h5py.File(tmp_path / "other.h5", "w") as f:
        f["x"] = 1.0
    motion().save(tmp_path / "cut.h5")
    os.truncate(tmp_path / "cut.h5", os.path.getsize(tmp_path / "cut.h5") // 2)
    for name, words in [("none.h5", "no such file"), ("text.h5", "not an HDF5 file"), ("other.h5", "not a recording"),
                        ("cut.h5", "cut off")]:
        with pytest.raises(amble.Error, match=words):
            amble.load_recording(tmp_path / name)
    with pytest.raises(amble.Error, match=r"\.h5, \.hdf5 or \.csv"):
        motion().save(tmp_path / "a.xyz")
