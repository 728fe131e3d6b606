"""Quadratic programs from Python, judged by NumPy alone."""

import re

import amble
import numpy as np
import pytest


def random_program(rng, n, a, c, rank=None):
    B = rng.normal(size=(n if rank is None else rank, n))
    x = rng.normal(size=n)
    A, C = rng.normal(size=(a, n)), rng.normal(size=(c, n))
    return dict(
        H=B.T @ B + (0.01 * np.eye(n) if rank is None else 0.0),
        g=rng.normal(size=n),
        A=A,
        b=A @ x,
        C=C,
        lower=C @ x - rng.uniform(size=c),
        upper=np.where(rng.uniform(size=c) < 0.5, np.inf, C @ x + rng.uniform(size=c)),
        x_lower=x - rng.uniform(size=n),
        x_upper=x + rng.uniform(size=n),
    )


def residuals(p, r):
    """Of the optimality conditions, each relative to the numbers it is the difference of."""
    x, slope = r.x, p["H"] @ r.x + p["g"] + p["A"].T @ r.equalities + p["C"].T @ r.rows + r.bounds
    values = np.concatenate([p["C"] @ x, x])
    lower, upper = np.concatenate([p["lower"], p["x_lower"]]), np.concatenate([p["upper"], p["x_upper"]])
    y = np.concatenate([r.rows, r.bounds])
    bound = np.where(y > 0, upper, lower)
    apart = np.where(y == 0, 0.0, y * (values - np.where(np.isfinite(bound), bound, 0.0)))
    primal = np.concatenate([np.abs(p["A"] @ x - p["b"]), lower - values, values - upper, [0.0]])
    assert not np.any((y != 0) & ~np.isfinite(bound))
    return np.max(primal), np.max(np.abs(slope)), np.max(np.abs(apart), initial=0.0)


@pytest.mark.parametrize("rank", [None, 3])
def test_solutions_meet_the_conditions_of_optimality(rank):
    rng = np.random.default_rng(1)
    for _ in range(200):
        n = rng.integers(4, 40)
        p = random_program(rng, n, rng.integers(0, n // 2), rng.integers(0, 2 * n), rank)
        r = amble.solve_qp(**p)
        assert r.solved and r.status == "solved"
        assert max(residuals(p, r)) < 1e-8 * max(1.0, np.abs(p["H"]).max())
        assert r.certificate.residual < 1e-9
        assert r.objective == pytest.approx(0.5 * r.x @ p["H"] @ r.x + p["g"] @ r.x, abs=1e-9)


def test_a_solver_starts_where_the_last_program_ended():
    rng = np.random.default_rng(2)
    p = random_program(rng, 40, 10, 60)
    solver = amble.QpSolver(40, 10, 60)
    first = solver.solve(**p, reuse="nothing")
    assert first.iterations > 10
    again = solver.solve(**p)
    assert again.iterations == 0
    np.testing.assert_allclose(again.x, first.x, atol=1e-10)
    p["g"] = p["g"] + 0.01 * rng.normal(size=40)
    kept = solver.solve(**p, reuse="factorisation")
    np.testing.assert_allclose(kept.x, amble.solve_qp(**p).x, atol=1e-9)


def test_an_infeasible_program_comes_with_its_proof():
    C, lower = np.array([[1.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]), np.array([1.0, 0.0, 0.0])
    r = amble.solve_qp(np.eye(2), [0, 0], C=C, lower=lower)
    assert r.status == "infeasible" and r.descent is None
    assert np.all(r.rows <= 0)
    np.testing.assert_allclose(C.T @ r.rows, 0, atol=1e-14)
    assert r.infeasibility.value == pytest.approx(r.rows @ lower) and r.infeasibility.value < 0
    assert r.infeasibility.radius > 1e10


def test_an_unbounded_program_comes_with_its_direction():
    H = np.diag([1.0, 0.0])
    r = amble.solve_qp(H, [1, 1], x_upper=0)
    assert r.status == "unbounded" and r.infeasibility is None
    np.testing.assert_allclose(r.x, [0, -1], atol=1e-9)
    assert r.descent.slope == pytest.approx(-1) and r.descent.residual < 1e-9


def test_other_ends_are_a_status():
    assert amble.solve_qp(np.diag([1.0, -1.0]), [0, 0]).status == "not convex"
    rng = np.random.default_rng(2)
    assert amble.solve_qp(**random_program(rng, 40, 10, 60), iterations=3).status == "iteration limit"


def test_sides_and_whole_sets_of_constraints_may_be_left_out():
    np.testing.assert_allclose(amble.solve_qp(2 * np.eye(3), [2, 4, 6]).x, [-1, -2, -3])
    np.testing.assert_allclose(amble.solve_qp(np.eye(2), [2, 4], x_lower=-1).x, [-1, -1])
    np.testing.assert_allclose(amble.solve_qp(np.eye(2), [0, 0], A=[[1, 1]], b=[2]).x, [1, 1])
    np.testing.assert_allclose(amble.solve_qp(np.eye(2), [0, 0], C=[[1, 0]], lower=[2]).x, [2, 0])
    np.testing.assert_allclose(amble.solve_qp([[1.0]], [-5], C=[[1]], upper=3).x, [3])


@pytest.mark.parametrize(
    "arguments, message",
    [
        (dict(g=[]), "g has shape (0,): expected at least one number in a row"),
        (dict(H=np.eye(3)), "H has shape (3, 3): expected (2, 2)"),
        (dict(H=[[1, 2], [0, 1]]), "H[1, 0] = 0 and H[0, 1] = 2: H must be symmetric"),
        (dict(A=[[1, 1]]), "A and b come together: one of them is missing"),
        (dict(C=[[1, 1]]), "C comes with lower or upper or both: both are missing"),
        (dict(lower=[1]), "C comes with lower or upper or both: C is missing"),
        (dict(A=[[1, 1, 1]], b=[1]), "A has shape (1, 3): expected (any, 2)"),
        (dict(A=[[1, 1]], b=[1, 2]), "b has shape (2,): expected (1,)"),
        (dict(x_lower=1, x_upper=[2, 0]), "x_lower[1] = 1 and x_upper[1] = 0: expected lower <= upper"),
        (dict(g=[0, np.nan]), "g[1] is nan"),
        (dict(tolerance=0), "the tolerance of a quadratic program is 0, expected between 0 and 1"),
    ],
)
def test_mistakes_are_named(arguments, message):
    with pytest.raises(amble.Error, match=re.escape(message)):
        amble.solve_qp(**{**dict(H=np.eye(2), g=[0, 0]), **arguments})


def test_a_solver_says_what_it_was_made_for():
    solver = amble.QpSolver(2, 0, 1)
    with pytest.raises(amble.Error, match=re.escape("C of the quadratic program is 0 x 2, the solver was made for 1 x 2")):
        solver.solve(np.eye(2), [0, 0])
    with pytest.raises(amble.Error, match="reuse is 'all', expected 'nothing', 'active_set' or 'factorisation'"):
        solver.solve(np.eye(2), [0, 0], reuse="all")
