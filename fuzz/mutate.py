"""Tries damaged files and hostile clients on Amble from outside, through its Python package and its viewer.

    ./amble python fuzz/mutate.py [COUNT] [FORMAT ...]

COUNT files (default: 1000) of each format: whole ones, changed at random with a fixed seed. A process of its own reads
them one after the other: each is read, or refused with an amble.Error. A crash, another exception, or more than LONGEST
seconds is a finding, and its file is kept. `viewer` is COUNT clients of a viewer that serves meanwhile.
"""

import os
import random
import re
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

FUZZ = Path(__file__).resolve().parent
ROOT = FUZZ.parent
KEPT = ROOT / "build" / "findings"
LONGEST = 30  # s, for one file
SEED = int(os.environ.get("AMBLE_FUZZ_SEED", "1"))

# ---- the formats: whole files, and what reads one


def read_model(amble, path):
    amble.load(path)


def read_mesh(amble, path):
    amble.mesh_shape(path)


def read_scenario(amble, path):
    amble.run_scenario(path, ["simulation.duration=0.01"])


def read_walker(amble, path):
    amble.Walker(path)


def read_bond_graph(amble, path):
    amble.run_bond_graph(path, 1e-3)


def read_recording(amble, path):
    amble.load_recording(path)


SHORT_SCENARIOS = ("bouncing_ball", "bungee_lumped", "snakeboard", "sliding_box", "rolling_ball")
FORMATS = {  # ending of the files, patterns of whole ones, reader
    "urdf": (".urdf", ["models/*.urdf", "tests/formats/*.urdf"], read_model),
    "sdf": (".sdf", ["models/*.sdf", "tests/formats/*.sdf"], read_model),
    "mjcf": (".xml", ["models/*.xml", "tests/formats/*.xml"], read_model),
    "obj": (".obj", ["fuzz/corpus/obj/*.obj"], read_mesh),
    "stl": (".stl", ["fuzz/corpus/stl/*.stl"], read_mesh),
    "msh": (".msh", ["fuzz/corpus/msh/*.msh"], read_mesh),
    "dae": (".dae", ["fuzz/corpus/dae/*.dae"], read_mesh),
    "scenario": (".toml", [f"scenarios/{name}.toml" for name in SHORT_SCENARIOS], read_scenario),
    "walker": (".toml", ["scenarios/walkers/*.toml"], read_walker),
    "bond": (".toml", ["scenarios/bonds/*.toml"], read_bond_graph),
    "recording": (".h5", ["fuzz/corpus/recording/s*.h5"], read_recording),
    "recording_1": (".h5", ["fuzz/corpus/recording/format_1.h5"], read_recording),
}

# ---- damage

ODD = [b"nan", b"inf", b"-inf", b"1e308", b"-1e308", b"1e-320", b"0", b"-0", b"-1", b"1e32", b"4294967296", b"%s%n", b"",
       b"9223372036854775808", b"0x1p+2000", b"1e9", b"\xff\xfe", b"../../..", b"1,5"]
TOKEN = re.compile(rb"[^\s<>=\"'\[\]{},]+")


def flip_bits(source, data):
    for _ in range(source.randint(1, 8)):
        data[source.randrange(len(data))] ^= 1 << source.randrange(8)


def cut_off(source, data):
    del data[source.randrange(len(data)):]


def take_out(source, data):
    at = source.randrange(len(data))
    del data[at:at + source.randint(1, 64)]


def repeat(source, data):
    at = source.randrange(len(data))
    data[at:at] = data[at:at + source.randint(1, 256)] * source.randint(1, 4)


def put_in(source, data):
    at = source.randrange(len(data))
    data[at:at] = bytes(source.randrange(256) for _ in range(source.randint(1, 8)))


def swap_words(source, data):
    words = list(TOKEN.finditer(bytes(data)))
    if len(words) < 2:
        return flip_bits(source, data)
    a, b = sorted(source.sample(words, 2), key=lambda m: m.start())
    data[:] = data[:a.start()] + b.group() + data[a.end():b.start()] + a.group() + data[b.end():]


def odd_word(source, data):
    words = list(TOKEN.finditer(bytes(data)))
    if not words:
        return flip_bits(source, data)
    word = source.choice(words)
    data[word.start():word.end()] = source.choice(ODD)


