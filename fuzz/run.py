"""Builds the fuzz targets and runs them side by side, one on each core; see run.sh."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FUZZ = Path(__file__).resolve().parent
ROOT = FUZZ.parent
BUILD = ROOT / "build" / "fuzz"
TOTALS = BUILD / "totals.json"
SHORT = 120  # s: a run up to this long is a test, with the same seed each time


def fail(message):
    print(f"fuzz: error: {message}", file=sys.stderr)
    sys.exit(1)


def setting(source, name, default=""):
    """The rest of a line `// NAME: ...` of a target's source."""
    match = re.search(rf"^// {name}: *(.*)$", source.read_text(), re.MULTILINE)
    return match.group(1) if match else default


def arguments(argv, known):
    seconds, names = 3600.0, argv
    if argv and re.fullmatch(r"[0-9.]+", argv[0]):
        seconds, names = float(argv[0]), argv[1:]
    for name in names:
        if name not in known:
            fail(f"there is no target '{name}'; targets: {', '.join(sorted(known))}")
    return seconds, names or sorted(known)


def build(names):
    BUILD.mkdir(parents=True, exist_ok=True)
    with open(BUILD / "build.log", "w") as log:
        # A folder that was configured before the options of the preset changed would build something else.
        commands = [["cmake", "--preset", "fuzz"],
                    ["cmake", "--build", str(BUILD), "--target", *(f"fuzz_{n}" for n in names)]]
        for command in commands:
            if subprocess.run(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT).returncode != 0:
                break
        else:
            return
    print("".join((BUILD / "build.log").read_text().splitlines(keepends=True)[-50:]), file=sys.stderr)
    fail(f"the build failed; full output: {BUILD / 'build.log'}")


def seed_folder(source, name):
    """The seeds of a target, copied together: libFuzzer keeps its own finds in the corpus of the build."""
    seeds = BUILD / "seeds" / name
    shutil.rmtree(seeds, ignore_errors=True)
    seeds.mkdir(parents=True)
    files = [f for pattern in setting(source, "seeds").split() for f in sorted(ROOT.glob(pattern))]
    for i, file in enumerate(files + sorted((FUZZ / "corpus" / name).glob("*"))):
        shutil.copyfile(file, seeds / f"{i}-{file.name}")
    return seeds


def dictionary(name):
    """Words of the format, which libFuzzer puts together in ways that no byte changes would find."""
    file = FUZZ / "dictionaries" / f"{name}.dict"
    return [f"-dict={file}"] if file.exists() else []


def run(source, name, seconds, seed):
    """One target; a dict with what it did."""
    corpus, findings = BUILD / "corpus" / name, BUILD / "findings"
    corpus.mkdir(parents=True, exist_ok=True)
    findings.mkdir(exist_ok=True)
    command = [str(BUILD / "bin" / f"fuzz_{name}"), f"-max_total_time={max(1, round(seconds))}", "-timeout=20",
               "-rss_limit_mb=4096", f"-max_len={setting(source, 'longest', '65536')}", f"-seed={seed}",
               f"-detect_leaks={setting(source, 'leaks', '1').split()[0]}", f"-artifact_prefix={findings}/{name}-",
               "-print_final_stats=1", *dictionary(name), *setting(source, "options").split(), str(corpus),
               str(seed_folder(source, name))]
    log = BUILD / f"{name}.log"
    environment = dict(os.environ, AMBLE_FUZZ_ROOT=str(ROOT))
    with open(log, "w") as out:
        code = subprocess.run(command, cwd=BUILD, stdout=out, stderr=subprocess.STDOUT, env=environment).returncode
    text = log.read_text(errors="replace")
    found = re.findall(r"cov: (\d+) ft: (\d+) corp: (\d+)", text)
    executions = re.search(r"stat::number_of_executed_units: *(\d+)", text)
    return {"name": name, "executions": int(executions.group(1)) if executions else 0,
            "edges": int(found[-1][0]) if found else 0, "corpus": int(found[-1][2]) if found else 0,
            "finding": code != 0, "log": log}


def add_totals(results):
    """Executions without a finding, over all runs in this build folder."""
    totals = json.loads(TOTALS.read_text()) if TOTALS.exists() else {}
    for r in results:
        totals[r["name"]] = totals.get(r["name"], 0) + r["executions"]
    aside = TOTALS.with_suffix(".new")
    aside.write_text(json.dumps(totals, indent=1))
    aside.replace(TOTALS)
    return totals


def main():
    sources = {f.name[: -len("_fuzz.cpp")]: f for f in FUZZ.glob("*_fuzz.cpp")}
    seconds, names = arguments(sys.argv[1:], sources)
    build(names)
    if seconds == 0:
        return
    workers = len(os.sched_getaffinity(0))
    each = seconds * min(workers, len(names)) / len(names)
    seed = 1 if seconds <= SHORT else int(time.time()) % 2**31
    print(f"fuzz: {len(names)} targets, {each:.0f} s each, seed {seed}", flush=True)
    print(f"{'target':<16}{'executions':>12}{'per second':>12}{'edges':>8}{'corpus':>8}  {'all runs':>12}", flush=True)

    results = []
    with ThreadPoolExecutor(workers) as pool:
        for r in pool.map(lambda name: run(sources[name], name, each, seed), names):
            total = add_totals([r])[r["name"]]
            print(f"{r['name']:<16}{r['executions']:>12}{r['executions'] / each:>12.0f}{r['edges']:>8}{r['corpus']:>8}"
                  f"  {total:>12}{'  FINDING' if r['finding'] else ''}", flush=True)
            results.append(r)
    print(f"{'all':<16}{sum(r['executions'] for r in results):>12}", flush=True)
    for r in (r for r in results if r["finding"]):
        print("\n".join(r["log"].read_text(errors="replace").splitlines()[-60:]))
        print(f"fuzz {r['name']}: the input is in {BUILD / 'findings'}")
    if any(r["finding"] for r in results):
        fail("findings: " + ", ".join(r["name"] for r in results if r["finding"]))
    print("fuzz: ok")


if __name__ == "__main__":
    main()
