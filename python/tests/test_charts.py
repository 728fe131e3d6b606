"""Charts of rotations, ours and a user's, against formulas written out here."""

import amble
import numpy as np
import pytest
from amble import geometry

RNG = np.random.default_rng(5)


def axis_turn(k, angle):
    """Works for numbers and for Duals."""
    i, j = (k + 1) % 3, (k + 2) % 3
    R = np.array(np.eye(3), dtype=object)
    R[i, i] = R[j, j] = np.cos(angle)
    R[j, i], R[i, j] = np.sin(angle), -np.sin(angle)
    return R


def turns(*pairs):
    R = np.eye(3, dtype=object)
    for k, angle in pairs:
        R = R @ axis_turn(k, angle)
    return R


class RollPitchYaw:
    def rho(self, theta):
        return turns((2, theta[2]), (1, theta[1]), (0, theta[0]))


class QuaternionOfMine:
    name = "mine"
    size = 4
    start = [1.0, 0.0, 0.0, 0.0]

    def rho(self, theta):
        w, x, y, z = theta
        return [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]

    def constraints(self, theta):
        return [np.dot(theta, theta) - 1]


def same_everywhere(a, b, theta, rate):
    for method in ("rho", "partials", "second_partials", "J_omega", "angular_velocity_jacobian_global"):
        np.testing.assert_allclose(getattr(a, method)(theta), getattr(b, method)(theta), atol=1e-13, err_msg=method)
    for method in ("angular_velocity_jacobian_base_dot", "angular_velocity_jacobian_global_dot"):
        np.testing.assert_allclose(getattr(a, method)(theta, rate), getattr(b, method)(theta, rate), atol=1e-13)
    np.testing.assert_allclose(a.rotation(theta), b.rotation(theta), atol=1e-14)


def test_rpy_is_yaw_times_pitch_times_roll():
    theta = RNG.uniform(-3, 3, 3)
    expected = turns((2, theta[2]), (1, theta[1]), (0, theta[0])).astype(float)
    np.testing.assert_allclose(geometry.chart("rpy").rho(theta), expected, atol=1e-15)


@pytest.mark.parametrize("name", ["xyz", "zyx", "zxz", "yxz"])
def test_an_euler_sequence_turns_in_the_order_of_its_name(name):
    theta = RNG.uniform(-3, 3, 3)
    expected = turns(*[("xyz".index(k), angle) for k, angle in zip(name, theta)]).astype(float)
    np.testing.assert_allclose(geometry.chart(name).rho(theta), expected, atol=1e-15)


def test_a_chart_of_ones_own_has_the_derivatives_of_the_built_in_one():
    same_everywhere(geometry.chart(RollPitchYaw()), geometry.chart("rpy"), RNG.uniform(-1, 1, 3), RNG.normal(size=3))


def test_a_chart_with_constraints_has_them_and_their_derivatives():
    mine, ours = geometry.chart(QuaternionOfMine()), geometry.chart("quaternion")
    theta = RNG.normal(size=4)
    theta /= np.linalg.norm(theta)
    thetadot = RNG.normal(size=4)
    same_everywhere(mine, ours, theta, thetadot)
    assert (mine.name, mine.size, mine.constraint_count) == ("mine", 4, 1)
    np.testing.assert_allclose(mine.constraints(2 * theta), [3.0])
    np.testing.assert_allclose(mine.constraint_jacobian(theta), 2 * theta[None])
    np.testing.assert_allclose(mine.constraint_bias(theta, thetadot), [2 * thetadot @ thetadot])


def test_given_derivatives_are_used_and_checked():
    class Closed(RollPitchYaw):
        def partials(self, theta):
            return geometry.chart("rpy").partials(theta)

    class Wrong(RollPitchYaw):
        def partials(self, theta):
            return np.zeros((3, 3, 3))

    assert geometry.chart(Closed()).partials([0.1, 0.2, 0.3]).shape == (3, 3, 3)
    with pytest.raises(amble.Error, match="partial derivatives given for chart 'Wrong' are not those of its rho"):
        geometry.chart(Wrong())


@pytest.mark.parametrize("name", geometry.chart_names())
def test_coordinates_and_rotation_are_inverse(name):
    chart = geometry.chart(name)
    for w in RNG.uniform(-1, 1, (20, 3)):
        R = geometry.exp_so3(w)
        theta = chart.from_rotation(R)
        np.testing.assert_allclose(chart.rotation(theta), R, atol=1e-13)
        np.testing.assert_allclose(chart.from_rotation(R, hint=theta), theta, atol=1e-12)


def test_a_users_chart_finds_coordinates_by_search():
    R = geometry.chart("rpy").rho([0.4, -0.3, 0.2])
    np.testing.assert_allclose(geometry.chart(RollPitchYaw()).from_rotation(R), [0.4, -0.3, 0.2], atol=1e-12)


@pytest.mark.parametrize("name", geometry.chart_names())
def test_the_jacobian_turns_rates_into_angular_velocity(name):
    chart = geometry.chart(name)
    theta = chart.from_rotation(geometry.exp_so3([0.4, 0.5, -0.3]))
    omega = np.array([0.3, -0.2, 0.7])
    rates = chart.rates(theta, omega)
    np.testing.assert_allclose(chart.J_omega_base(theta) @ rates, omega, atol=1e-13)
    np.testing.assert_allclose(chart.J_omega(theta) @ rates, chart.rho(theta) @ omega, atol=1e-13)
    h = 1e-6
    slope = (chart.rho(theta + h * rates) - chart.rho(theta - h * rates)) / (2 * h)
    np.testing.assert_allclose(geometry.unskew(chart.rho(theta).T @ slope), omega, atol=1e-8)


def test_one_chart_converts_to_another():
    theta = [0.3, 0.2, -0.4]
    q = geometry.convert("rpy", theta, "quaternion")
    np.testing.assert_allclose(geometry.convert("quaternion", q, "rpy"), theta, atol=1e-14)
    rates = geometry.convert_rates("rpy", theta, [1, 2, 3], "quaternion", q)
    np.testing.assert_allclose(geometry.convert_rates("quaternion", q, rates, "rpy", theta), [1, 2, 3], atol=1e-13)


def test_charts_take_stacks():
    chart = geometry.chart("zyx")
    theta = RNG.uniform(-1, 1, (5, 2, 3))
    assert chart.second_partials(theta).shape == (5, 2, 3, 3, 3, 3)
    assert np.array_equal(chart.J_omega(theta)[3, 1], chart.J_omega(theta[3, 1]))
    assert np.array_equal(chart.from_rotation(chart.rho(theta)).shape, (5, 2, 3))
    assert chart.constraints(theta).shape == (5, 2, 0)


def test_what_a_user_gets_wrong_is_said():
    class Small:
        def rho(self, theta):
            return np.eye(2)

    class Reflection:
        def rho(self, theta):
            return -np.eye(3)

    class Broken:
        def rho(self, theta):
            raise KeyError("mine")

    with pytest.raises(amble.Error, match=r"rho of chart 'Small' has shape \(2, 2\): expected \(3, 3\)"):
        geometry.chart(Small())
    with pytest.raises(amble.Error, match="'Reflection'"):
        geometry.chart(Reflection())
    with pytest.raises(KeyError, match="mine"):
        geometry.chart(Broken())
    with pytest.raises(amble.Error, match="there is no chart 'euler'"):
        geometry.chart("euler")
    with pytest.raises(amble.Error, match=r"chart is 3: expected a name, or an object with rho\(theta\)"):
        geometry.chart(3)