DAMAGE = [flip_bits, cut_off, take_out, repeat, put_in, swap_words, swap_words, odd_word, odd_word, odd_word]


def damaged(source, data):
    out = bytearray(data)
    for _ in range(source.choice([1, 1, 1, 2, 3])):
        if out:
            source.choice(DAMAGE)(source, out)
    return bytes(out)


# ---- a process that reads

def work(name):
    import amble

    amble.set_limit("steps", 1e5)  # a force of 4 GHz is followed for as long as the limits say
    read = FORMATS[name][2]
    print("ready", flush=True)
    for line in sys.stdin:
        try:
            read(amble, line.rstrip("\n"))
            print("read", flush=True)
        except amble.Error:
            print("refused", flush=True)
        except Exception as problem:
            print(f"other {type(problem).__name__}: {str(problem)[:200]!r}", flush=True)


class Worker:
    def __init__(self, name):
        self.process = subprocess.Popen([sys.executable, __file__, "--work", name], stdin=subprocess.PIPE, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.answer(120)

    def answer(self, seconds):
        if not select.select([self.process.stdout], [], [], seconds)[0]:
            return f"longer than {seconds} s"
        return self.process.stdout.readline().strip() or f"ended with {self.process.wait()}"

    def read(self, path):
        self.process.stdin.write(f"{path}\n")
        self.process.stdin.flush()
        return self.answer(LONGEST)

    def end(self):
        self.process.kill()
        self.process.wait()


def whole_files(patterns):
    files = [file for pattern in patterns for file in sorted(ROOT.glob(pattern))]
    assert files, f"no files like {patterns}"
    return files


def folder_of(folder):
    """Where damaged files stand: below links to the folders that whole ones lead to, such as ../../models."""
    place = folder / "a" / "b" / "c"
    place.mkdir(parents=True, exist_ok=True)
    for depth in (place.parent, place.parent.parent, folder, place):
        for name in ("models", "scenarios"):
            if not (depth / name).exists():
                (depth / name).symlink_to(ROOT / name)
    return place


def try_format(name, count, folder):
    ending, patterns, _ = FORMATS[name]
    source, wholes = random.Random(f"{SEED} {name}"), whole_files(patterns)
    contents = [file.read_bytes() for file in wholes]
    place = folder_of(folder)
    counts, findings, worker = {"read": 0, "refused": 0}, [], Worker(name)
    for k in range(count):
        path = place / f"{name}-{k}{ending}"  # a name of its own: meshes are read once
        path.write_bytes(damaged(source, source.choice(contents)))
        result = worker.read(path)
        if result in counts:
            counts[result] += 1
            path.unlink()
            continue
        KEPT.mkdir(parents=True, exist_ok=True)
        shutil.move(path, KEPT / path.name)
        findings.append(f"{path.name}: {result}")
        if not result.startswith("other"):
            worker.end()
            worker = Worker(name)
    worker.end()
    print(f"{name:<14}{count:>8}{counts['read']:>8}{counts['refused']:>9}{len(findings):>10}", flush=True)
    return findings

# ---- clients


class Viewer:
    def __init__(self):
        amble = ROOT / "build" / "release" / "bin" / "amble"
        if "AMBLE_BUILD_DIR" in os.environ:
            amble = Path(os.environ["AMBLE_BUILD_DIR"]) / "bin" / "amble"
        self.process = subprocess.Popen([amble, "view", "--synthetic", "2"], stdout=subprocess.PIPE, text=True,
                                        stderr=subprocess.DEVNULL)
        self.address = self.process.stdout.readline().split()[-1]
        self.port = int(self.address.split(":")[2].split("/")[0])
        answer = self.ask(f"/{self.address.rstrip('/').rsplit('/', 1)[1]}/")
        self.cookie = re.search(rb"Set-Cookie: ([^;]*)", answer).group(1).decode()

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=15)

    def send(self, data):
        """What comes back until the end, or until nothing comes for a while."""
        with self.connect() as client:
            out = b""
            try:
                client.sendall(data)
                client.settimeout(8)
                while block := client.recv(65536):
                    out += block
                    client.settimeout(0.2)
            except (socket.timeout, ConnectionError):
                pass
            return out

    def head(self, path, more=""):
        return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nConnection: close\r\n{more}\r\n".encode()

    def ask(self, path, more=""):
        return self.send(self.head(path, more))

    def serves(self):
        """Seconds until one who may see the page has got it."""
        start = time.monotonic()
        assert self.ask("/", f"Cookie: {self.cookie}\r\n").startswith(b"HTTP/1.1 200"), "the viewer does not answer"
        return time.monotonic() - start

    def memory(self):
        return int(re.search(r"VmRSS:\s*(\d+)", Path(f"/proc/{self.process.pid}/status").read_text()).group(1)) / 1024


