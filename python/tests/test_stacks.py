"""Stacks: the same bits in every position, for any length and thread count; the interpreter is free meanwhile."""

import threading

import amble
import numpy as np
import pytest
from conftest import ticks_during


@pytest.fixture
def quadruped(models):
    return amble.load(models / "quadruped.urdf", floating_base=True)


@pytest.fixture(autouse=True)
def all_cores_again():
    yield
    amble.set_threads(0)


def calls(m, body):
    dv = np.linspace(-1, 1, m.nv)
    q0 = m.neutral()
    return {
        "pose": lambda q: amble.pose(m, q, body),
        "jacobian": lambda q: amble.jacobian(m, q, body, point=[0.1, 0.2, 0.3], frame="world"),
        "integrate": lambda q: m.integrate(q, dv),
        "difference": lambda q: m.difference(q0, q),
    }


@pytest.mark.parametrize("what", ["pose", "jacobian", "integrate", "difference"])
def test_a_row_has_the_same_bits_whatever_its_place_and_the_threads_and_the_single_calls_to_a_few_ulp(quadruped, what):
    f = calls(quadruped, quadruped.bodies[-1])[what]
    q = quadruped.random(seed=1, count=2000)
    rows = np.array([f(row[np.newaxis])[0] for row in q])
    np.testing.assert_allclose(rows, [f(row) for row in q], rtol=0, atol=1e-14)
    for count in (1, 2, 3, 7):
        amble.set_threads(count)
        assert amble.threads() == count
        assert np.array_equal(f(q), rows)
        assert np.array_equal(f(q[1234:]), rows[1234:])


@pytest.mark.parametrize("what", ["pose", "jacobian", "integrate", "difference"])
def test_any_leading_shape_is_kept(quadruped, what):
    f = calls(quadruped, quadruped.bodies[-1])[what]
    q = quadruped.random(seed=1, count=6)
    flat = f(q)
    assert np.array_equal(f(q.reshape(2, 3, -1)), flat.reshape((2, 3) + flat.shape[1:]))
    assert f(q[:0]).shape == (0,) + flat.shape[1:]
    assert f(q[:1]).shape == (1,) + flat.shape[1:]


def test_shapes_are_those_promised(quadruped):
    q = quadruped.random(seed=1, count=5)
    assert q.shape == (5, quadruped.nq)
    assert amble.pose(quadruped, q[0], quadruped.bodies[0]).shape == (4, 4)
    assert amble.pose(quadruped, q, quadruped.bodies[0]).shape == (5, 4, 4)
    assert amble.jacobian(quadruped, q, quadruped.bodies[0]).shape == (5, 6, quadruped.nv)


def test_a_single_item_goes_with_every_row(quadruped):
    q = quadruped.random(seed=1)
    dv = np.random.default_rng(0).normal(size=(4, quadruped.nv))
    assert np.array_equal(quadruped.integrate(q, dv), [quadruped.integrate(q, row) for row in dv])


def test_any_memory_order_and_any_number_type_is_accepted(quadruped):
    q = quadruped.random(seed=1, count=4)
    expected = amble.pose(quadruped, q, quadruped.bodies[-1])
    wide = np.zeros((8, 2 * quadruped.nq))
    wide[::2, ::2] = q
    for same in (np.asfortranarray(q), wide[::2, ::2], q.tolist(), tuple(map(tuple, q)), q.astype(object)):
        assert np.array_equal(amble.pose(quadruped, same, quadruped.bodies[-1]), expected)
    reversed_rows = amble.pose(quadruped, q[::-1], quadruped.bodies[-1])
    assert np.array_equal(reversed_rows, expected[::-1])


def test_the_first_bad_row_is_named_whatever_the_threads(quadruped):
    q = quadruped.random(seed=1, count=2000)
    q[700, 3:7] *= 2
    q[1900, 3:7] *= 2
    for count in (1, 2, 5):
        amble.set_threads(count)
        with pytest.raises(amble.Error, match=r"^row 700: .*quaternion of joint 'root_joint'"):
            amble.pose(quadruped, q, quadruped.bodies[-1])


def test_other_python_threads_run_during_a_call(quadruped):
    q = quadruped.random(seed=1, count=50000)
    amble.set_threads(1)

    def work():
        for _ in range(5):
            amble.jacobian(quadruped, q, quadruped.bodies[-1])

    ticks = ticks_during(work)
    # With the interpreter locked in five long calls there would be about one tick for each.
    assert ticks > 15


def test_many_python_threads_may_share_a_mechanism(quadruped):
    q = quadruped.random(seed=1, count=600)
    expected = amble.pose(quadruped, q, quadruped.bodies[-1])
    results = [None] * 8

    def work(i):
        results[i] = all(np.array_equal(amble.pose(quadruped, q, quadruped.bodies[-1]), expected) for _ in range(20))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == [True] * 8


def test_a_negative_number_of_threads_is_refused():
    with pytest.raises(amble.Error, match="count is -1"):
        amble.set_threads(-1)
