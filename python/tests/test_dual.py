"""Dual numbers carry the derivatives that mathematics gives, through Python arithmetic and NumPy functions."""

import math

import amble
import numpy as np
import pytest
from amble.geometry import Dual

X, LOG2 = 0.37, math.log(2)
# f on Duals, then its value and first two derivatives by hand.
FUNCTIONS = {
    "sin": (np.sin, math.sin, math.cos, lambda x: -math.sin(x)),
    "cos": (np.cos, math.cos, lambda x: -math.sin(x), lambda x: -math.cos(x)),
    "tan": (np.tan, math.tan, lambda x: 1 / math.cos(x) ** 2, lambda x: 2 * math.sin(x) / math.cos(x) ** 3),
    "exp": (np.exp, math.exp, math.exp, math.exp),
    "log": (np.log, math.log, lambda x: 1 / x, lambda x: -1 / x**2),
    "sqrt": (np.sqrt, math.sqrt, lambda x: 0.5 * x**-0.5, lambda x: -0.25 * x**-1.5),
    "arcsin": (np.arcsin, math.asin, lambda x: (1 - x * x) ** -0.5, lambda x: x * (1 - x * x) ** -1.5),
    "arccos": (np.arccos, math.acos, lambda x: -((1 - x * x) ** -0.5), lambda x: -x * (1 - x * x) ** -1.5),
    "arctan": (np.arctan, math.atan, lambda x: 1 / (1 + x * x), lambda x: -2 * x / (1 + x * x) ** 2),
    "sinh": (np.sinh, math.sinh, math.cosh, math.sinh),
    "cosh": (np.cosh, math.cosh, math.sinh, math.cosh),
    "tanh": (np.tanh, math.tanh, lambda x: math.cosh(x) ** -2, lambda x: -2 * math.sinh(x) / math.cosh(x) ** 3),
    "square": (lambda x: x**2, lambda x: x * x, lambda x: 2 * x, lambda x: 2.0),
    "power": (lambda x: x**1.3, lambda x: x**1.3, lambda x: 1.3 * x**0.3, lambda x: 0.39 * x**-0.7),
    "power of two": (lambda x: 2**x, lambda x: 2**x, lambda x: 2**x * LOG2, lambda x: 2**x * LOG2**2),
    "inverse": (lambda x: 1 / x, lambda x: 1 / x, lambda x: -1 / x**2, lambda x: 2 / x**3),
    "polynomial": (lambda x: 3 + (x - 3) * x, lambda x: 3 - 3 * x + x * x, lambda x: 2 * x - 3, lambda x: 2.0),
    "absolute": (lambda x: abs(-x), abs, lambda x: 1.0, lambda x: 0.0),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_first_and_second_derivatives_are_those_by_hand(name):
    f, value, slope, curvature = FUNCTIONS[name]
    y = f(Dual(X, 1.0, 1.0))
    assert y.value == pytest.approx(value(X), rel=1e-14)
    assert y.d1 == y.d2 == pytest.approx(slope(X), rel=1e-13)
    assert y.d12 == pytest.approx(curvature(X), rel=1e-12, abs=1e-15)


def test_mixed_derivatives_are_between_the_two_directions():
    x, y = Dual(0.3, d1=1.0), Dual(0.7, d2=1.0)
    f = np.sin(x * y) + x / y
    assert f.d1 == pytest.approx(0.7 * math.cos(0.21) + 1 / 0.7)
    assert f.d2 == pytest.approx(0.3 * math.cos(0.21) - 0.3 / 0.49)
    assert f.d12 == pytest.approx(math.cos(0.21) - 0.21 * math.sin(0.21) - 1 / 0.49)


def test_arctan2_and_hypot_take_duals_and_numbers():
    x, y = Dual(0.3, d1=1.0), Dual(0.7, d2=1.0)
    assert np.arctan2(y, x).value == pytest.approx(math.atan2(0.7, 0.3))
    assert np.arctan2(y, x).d1 == pytest.approx(-0.7 / 0.58)
    assert y.arctan2(2.0).d2 == pytest.approx(2.0 / 4.49)
    assert np.hypot(x, y).d1 == pytest.approx(0.3 / math.sqrt(0.58))


def test_numpy_functions_work_on_arrays_of_duals():
    theta = np.array([Dual(0.1, 1.0), Dual(0.2, 0.0, 1.0)])
    assert [s.value for s in np.sin(theta)] == [math.sin(0.1), math.sin(0.2)]
    assert (theta @ theta).d1 == pytest.approx(0.2)
    assert (np.float64(2.0) * theta[0]).d1 == 2.0
    assert (theta * 2)[1].d2 == 2.0
    assert np.linalg.norm(theta).value == pytest.approx(math.hypot(0.1, 0.2))


def test_a_whole_power_is_smooth_at_zero():
    y = Dual(0.0, 1.0, 1.0) ** 2
    assert (y.value, y.d1, y.d12) == (0.0, 0.0, 2.0)
    assert (Dual(0.0, 1.0, 1.0) ** 1).d12 == 0.0


def test_comparisons_are_by_value():
    assert Dual(1.0, 5.0) < Dual(2.0) and Dual(1.0) < 2 and 2 > Dual(1.0)
    assert Dual(1.0, 5.0) == 1.0 and Dual(1.0) != Dual(2.0) and Dual(1.0) >= 1


def test_derivatives_are_never_lost_silently():
    with pytest.raises(TypeError):
        float(Dual(1.0, 1.0))
    with pytest.raises(TypeError):
        math.sin(Dual(1.0, 1.0))
    with pytest.raises(amble.Error, match="w is a list of type object: expected real numbers"):
        amble.geometry.exp_so3([Dual(1.0), 0.0, 0.0])
