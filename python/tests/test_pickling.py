"""Mechanisms go to other processes and come back the same."""

import copy
import multiprocessing
import pickle

import amble
import numpy as np
import pytest
from conftest import urdf_files


@pytest.mark.parametrize("path", urdf_files())
def test_a_pickled_file_comes_back_with_its_bits_and_its_findings(path):
    m = amble.load(path)
    again = pickle.loads(pickle.dumps(m))
    assert amble.differences(m, again, tolerance=0.0) == []
    assert (again.name, again.file, again.warnings, again.notes) == (m.name, m.file, m.warnings, m.notes)
    q = m.random(seed=1)
    for body in m.bodies:
        assert np.array_equal(amble.pose(m, q, body), amble.pose(again, q, body))


PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_protocol_of_pickle_gives_the_mechanism_back(protocol):
    m, q = amble.random_mechanism(5, bodies=12, loops=1, mimic=0.2)
    again = pickle.loads(pickle.dumps(m, protocol=protocol))
    assert type(again) is amble.Mechanism and again is not m
    assert amble.serialize(again) == amble.serialize(m)
    assert np.array_equal(amble.pose(again, q, m.bodies[-1]), amble.pose(m, q, m.bodies[-1]))


FORGIVEN = """<robot name="odd"><link name="b"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="3" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_a_file_was_forgiven_stays_forgiven_in_a_pickle(protocol):
    m = amble.load_text(FORGIVEN)
    assert any("triangle inequality" in w for w in m.warnings)
    for kept in (m, m.with_gravity([0, 0, -1])):
        again = pickle.loads(pickle.dumps(kept, protocol=protocol))
        assert amble.differences(kept, again, tolerance=0.0) == [] and again.warnings == kept.warnings


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_has_no_pickle_says_so(protocol, models):
    m = amble.load(models / "arm7.urdf")
    for item in (amble.Builder("b"), m.body(m.bodies[0]), m.joint(m.joints[0]), amble.geometry.Line()):
        with pytest.raises(TypeError, match=f"cannot pickle .*{type(item).__name__}"):
            pickle.dumps(item, protocol=protocol)


def test_an_error_pickles():
    again = pickle.loads(pickle.dumps(amble.Error("q is None")))
    assert type(again) is amble.Error and str(again) == "q is None"


@pytest.mark.parametrize("seed", range(10))
def test_every_joint_type_and_loops_survive_serialising(seed):
    m, q = amble.random_mechanism(seed, bodies=20, roots=2, loops=2, mimic=0.2)
    again = amble.deserialize(amble.serialize(m))
    assert amble.differences(m, again, tolerance=0.0) == []
    assert amble.serialize(again) == amble.serialize(m)
    assert again.loops == m.loops
    assert np.array_equal(amble.pose(m, q, m.bodies[-1]), amble.pose(again, q, m.bodies[-1]))


def _pose_in_child(arguments):
    m, q, body = arguments
    return amble.pose(m, q, body)


def test_a_mechanism_can_be_sent_to_another_process(models):
    m = amble.load(models / "arm7.urdf")
    q = m.random(seed=1)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        (there,) = pool.map(_pose_in_child, [(m, q, m.bodies[-1])])
    assert np.array_equal(there, amble.pose(m, q, m.bodies[-1]))


def test_a_copy_is_the_same_mechanism_because_it_cannot_change(models):
    m = amble.load(models / "arm7.urdf")
    assert copy.copy(m) is m
    assert copy.deepcopy(m) is m


def test_text_that_is_no_mechanism_is_refused():
    with pytest.raises(amble.Error, match="not a serialized mechanism"):
        amble.deserialize("{}")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_inertias_pickle_and_copy(protocol):
    I = amble.geometry.Inertia(2.0, [0.1, 0.2, 0.3], np.diag([1, 2, 2.5]))
    for again in (pickle.loads(pickle.dumps(I, protocol=protocol)), copy.copy(I), copy.deepcopy(I)):
        assert again is not I and np.array_equal(I.matrix, again.matrix)
