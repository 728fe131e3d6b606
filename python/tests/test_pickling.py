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


def test_inertias_pickle():
    I = amble.geometry.Inertia(2.0, [0.1, 0.2, 0.3], np.diag([1, 2, 2.5]))
    again = pickle.loads(pickle.dumps(I))
    assert np.array_equal(I.matrix, again.matrix)
