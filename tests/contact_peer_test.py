"""What may touch what, and with which friction, beside today's MuJoCo: generated models and every robot at hand.

`./amble test --peers` puts MuJoCo's wheel into the build folder and runs this; nothing else needs it.
"""

import os
import random
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("AMBLE_BUILD_DIR", ROOT / "build" / "release"))
PEERS = BUILD / "peers"
SKIPPED = 77
if not (PEERS / "mujoco").is_dir():
    print(f"skipped: {PEERS}/mujoco is not there; ./amble test --peers fetches it")
    sys.exit(SKIPPED)

sys.path[:0] = [str(BUILD / "python")]
sys.path.append(str(PEERS))
import mujoco  # noqa: E402
import pytest  # noqa: E402

import amble  # noqa: E402

SEEDS = int(os.environ.get("AMBLE_PEER_SEEDS", "20"))
UNREAD_GEOMS = {int(mujoco.mjtGeom.mjGEOM_HFIELD), int(mujoco.mjtGeom.mjGEOM_SDF)}
GEOM, BODY = mujoco.mjtObj.mjOBJ_GEOM, mujoco.mjtObj.mjOBJ_BODY


# ---- generated models: bodies that are far apart as drawn, and all in one place when their slides are at minus that


class Generator:
    def __init__(self, seed):
        self.r = random.Random(f"contacts {seed}")
        self.qpos, self.bodies, self.geoms, self.groups, self.group, self.drawn = [], [], [], [], 0, 0

    def maybe(self, chance, text):
        return text if self.r.random() < chance else ""

    def geom(self, where=None):
        r, name = self.r, f"g{len(self.geoms)}"
        self.geoms.append(name)
        self.groups.append(self.group)
        masks = r.choice(["", 'contype="0"', 'conaffinity="0"', 'contype="0" conaffinity="0"', 'contype="2" conaffinity="3"',
                          'contype="6" conaffinity="1"', 'contype="4" conaffinity="4"', 'contype="-2147483648" conaffinity="-1"'])
        more = (self.maybe(0.6, f'friction="{r.choice([0, 0.3, 0.7, 1.2])}"') + self.maybe(0.3, f' priority="{r.randint(-1, 2)}"')
                + self.maybe(0.5, f' condim="{r.choice([1, 3, 4, 6])}"') + self.maybe(0.2, f' margin="{r.choice([0.001, 0.02])}"')
                + self.maybe(0.3, f' class="{r.choice(["hard", "soft"])}"'))
        shape = where or r.choice(['type="sphere" size="0.3"', 'type="capsule" size="0.2 0.1"', 'type="box" size="0.2 0.2 0.2"'])
        return f'<geom name="{name}" {shape} {masks} {more} mass="1"/>'

    def body(self, depth, parent_x=0.0):
        r, name = self.r, f"b{len(self.bodies)}"
        self.bodies.append(name)
        self.drawn += 1
        moves, outer = r.random() < 0.75, self.group
        self.group = self.drawn if moves else outer
        joints = r.choice([3, 3, 6])  # slides, and hinges behind them that stay at zero
        x = 2.0 * self.drawn if moves else parent_x
        out = f'<body name="{name}" pos="{x - parent_x:g} 0 0" {self.maybe(0.1, "childclass=" + chr(34) + "soft" + chr(34))}>'
        if moves:
            for i, axis in enumerate(["1 0 0", "0 1 0", "0 0 1"]):
                out += f'<joint type="slide" axis="{axis}"/>'
                self.qpos.append(parent_x - x if i == 0 else 0.0)
            for i in range(joints - 3):
                out += '<joint type="hinge" axis="0 1 0" pos="0.01 0 0"/>'
                self.qpos.append(0.0)
        out += "".join(self.geom() for _ in range(r.randint(1, 2)))
        if depth < 3:
            out += "".join(self.body(depth + 1, x) for _ in range(r.choice([0, 1, 1, 2])))
        self.group = outer
        return out + "</body>"

    def contact(self):
        r = self.r
        out = ""
        for _ in range(r.randint(0, 3)):
            out += f'<exclude body1="{r.choice(self.bodies)}" body2="{r.choice(self.bodies + ["world"])}"/>'
        taken = set()
        for _ in range(r.randint(0, 3)):
            chosen = frozenset(r.sample(range(len(self.geoms)), 2))
            a, b = chosen
            if self.groups[a] == self.groups[b] or chosen in taken:  # MuJoCo does not survive pairs of bodies that stand still
                continue
            taken.add(chosen)
            a, b = self.geoms[a], self.geoms[b]
            out += (f'<pair geom1="{a}" geom2="{b}" {self.maybe(0.5, "friction=" + chr(34) + "0.4 0.4" + chr(34))} {self.maybe(0.3, "condim=" + chr(34) + "1" + chr(34))}'
                    f' {self.maybe(0.3, "margin=" + chr(34) + "0.03" + chr(34))} {self.maybe(0.3, "class=" + chr(34) + "hard" + chr(34))}/>')
        return f"<contact>{out}</contact>"

    def text(self):
        tree = "".join(self.body(0) for _ in range(self.r.randint(1, 3)))
        tree += self.geom('type="plane" size="0 0 1"') + self.geom('type="sphere" size="0.3" pos="0.01 0.01 0"')
        classes = ('<default><default class="hard"><geom friction="0.2" priority="1"/><pair friction="0.25 0.25"/></default>'
                   '<default class="soft"><geom contype="2" condim="1"/></default></default>')
        flag = self.maybe(0.3, '<option><flag filterparent="disable"/></option>')
        return f"<mujoco>{flag}{classes}<worldbody>{tree}</worldbody>{self.contact()}</mujoco>"


