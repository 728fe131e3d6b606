"""The viewer's page: built as its sources say, typed, tested by itself and in a browser.

page_test.py modules   install what package-lock.json names, unless that is done
page_test.py unit      the page in the repository is what its sources make; types; tests without a browser
page_test.py data      recordings and pages to look at, made by the amble command
page_test.py e2e       the page in Chromium, the server, glTF by the format's own validator
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
SKIPPED = 77
MODELS = "humanoid.urdf quadruped.urdf arm7.urdf rover.sdf four_bar.sdf hopper.xml dribbel.xml".split()


def run(*command, **more):
    result = subprocess.run([str(word) for word in command], **more)
    if result.returncode != 0:
        sys.exit(f"{command[0]} {command[1]}: exit code {result.returncode}")


def need(*programs):
    for program in programs:
        if shutil.which(program) is None:
            print(f"{program} is not installed: the page's tests are skipped")
            sys.exit(SKIPPED)


def modules():
    need("node", "npm")
    lock, done = WEB / "package-lock.json", WEB / "node_modules" / ".amble-lock"
    if not done.exists() or done.read_bytes() != lock.read_bytes():
        run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", cwd=WEB)
        shutil.copy(lock, done)


def unit():
    need("node", "npm")
    for script in ("check", "types", "test"):
        run("npm", "run", "--silent", script, cwd=WEB)


def places():
    build = Path(os.environ["AMBLE_BUILD_DIR"])
    return build / "bin" / "amble", build / "page"


def simulate(scenario, path, *settings):
    program, _ = places()
    sets = [word for setting in settings for word in ("--set", setting)]
    result = subprocess.run([program, "simulate", ROOT / "scenarios" / scenario, "--record", path, *sets], capture_output=True)
    # A check of the scenario that does not hold for other settings is no matter here.
    assert result.returncode in (0, 1) and path.exists(), result.stderr.decode()


def data():
    program, folder = places()
    folder.mkdir(exist_ok=True)
    simulate("quadruped_stands.toml", folder / "quadruped.csv")
    for scenario, name, settings in [
        ("humanoid_falls.toml", "humanoid", []),
        ("humanoid_falls.toml", "humanoid60", ["simulation.duration=60", "simulation.step=0.005"]),
        ("quadruped_stands.toml", "quadruped", []),
        ("bouncing_ball.toml", "ball", []),
        ("snakeboard.toml", "snakeboard", []),
    ]:
        simulate(scenario, folder / f"{name}.h5", *settings)
        run(program, "view", folder / f"{name}.h5", "--html", folder / f"{name}.html", "--glb", folder / f"{name}.glb")
    for walker in ("compass", "dribbel"):
        run(program, "walk", walker, "--steps", "8", "--html", folder / f"walk_{walker}.html", stdout=subprocess.DEVNULL)
        run(program, "view", folder / f"walk_{walker}.h5", "--html", folder / f"{walker}.html", "--glb", folder / f"{walker}.glb")
    for file in ("web/test/every_joint.json", *(f"models/{name}" for name in MODELS)):
        path = ROOT / file
        run(program, "view", path, "--html", folder / f"model_{path.stem}.html", stdout=subprocess.DEVNULL)
    run(program, "view", "--synthetic", "3600", "--html", folder / "hour.html")


def e2e():
    need("node", "npm", os.environ.get("AMBLE_BROWSER", "chromium"))
    program, folder = places()
    here = {"AMBLE_PROGRAM": program, "AMBLE_PAGE_DATA": folder, "AMBLE_SOURCE": ROOT}
    run("npm", "run", "--silent", "e2e", cwd=WEB, env=os.environ | {key: str(value) for key, value in here.items()})


if __name__ == "__main__":
    {"modules": modules, "unit": unit, "data": data, "e2e": e2e}[sys.argv[1]]()