def hostile(source, viewer):
    """One request that gets nothing: bytes to send."""
    own = viewer.head("/scene", "Cookie: amble_1=00\r\n")
    kind = source.randrange(8)
    if kind == 0:
        return bytes(source.randrange(256) for _ in range(source.randint(1, 300)))
    if kind == 1:
        return damaged(source, own)
    if kind == 2:
        return own.replace(b"127.0.0.1", source.choice([b"evil.example", b"127.0.0.1.evil.example", b"", b"0x7f.1", b"[::1"]))
    if kind == 3:
        return viewer.head("/" + "".join(source.choice("/.%aA?&=") for _ in range(source.randint(0, 400))))
    if kind == 4:
        return own[:source.randrange(len(own))] + b"X: " + b"y" * 20_000
    if kind == 5:
        return own * source.randint(2, 50)
    if kind == 6:
        return own.replace(b"GET", source.choice([b"POST", b"PUT", b"TRACE", b"get", b"G" * 9000]))
    return viewer.head("/", f"Cookie: {viewer.cookie}\r\nOrigin: http://evil.example\r\n")


def send_slowly(viewer, stop):
    """A byte now and then, for as long as it is let."""
    while not stop.is_set():
        try:
            with viewer.connect() as client:
                for byte in viewer.head("/"):
                    client.send(bytes([byte]))
                    if stop.wait(1.0):
                        return
        except OSError:
            stop.wait(0.1)


def try_viewer(count):
    source, viewer, findings, slowest = random.Random(f"{SEED} viewer"), Viewer(), [], 0.0
    stop = threading.Event()
    slow = [threading.Thread(target=send_slowly, args=(viewer, stop)) for _ in range(8)]
    for thread in slow:
        thread.start()
    first = viewer.memory()
    try:
        for k in range(count):
            request = hostile(source, viewer)
            with viewer.connect() as client:
                try:
                    client.sendall(request)
                    client.shutdown(socket.SHUT_WR)
                    client.settimeout(8)
                    answer = client.recv(65536)
                except OSError:
                    answer = b""
            if answer.startswith(b"HTTP/1.1 200"):
                findings.append(f"viewer {k}: a stranger got an answer to {request[:200]!r}")
            if k % 100 == 0:
                slowest = max(slowest, viewer.serves())
        grown = viewer.memory() - first
        if grown > 50.0:
            findings.append(f"viewer: {grown:.0f} MB more than at first")
    except (AssertionError, OSError) as problem:
        findings.append(f"viewer: {problem}; it is {'there' if viewer.process.poll() is None else 'gone'}")
    finally:
        stop.set()
        for thread in slow:
            thread.join()
        viewer.process.kill()
    print(f"{'viewer':<14}{count:>8}{0:>8}{count - len(findings):>9}{len(findings):>10}   slowest answer to a friend beside "
          f"8 slow senders: {slowest:.2f} s", flush=True)
    return findings


def main(words):
    count = int(words.pop(0)) if words and words[0].isdigit() else 1000
    names = words or [*FORMATS, "viewer"]
    for name in names:
        if name not in FORMATS and name != "viewer":
            sys.exit(f"mutate: error: there is no format '{name}'; formats: {', '.join([*FORMATS, 'viewer'])}")
    print(f"seed {SEED}\n{'format':<14}{'files':>8}{'read':>8}{'refused':>9}{'findings':>10}", flush=True)
    findings = []
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            findings += try_viewer(count) if name == "viewer" else try_format(name, count, Path(folder))
    for finding in findings:
        print(f"finding: {finding}")
    print(f"{len(findings)} findings" + (f"; files in {KEPT}" if findings else ""))
    return 1 if findings else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work(sys.argv[2])
    else:
        sys.exit(main(sys.argv[1:]))