def unordered(a, b):
    return (a, b) if a < b else (b, a)


def found_contacts(model, qpos):
    """The pairs that MuJoCo finds where everything overlaps, and what it makes of them."""
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    mujoco.mj_collision(model, data)
    out = {}
    for c in data.contact:
        name = unordered(*(mujoco.mj_id2name(model, GEOM, g) for g in c.geom))
        least = 1e-5  # that MuJoCo takes in place of none
        out[name] = (c.dim == 1 or c.friction[0] == least, float(c.friction[0]), float(c.includemargin))
    return out


def test_generated_models_agree():
    for seed in range(10 * SEEDS):
        generator = Generator(seed)
        text = generator.text()
        try:
            theirs = mujoco.MjModel.from_xml_string(text)
        except ValueError as error:
            assert "exclude" in str(error) or "pair" in str(error) or "body" in str(error), error
            continue  # a body excluded from itself, a pair on one body
        robot = amble.load_text(text)
        ours = {unordered(p["shape_a"], p["shape_b"]): p for p in amble.contact_scene(robot, ground=False).pairs}
        expected = found_contacts(theirs, generator.qpos)
        assert set(ours) == set(expected), (seed, set(ours) ^ set(expected))
        for name, (frictionless, friction, margin) in expected.items():
            assert abs(ours[name]["friction"] - (0.0 if frictionless else friction)) < 1e-12, (seed, name)
            assert abs(ours[name]["margin"] - margin) < 1e-12, (seed, name)


# ---- robots: by MuJoCo's rules, counted by bodies since geoms may have no name


def allowed_pairs(m):
    weld = m.body_weldid
    parent = [weld[m.body_parentid[weld[i]]] for i in range(m.nbody)]
    filter_parent = not m.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_FILTERPARENT
    excluded = {tuple(sorted((int(s) >> 16, int(s) & 0xFFFF))) for s in m.exclude_signature}
    named = {unordered(int(a), int(b)) for a, b in zip(m.pair_geom1, m.pair_geom2)}
    for i in range(m.ngeom):
        for j in range(i + 1, m.ngeom):
            if int(m.geom_type[i]) in UNREAD_GEOMS or int(m.geom_type[j]) in UNREAD_GEOMS:
                continue
            a, b = m.geom_bodyid[i], m.geom_bodyid[j]
            planes = [m.geom_type[k] == mujoco.mjtGeom.mjGEOM_PLANE for k in (i, j)]
            if weld[a] == weld[b] or all(planes):
                continue
            if (i, j) in named:
                yield i, j
                continue
            masks = m.geom_contype[i] & m.geom_conaffinity[j] or m.geom_contype[j] & m.geom_conaffinity[i]
            neighbors = weld[a] and weld[b] and (weld[a] == parent[b] or weld[b] == parent[a])
            if masks and tuple(sorted((a, b))) not in excluded and not (filter_parent and neighbors):
                yield i, j


def robot_files():
    folders = [Path(p) for p in os.environ.get("AMBLE_CONTACT_ROBOTS", "").split(":") if p]
    folders.append(Path(os.environ.get("AMBLE_ROBOTS", ROOT.parent / "shared" / "robots")) / "mjcf")
    own = [p for p in (ROOT / "models").glob("*.xml") if "<mujoco" in p.read_text()]
    return sorted(own) + sorted(p for folder in folders for p in folder.rglob("*.xml"))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_robots_agree(path):
    try:
        theirs = mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        return  # a part that others include, or one whose meshes are not at hand
    robot = amble.load(path)
    scene = amble.contact_scene(robot, ground=False)
    skipped = {s["body"] for s in scene.skipped}
    bodies = ["world", *robot.bodies]
    assert len(bodies) == theirs.nbody
    name = lambda geom: bodies[theirs.geom_bodyid[geom]]
    expected = Counter(unordered(name(i), name(j)) for i, j in allowed_pairs(theirs))
    ours = Counter(unordered(p["body_a"], p["body_b"]) for p in scene.pairs)
    overlapping = {unordered(*pair) for pair in scene.overlapping}
    for pair in set(expected) | set(ours):
        if pair in overlapping or skipped.intersection(pair):
            assert ours[pair] <= expected[pair], pair
        else:
            assert ours[pair] == expected[pair], (pair, ours[pair], expected[pair])


def pytest_generate_tests(metafunc):
    if "path" in metafunc.fixturenames:
        metafunc.parametrize("path", robot_files(), ids=lambda p: f"{p.parent.name}/{p.stem}")


if __name__ == "__main__":
    sys.exit(pytest.main([__file__, "-q", "-p", "no:cacheprovider"]))
