"""MJCF as Amble reads it beside today's MuJoCo: generated models of every feature, our own, and every robot at hand.

`./amble test --peers` puts MuJoCo's wheel into the build folder and runs this; nothing else needs it.
"""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("AMBLE_BUILD_DIR", ROOT / "build" / "release"))
PEERS = BUILD / "peers"
SKIPPED = 77
if not (PEERS / "mujoco").is_dir():
    print(f"skipped: {PEERS}/mujoco is not there; ./amble test --peers fetches it")
    sys.exit(SKIPPED)

sys.path[:0] = [str(BUILD / "python"), str(ROOT / "tests")]
sys.path.append(str(PEERS))
import mujoco  # noqa: E402
import numpy as np  # noqa: E402

import amble  # noqa: E402
import mjcf_models  # noqa: E402

FREE, BALL = 0, 1
SEEDS = int(os.environ.get("AMBLE_PEER_SEEDS", "20"))


def rotation(quat):
    out = np.zeros(9)
    mujoco.mju_quat2Mat(out, quat)
    return out.reshape(3, 3)


def relative(a, b):
    return np.max(np.abs(a - b), initial=0.0) / (1.0 + np.max(np.abs(b), initial=0.0))


class Pair:
    """A model in both. Joints are paired by their order, since some have no name."""

    def __init__(self, path):
        self.theirs = mujoco.MjModel.from_xml_path(str(path))
        self.data = mujoco.MjData(self.theirs)
        self.ours = amble.load(path, mimic="free")
        assert len(self.ours.joints) == self.theirs.njnt

    def joints(self):
        m = self.theirs
        for k, name in enumerate(self.ours.joints):
            given = mujoco.mj_id2name(m, mujoco.mjtObj.mjOBJ_JOINT, k)
            assert given in (None, "", name), (given, name)
            yield k, name, m.jnt_type[k], m.jnt_qposadr[k], m.jnt_dofadr[k]

    def q(self, qpos):
        """MuJoCo's qpos in our order: quaternions end with w."""
        q = self.ours.neutral()
        for _, name, kind, at, _ in self.joints():
            where = self.ours.q_slice(name)
            part = qpos[at : at + where.stop - where.start]
            order = {FREE: [0, 1, 2, 4, 5, 6, 3], BALL: [1, 2, 3, 0]}.get(kind)
            q[where] = part if order is None else part[order]
        return q

    def change(self, qpos, qvel):
        """T with v_theirs = T v_ours, and the rate of T times v_ours: free joints move along world axes there."""
        T, rate = np.zeros((self.theirs.nv, self.theirs.nv)), np.zeros(self.theirs.nv)
        for _, name, kind, at, row in self.joints():
            where = self.ours.v_slice(name)
            T[row : row + where.stop - where.start, where] = np.eye(where.stop - where.start)
            if kind == FREE:
                R = rotation(qpos[at + 3 : at + 7])
                T[row : row + 3, where.start : where.start + 3] = R
                rate[row : row + 3] = R @ np.cross(qvel[row + 3 : row + 6], R.T @ qvel[row : row + 3])
        return T, rate

    def random_state(self, random):
        qpos, qvel = random.uniform(-1, 1, self.theirs.nq), random.uniform(-1, 1, self.theirs.nv)
        mujoco.mj_normalizeQuat(self.theirs, qpos)
        return qpos, qvel


def compare_bodies(pair):
    m = pair.theirs
    assert len(pair.ours.bodies) == m.nbody - 1
    for i, name in enumerate(pair.ours.bodies, 1):
        body, R = pair.ours.body(name), rotation(m.body_iquat[i])
        inertia = R @ np.diag(m.body_inertia[i]) @ R.T
        assert abs(body.mass - m.body_mass[i]) <= 1e-12 * m.body_mass[i], name
        if body.mass > 0:
            assert np.abs(body.com - m.body_ipos[i]).max() < 1e-10, name
            assert np.abs(body.inertia - inertia).max() < 1e-9 * (np.trace(inertia) + 1e-6), name


