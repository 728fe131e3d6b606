"""Commands that are killed, interrupted, or find no room: what was whole stays whole, and one line says why."""

import csv
import ctypes
import io
import json
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

import h5py
import pytest

ROOT = Path(__file__).resolve().parent.parent
AMBLE = Path(os.environ["AMBLE_BUILD_DIR"]) / "bin/amble"
SEED = int(os.environ.get("AMBLE_FAULT_SEED", "1"))
KILLS = 200  # over all commands
SNAKEBOARD = ROOT / "scenarios/snakeboard.toml"


class Job:
    """A command that writes files: its words, with {} for the folder of its outputs, and the names of these."""

    def __init__(self, name, words, outputs):
        self.name, self.words, self.outputs = name, words, outputs

    def command(self, folder):
        return [str(AMBLE), *(w.replace("{}", str(folder)) for w in self.words)]

    def __repr__(self):
        return self.name


def words(text):
    return text.format(root=ROOT, folder="{}").split()


JOBS = [
    Job("record_h5", words("simulate {root}/scenarios/snakeboard.toml --set simulation.duration=60 --record {folder}/a.h5"), ["a.h5"]),
    Job("record_csv", words("simulate {root}/scenarios/snakeboard.toml --set simulation.duration=30 --record {folder}/a.csv"), ["a.csv"]),
    Job("walk", words("walk compass --starts 20 -o {folder} --pictures {folder}/pictures"),
        ["walk_compass.html", "walk_compass.h5", "pictures/stick-figures.svg", "pictures/stick-figures.png"]),
    Job("view", words("view --synthetic 20 --html {folder}/a.html --scene {folder}/a.scene --glb {folder}/a.glb"), ["a.html", "a.glb"]),
    Job("pictures", words("view --synthetic 2 --pictures {folder}/p"), ["p/energy.svg", "p/energy.png"]),
    Job("basin", words("gait basin compass --starts 20 --cells 2000 --svg {folder}/a.svg --png {folder}/a.png"), ["a.svg", "a.png"]),
    Job("continue", words("gait continue simplest --starts 20 --parameter slope_deg --from 0.5 --to 0.8 --svg {folder}/a.svg"), ["a.svg"]),
    Job("search", words("gait search compass --speed 0.6 --starts 1 --curves {folder}/a.csv --svg {folder}/a.svg"), ["a.csv", "a.svg"]),
    Job("bond", words("bond {root}/scenarios/bonds/rlc.toml --simulate 5 --record {folder}/a.csv --svg {folder}/a.svg"), ["a.csv", "a.svg"]),
    Job("geometry", words("geometry curvature {root}/models/double_pendulum.urdf --svg {folder}/a.svg"), ["a.svg"]),
]


# ---- what is whole

def whole_h5(path):
    with h5py.File(path, "r") as f:
        rows = len(f["t"])
        assert f.attrs["complete"] in (0, 1)
        assert all(len(f[name]) >= rows for name in ("q", "v", "kinetic", "potential"))
        f["q"][:rows]


def whole_csv(path):
    text = path.read_text()
    assert text.endswith("\n")
    assert len({len(row) for row in csv.reader(io.StringIO(text))}) == 1


def whole_glb(path):
    data = path.read_bytes()
    assert data[:4] == b"glTF" and struct.unpack_from("<I", data, 8)[0] == len(data)


def ends_with(end):
    def check(path):
        assert path.read_bytes().rstrip().endswith(end)
    return check


WHOLE = {".h5": whole_h5, ".csv": whole_csv, ".glb": whole_glb, ".html": ends_with(b"</html>"), ".svg": ends_with(b"</svg>"),
         ".png": ends_with(b"IEND\xaeB`\x82")}


def files_in(folder):
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}


def check_whole(folder, allowed):
    """Every file in the folder is one of those allowed, and whole."""
    for name in files_in(folder):
        assert name in allowed, f"left behind: {name}"
        check = WHOLE.get(Path(name).suffix)
        if check:
            check(folder / name)


# ---- the commands, once in peace

@pytest.fixture(scope="module", params=JOBS, ids=repr)
def job(request):
    return request.param


class Reference:
    def __init__(self, job, folder):
        self.job, self.folder = job, folder
        start = time.monotonic()
        done = subprocess.run(job.command(folder), capture_output=True, text=True, timeout=300)
        self.seconds = time.monotonic() - start
        assert done.returncode == 0, done.stderr
        self.names = files_in(folder)
        assert set(job.outputs) <= self.names, self.names
        check_whole(folder, self.names)


@pytest.fixture(scope="module")
def reference(job, tmp_path_factory):
    return Reference(job, tmp_path_factory.mktemp(job.name))


def start(job, folder, **more):
    more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
    return subprocess.Popen(job.command(folder), text=True, preexec_fn=more.pop("preexec_fn", None), **more)


