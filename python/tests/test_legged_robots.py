"""amble.legged_robot: legs, feet and posture from the model alone."""

import amble
import numpy as np
import pytest
from conftest import MODELS


@pytest.fixture(scope="module")
def humanoid():
    return amble.load(MODELS / "humanoid30.urdf", floating_base=True)


def test_a_humanoid_has_two_legs_that_are_mirror_images(humanoid):
    r = amble.legged_robot(humanoid)
    assert [leg.name for leg in r.legs] == ["left", "right"] and r.legs[0].mirror == "right"
    assert r.legs[0].joints[0] == "left_hip_yaw" and r.legs[0].knee == "left_knee" and r.legs[0].knee_sense == 1
    assert r.base == "pelvis" and r.torso == "chest" and r.refusal == "" and r.warnings == []
    assert r.mirror["left_hip_roll"] == ("right_hip_roll", -1.0) and r.mirror["left_knee"] == ("right_knee", 1.0)
    np.testing.assert_allclose(r.forward, [1, 0, 0], atol=1e-9)
    assert "left_foot" in repr(r) and "sole" in repr(r.legs[0].foot) and "0.705" in repr(r.legs[0])


def test_the_corners_of_the_soles_are_on_the_ground(humanoid):
    r = amble.legged_robot(humanoid)
    for leg in r.legs:
        foot = leg.foot
        assert foot.shape == "sole" and foot.corners.shape == (4, 3) and foot.radius == 0
        ground = amble.pose(humanoid, r.nominal, foot.body) @ foot.pose @ np.c_[foot.corners, np.ones(4)].T
        np.testing.assert_allclose(ground[2], 0, atol=1e-7)
    np.testing.assert_allclose(amble.center_of_mass(humanoid, r.nominal)[:2], 0, atol=1e-7)


def test_stated_feet_replace_those_of_a_file(humanoid, tmp_path):
    file = tmp_path / "feet.toml"
    file.write_text("".join(f"[[feet]]\nbody = '{s}_sole'\nlength = 0.2\nwidth = 0.1\n" for s in ("left", "right")))
    assert np.ptp(amble.legged_robot(humanoid, str(file)).legs[0].foot.corners[:, 0]) == pytest.approx(0.2)
    feet = [dict(body=f"{s}_sole", corners=[[0.1, 0, 0], [-0.1, 0, 0]]) for s in ("left", "right")]
    assert amble.legged_robot(humanoid, str(file), feet=feet, hip_height=0.6).legs[1].foot.shape == "line"


def test_what_cannot_be_used_is_an_error(humanoid):
    with pytest.raises(amble.Error, match="is fixed to the world"):
        amble.legged_robot(amble.load(MODELS / "humanoid30.urdf"))
    with pytest.raises(amble.Error, match="key 'size' that is not known"):
        amble.legged_robot(humanoid, feet=[dict(body="left_sole", size=1), dict(body="right_sole")])
    arm = amble.load(MODELS / "arm7.urdf", floating_base=True)
    assert "no legs were found" in amble.legged_robot(arm, partial=True).refusal