def compare_dynamics(pair, seed=1, states=4):
    random, m, d = np.random.default_rng(seed), pair.theirs, pair.data
    for _ in range(states):
        d.qpos[:], d.qvel[:] = pair.random_state(random)
        mujoco.mj_forward(m, d)
        M = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, d, M)
        T, rate = pair.change(d.qpos, d.qvel)
        q, v = pair.q(d.qpos), T.T @ d.qvel
        scale = np.sqrt(np.diag(M))
        ours = T @ amble.mass_matrix(pair.ours, q) @ T.T
        assert np.abs((ours - M) / np.outer(scale, scale)).max(initial=0.0) < 1e-9
        assert relative(amble.bias_forces(pair.ours, q, v), T.T @ (d.qfrc_bias + M @ rate)) < 1e-9


def dense(values, rownnz, rowadr, colind, nv):
    """MuJoCo's sparse rows."""
    out = np.zeros((len(rownnz), nv))
    for i, (count, at) in enumerate(zip(rownnz, rowadr)):
        out[i, colind[at : at + count]] = values[at : at + count]
    return out


def relative_rows(ours, theirs):
    """The largest difference of a row, relative to the largest entry of that row of theirs."""
    if not theirs.size:
        return 0.0
    return np.max(np.abs(ours - theirs) / (1.0 + np.abs(theirs).max(axis=-1, keepdims=True)))


def read_drives(m):
    """Those that Amble reads: others have a body, a plugin, several inputs, or laws of their own."""
    out = []
    for i in range(m.nactuator):
        plain = m.actuator_gaintype[i] <= int(mujoco.mjtGain.mjGAIN_MUSCLE) and m.actuator_biastype[i] <= int(mujoco.mjtBias.mjBIAS_MUSCLE)
        target = m.actuator_trntype[i] not in (int(mujoco.mjtTrn.mjTRN_BODY), int(mujoco.mjtTrn.mjTRN_UNDEFINED))
        dynamics = m.actuator_dyntype[i] <= int(mujoco.mjtDyn.mjDYN_MUSCLE) and m.actuator_plugin[i] < 0
        out.append(plain and target and dynamics and m.actuator_ctrlnum[i] == 1)
    return np.array(out, bool)


def friction_forces(pair, q, v):
    """What stands for dry friction in Amble; MuJoCo has it among its constraints."""
    m, slip = pair.theirs, 1e-3
    out = -pair.ours.friction * v / np.hypot(v, slip)
    J = amble.tendon_jacobian(pair.ours, q)
    rate = J @ v
    return out - J.T @ (m.tendon_frictionloss * rate / np.hypot(rate, slip))


def activations(m, random):
    """Within their ranges, where MuJoCo keeps them."""
    out = random.uniform(0, 1, m.na)
    for i in range(m.nactuator):
        if m.actuator_actlimited[i]:
            at = m.actuator_actadr[i]
            out[at] = m.actuator_actrange[i, 0] + out[at] * (m.actuator_actrange[i, 1] - m.actuator_actrange[i, 0])
    return out


def touches_inside(m, d):
    """Whether a tendon has a side site inside its sphere or cylinder: where MuJoCo iterates to 1e-6."""
    for i in range(m.nwrap):
        if m.wrap_type[i] in (int(mujoco.mjtWrap.mjWRAP_SPHERE), int(mujoco.mjtWrap.mjWRAP_CYLINDER)) and m.wrap_prm[i] >= 0:
            geom = m.wrap_objid[i]
            if np.linalg.norm(d.site_xpos[int(m.wrap_prm[i])] - d.geom_xpos[geom]) < m.geom_size[geom, 0]:
                return True
    return False