def is_writing(pid, folder):
    """Whether a process has a file open in this folder, with a name or without."""
    try:
        return any(os.readlink(f"/proc/{pid}/fd/{fd}").startswith(str(folder)) for fd in os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return False


def wait_for_writing(process, folder):
    while process.poll() is None and not is_writing(process.pid, folder):
        time.sleep(0.0002)


def wait_for_start(process):
    """Until the program has taken over from the loader: it then catches SIGINT."""
    while process.poll() is None:
        try:
            caught = int(re.search(r"SigCgt:\s*(\w+)", Path(f"/proc/{process.pid}/status").read_text()).group(1), 16)
        except (OSError, AttributeError):
            return
        if caught >> (signal.SIGINT - 1) & 1:
            return
        time.sleep(0.0005)


def outcome(process, timeout=120):
    out, errors = process.communicate(timeout=timeout)
    return process.returncode, out, errors


def one_line(errors, start):
    lines = [line for line in errors.splitlines() if line]
    assert len([line for line in lines if line.startswith(start)]) == 1, errors
    assert "Traceback" not in errors and "unexpected" not in errors and "HDF5-DIAG" not in errors, errors
    return lines[-1]


def make_folder(tmp_path, reference, name, old):
    """An empty folder, or one with the outputs of an earlier run."""
    folder = tmp_path / name
    if old:
        shutil.copytree(reference.folder, folder)
    else:
        folder.mkdir()
    return folder


# ---- killed

def test_a_command_that_is_killed_leaves_nothing_half_written(reference, tmp_path):
    """Half of the moments are any during the run, half within 20 ms after a file was opened."""
    source = random.Random(f"{SEED} {reference.job.name}")
    print(f"seed {SEED} ({reference.job.name})")
    for k in range(KILLS // len(JOBS)):
        old, at_writing = k % 4 < 2, k % 2 == 0
        folder = make_folder(tmp_path, reference, str(k), old)
        process = start(reference.job, folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if at_writing:
            wait_for_writing(process, folder)
            time.sleep(source.uniform(0.0, 0.02))
        else:
            time.sleep(source.uniform(0.0, reference.seconds))
        process.kill()
        process.wait()
        # A copy under a hidden name, whole, while one file takes the place of another: docs/install.md says so.
        hidden = {name for name in files_in(folder) if Path(name).name.startswith(".amble-")}
        check_whole(folder, reference.names | hidden)
        assert not old or reference.names <= files_in(folder), f"kill {k}: a file was lost"
        shutil.rmtree(folder)


# ---- interrupted

@pytest.mark.parametrize("sign, code, line", [(signal.SIGINT, 130, "amble: interrupted"), (signal.SIGTERM, 143, "amble: terminated")],
                         ids=["ctrl-c", "sigterm"])
def test_a_command_that_is_interrupted_says_so_and_leaves_no_rest(reference, tmp_path, sign, code, line):
    source = random.Random(f"{SEED} {reference.job.name} {code}")
    print(f"seed {SEED} ({reference.job.name})")
    hits = 0
    for k in range(10):
        folder = make_folder(tmp_path, reference, f"{code}-{k}", old=k % 2 == 0)
        process = start(reference.job, folder)
        wait_for_start(process)
        time.sleep(source.uniform(0.0, 0.5) * reference.seconds)
        process.send_signal(sign)
        got, _, errors = outcome(process)
        check_whole(folder, reference.names)
        assert got in (0, code), (got, errors)  # 0: it had finished meanwhile
        assert k % 2 != 0 or reference.names <= files_in(folder)
        if got == code:
            assert one_line(errors, line) == line, errors
            hits += 1
        if hits == 3:
            return
    assert hits > 0, "every run had ended before its signal came"


# ---- no room

def limited_files(most):
    def apply():
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    return apply


def test_a_file_that_may_not_grow_is_an_error_and_the_old_one_stays(reference, tmp_path):
    folder = make_folder(tmp_path, reference, "limited", old=True)
    before = {name: (folder / name).read_bytes() for name in reference.names}
    smallest = min(len(data) for data in before.values())
    got, _, errors = outcome(start(reference.job, folder, preexec_fn=limited_files(max(1, smallest // 2))))
    assert got == 1, (got, errors)
    line = one_line(errors, "amble: error: ")
    assert "File too large" in line and ": cannot be written" in line, line
    assert files_in(folder) == reference.names
    for name, data in before.items():
        assert name.endswith(".h5") or (folder / name).read_bytes() == data, f"{name} has changed"
    check_whole(folder, reference.names)


@pytest.fixture(scope="module")
def small_disk(tmp_path_factory):
    """A file system of 64 kB, where this user may mount one."""
    folder = tmp_path_factory.mktemp("disk")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True).returncode == 0
    yield folder if mounted else None
    if mounted:
        subprocess.run(["umount", folder], check=True)


def test_a_full_disk_is_an_error_that_leaves_no_rest(reference, small_disk):
    if small_disk is None:
        pytest.skip("no file system can be mounted here; the limit on file sizes is tried everywhere")
    for path in list(small_disk.iterdir()):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    filler = small_disk / "filler"
    filler.write_bytes(b"x" * 40_000)
    folder = small_disk / "out"
    folder.mkdir()
    got, _, errors = outcome(start(reference.job, folder))
    if got == 0:  # all its outputs are that small
        assert sum((folder / name).stat().st_size for name in files_in(folder)) < 24_000
    else:
        assert got == 1 and "No space left on device" in one_line(errors, "amble: error: "), (got, errors)
    check_whole(folder, reference.names)


@pytest.mark.parametrize("device", ["/dev/full"])
def test_an_output_to_a_full_device_is_an_error_and_the_device_stays(device, tmp_path):
    for words_ in (["simulate", SNAKEBOARD, "--set", "simulation.duration=1", "--record", tmp_path / "link.csv"],
                   ["view", "--synthetic", "1", "--html", device], ["view", "--synthetic", "1", "--glb", device],
                   ["bond", ROOT / "scenarios/bonds/rlc.toml", "--svg", device]):
        (tmp_path / "link.csv").unlink(missing_ok=True)
        (tmp_path / "link.csv").symlink_to(device)
        done = subprocess.run([AMBLE, *words_], capture_output=True, text=True)
        assert done.returncode == 1 and "No space left on device" in one_line(done.stderr, "amble: error: "), done.stderr
        assert Path(device).is_char_device() and (tmp_path / "link.csv").is_symlink()


def test_output_that_does_not_arrive_is_an_error():
    with open("/dev/full", "w") as full:
        for words_ in (["completion"], ["inspect", ROOT / "models/arm7.urdf"], ["gait", "cycles", "simplest", "--starts", "5"]):
            done = subprocess.run([AMBLE, *words_], stdout=full, stderr=subprocess.PIPE, text=True)
            assert (done.returncode, done.stderr) == (1, "amble: error: cannot write the output\n")


# ---- no way

def obey_permissions():
    """As others do: root loses what lets it write anywhere."""
    drop, override = 24, 1  # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE
    ctypes.CDLL(None).prctl(drop, override, 0, 0, 0)


@pytest.mark.parametrize("folder", ["/proc", "/sys", None], ids=["proc", "sys", "read-only"])
def test_a_folder_that_takes_no_files_is_named(job, tmp_path, folder):
    place = Path(folder) if folder else tmp_path / "locked"
    if folder is None:
        place.mkdir(mode=0o555)
    got, _, errors = outcome(start(job, place, preexec_fn=obey_permissions))
    assert got == 2, (got, errors)
    assert str(place) in one_line(errors, "amble: error: ")
    assert folder or not files_in(place)


def test_a_closed_pipe_ends_a_command_and_leaves_its_files_whole(reference, tmp_path):
    folder = tmp_path / "piped"
    folder.mkdir()
    command = " ".join(f"'{w}'" for w in reference.job.command(folder))
    done = subprocess.run(["bash", "-c", f"{command} | head -c 1; exit ${{PIPESTATUS[0]}}"], capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 141), (done.returncode, done.stderr)  # 141: of SIGPIPE, as other programs end
    assert "error" not in done.stderr, done.stderr
    check_whole(folder, reference.names)


# ---- what is kept

def test_a_basin_that_is_interrupted_counts_what_was_followed(tmp_path):
    picture = tmp_path / "a.svg"
    command = [AMBLE, "gait", "basin", "compass", "--starts", "20", "--cells", "20000000", "--json", "--svg", picture]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(4.0)
    process.send_signal(signal.SIGINT)
    got, out, errors = outcome(process)
    assert got == 130 and one_line(errors, "amble: interrupted") == "amble: interrupted", errors
    if out:  # else it was still looking for cycles
        basin = json.loads(out)
        assert basin["complete"] is False and basin["fraction"] is None and basin["volume"] is None
        assert basin["followed"] == basin["converged"] + basin["fell"] + basin["wandered"] < basin["cells"]
    assert not picture.exists()


def test_the_basin_of_a_walker_without_a_metric_has_no_volume():
    done = subprocess.run([AMBLE, "gait", "basin", "simplest", "--starts", "20", "--cells", "100"], capture_output=True, text=True)
    assert done.returncode == 0 and "nan" not in done.stdout, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "no volume: this walker has no kinetic metric"


def test_a_second_ctrl_c_ends_at_once():
    process = subprocess.Popen([AMBLE, "view", "--synthetic", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.readline()  # it serves
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    got, _, errors = outcome(process, timeout=10)
    assert got == 130 and one_line(errors, "amble: interrupted") == "amble: interrupted", errors


if __name__ == "__main__":
    chosen = sys.argv[1] if len(sys.argv) > 1 else ""
    sys.exit(pytest.main([__file__, "-q", "-p", "no:cacheprovider", "-W", "ignore", "-k", chosen]))