def compare_elements(pair, seed=2, states=4):
    """Lengths, moment arms and forces of tendons and drives, and passive forces."""
    random, m, d = np.random.default_rng(seed), pair.theirs, pair.data
    read = read_drives(m)
    if any("lengthrange" in warning for warning in pair.ours.warnings):  # which MuJoCo finds by a simulation
        read &= m.actuator_gaintype != int(mujoco.mjtGain.mjGAIN_MUSCLE)
    all_read = read.all()
    assert len(pair.ours.tendons) == m.ntendon and len(pair.ours.drives) == m.nactuator
    for _ in range(states):
        d.qpos[:], d.qvel[:] = pair.random_state(random)
        d.ctrl[:], d.act[:] = random.uniform(-1, 1, m.nu), activations(m, random)
        act = d.act.copy()
        mujoco.mj_forward(m, d)
        T, _ = pair.change(d.qpos, d.qvel)
        q, v = pair.q(d.qpos), T.T @ d.qvel
        pair.tolerance = 1e-6 if touches_inside(m, d) else 1e-9
        J = dense(d.ten_J, m.ten_J_rownnz, m.ten_J_rowadr, m.ten_J_colind, m.nv) @ T
        assert relative(amble.tendon_lengths(pair.ours, q), d.ten_length) < pair.tolerance
        assert relative_rows(amble.tendon_jacobian(pair.ours, q), J) < pair.tolerance
        passive = T.T @ (d.qfrc_passive - d.qfrc_fluid)
        assert relative(amble.passive_forces(pair.ours, q, v) - friction_forces(pair, q, v), passive) < pair.tolerance
        if not m.nactuator or not all_read and m.na:
            continue
        moment = dense(d.actuator_moment, d.moment_rownnz, d.moment_rowadr, d.moment_colind, m.nv) @ T
        rows, inputs = m.actuator_outadr[read], m.actuator_ctrladr
        assert relative(amble.drive_lengths(pair.ours, q)[read], d.actuator_length[rows]) < pair.tolerance
        assert relative_rows(amble.drive_moments(pair.ours, q)[read], moment[rows]) < pair.tolerance
        ctrl = np.where(read, d.ctrl[np.minimum(inputs, m.nu - 1)], 0.0)
        ours = amble.drive_forces(pair.ours, q, v, ctrl, act)
        assert relative(ours.force[read], d.actuator_force[rows]) < 10 * pair.tolerance
        if not all_read:
            continue
        assert relative(ours.tau, T.T @ d.qfrc_actuator) < 10 * pair.tolerance
        assert relative(ours.activation_rate, d.act_dot) < pair.tolerance


def compare_keyframes(pair):
    m = pair.theirs
    for k in range(m.nkey):
        name = mujoco.mj_id2name(m, mujoco.mjtObj.mjOBJ_KEY, k)
        if name not in pair.ours.keyframes:
            continue
        key, q = pair.ours.keyframe(name), pair.q(m.key_qpos[k])
        assert np.abs(pair.ours.difference(key.q, q)).max(initial=0.0) < 1e-12, name
        if len(key.ctrl) == m.nu:
            assert np.array_equal(key.ctrl, m.key_ctrl[k]), name
        if len(key.act):
            assert np.array_equal(key.act, m.key_act[k]), name


def compare(path):
    pair = Pair(path)
    compare_bodies(pair)
    m = pair.theirs
    on_tendons = m.actuator_trntype == int(mujoco.mjtTrn.mjTRN_TENDON)
    if not m.tendon_armature.any() and not (m.actuator_armature[on_tendons] != 0).any():  # it would be in M
        compare_dynamics(pair)
    compare_elements(pair)
    compare_keyframes(pair)


class Saved:
    """The file that save() makes of a model, in MuJoCo beside the model itself. Names are ours: MuJoCo's may be missing."""

    def __init__(self, pair, path):
        self.pair = pair
        self.left_out = pair.ours.save(path)
        self.model = mujoco.MjModel.from_xml_path(str(path))
        self.data = mujoco.MjData(self.model)
        self.joint = {self.model.joint(k).name: k for k in range(self.model.njnt)}
        self.actuator = {self.model.actuator(k).name: k for k in range(self.model.nu)}
        assert set(self.joint) == set(pair.ours.joints)

    def rows(self, theirs, kind):
        """Pairs of slices of qpos or of v, by joint: in the original and in the copy."""
        sizes = {"q": {FREE: 7, BALL: 4}, "v": {FREE: 6, BALL: 3}}[kind]
        for k, name, joint, q, v in self.pair.joints():
            there = self.joint[name]
            at = self.model.jnt_qposadr[there] if kind == "q" else self.model.jnt_dofadr[there]
            here, size = (q if kind == "q" else v), sizes.get(joint, 1)
            # The copy's hinges and slides have ref = 0, and so has every q of ours.
            yield slice(here, here + size), slice(at, at + size)

    def set_state(self, random):
        m, d = self.pair.theirs, self.pair.data
        d.qpos[:], d.qvel[:] = self.pair.random_state(random)
        for here, there in self.rows(m, "q"):
            self.data.qpos[there] = d.qpos[here]
        for here, there in self.rows(m, "v"):
            self.data.qvel[there] = d.qvel[here]
        d.ctrl[:] = random.uniform(-2, 2, m.nu)
        for k, name in enumerate(self.pair.ours.drives):
            if name in self.actuator:
                self.data.ctrl[self.actuator[name]] = d.ctrl[k]

    def forward(self):
        mujoco.mj_forward(self.pair.theirs, self.pair.data)
        mujoco.mj_forward(self.model, self.data)

    def order(self):
        here = np.concatenate([np.arange(h.start, h.stop) for h, _ in self.rows(None, "v")] or [[]]).astype(int)
        there = np.concatenate([np.arange(t.start, t.stop) for _, t in self.rows(None, "v")] or [[]]).astype(int)
        return here, there


def compare_saved(path, copy, seed=2, states=4):
    saved = Saved(Pair(path), copy)
    here, there = saved.order()
    random, m, d = np.random.default_rng(seed), saved.pair.theirs, saved.pair.data
    for _ in range(states):
        saved.set_state(random)
        saved.forward()
        ours, theirs = np.zeros((m.nv, m.nv)), np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, d, theirs)
        mujoco.mj_fullM(saved.model, saved.data, ours)
        scale = np.sqrt(np.diag(theirs))[here]
        if not m.ntendon:
            difference = ours[np.ix_(there, there)] - theirs[np.ix_(here, here)]
            assert np.abs(difference / np.outer(scale, scale)).max(initial=0.0) < 1e-9
            assert relative(saved.data.qfrc_bias[there], d.qfrc_bias[here]) < 1e-9
        for k, name in enumerate(saved.pair.ours.drives):
            if name in saved.actuator:
                force = saved.data.actuator_force[saved.actuator[name]]
                assert abs(force - d.actuator_force[k]) < 1e-9 * (1 + abs(d.actuator_force[k])), name
            else:
                assert any(f"drive '{name}'" in line for line in saved.left_out), name


def robots():
    folder = Path(os.environ.get("AMBLE_ROBOTS", ROOT.parent / "shared" / "robots"))
    own = [p for p in (ROOT / "models").glob("*.xml") if "<mujoco" in p.read_text()]
    more = os.environ.get("AMBLE_PEER_ROBOTS")  # a folder of others, as a collection that is at hand
    others = sorted(p for p in Path(more).rglob("*.xml") if "<mujoco" in p.read_text()) if more else []
    return sorted(own) + sorted(p for p in (folder / "mjcf").rglob("*.xml")) + others


def test_generated_models_agree(feature, tmp_path):
    path = tmp_path / "model.xml"
    for seed in range(SEEDS):
        path.write_text(mjcf_models.text(feature, seed))
        try:
            mujoco.MjModel.from_xml_path(str(path))
        except ValueError:
            continue  # a mesh that is turned inside out, a shape without size
        compare(path)


def test_robots_agree(path):
    try:
        mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        return  # a part that others include
    compare(path)


def test_saved_generated_models_agree(feature, tmp_path):
    path = tmp_path / "model.xml"
    for seed in range(SEEDS):
        path.write_text(mjcf_models.text(feature, seed))
        try:
            mujoco.MjModel.from_xml_path(str(path))
        except ValueError:
            continue
        compare_saved(path, tmp_path / "copy.xml")


def test_saved_robots_agree(path, tmp_path):
    try:
        mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        return
    compare_saved(path, tmp_path / "copy.xml")


def pytest_generate_tests(metafunc):
    if "feature" in metafunc.fixturenames:
        metafunc.parametrize("feature", mjcf_models.FEATURES, ids=lambda f: f.__name__)
    if "path" in metafunc.fixturenames:
        metafunc.parametrize("path", robots(), ids=lambda p: f"{p.parent.name}/{p.stem}")


if __name__ == "__main__":
    import pytest

    sys.exit(pytest.main([__file__, "-q", "-p", "no:cacheprovider"]))
