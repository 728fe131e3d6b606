"""Pictures of recordings and gaits by matplotlib, in the colours of the viewer and the reports.

    import amble
    from amble import plots
    recording, checks = amble.run_scenario("scenarios/bouncing_ball.toml")
    plots.energy(recording).figure.savefig("energy.png")

Every function draws into `ax`, or into a new figure, and returns the axes. Needs matplotlib, which Amble itself does not.
"""

import re as _re
from pathlib import Path as _Path

import numpy as _np

__all__ = ["palette", "signals", "energy", "power", "phase_portrait", "return_map", "contact_forces", "stick_figures",
           "energy_per_step", "bifurcations", "basin"]


def _read_palette():
    """The colours of the whole of Amble, from the one file that has them: installed beside this one, or in the sources."""
    folder = _Path(__file__).resolve().parent
    header = folder / "palette.hpp"
    if not header.exists():
        header = folder.parents[1] / "src" / "amble" / "base" / "palette.hpp"
    text = header.read_text()
    named = _re.findall(r'const char\* k(\w+) = "(#[0-9a-f]{6})"', text)
    colors = {_re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower(): color for name, color in named}
    curves = _re.findall(r"#[0-9a-f]{6}", _re.search(r"kCurves\{([^}]*)\}", text).group(1))
    return {**colors, "curves": curves}


palette = _read_palette()


def _axes(ax, xlabel, ylabel, title):
    import matplotlib.pyplot as plt

    if ax is None:
        ax = plt.figure(figsize=(7.0, 4.0), layout="constrained").add_subplot()
    ax.set(xlabel=xlabel, ylabel=ylabel, title=title)
    ax.title.set_ha("left")
    ax.title.set_x(0.0)
    ax.grid(True, color=palette["grid"], linewidth=0.8)
    ax.set_axisbelow(True)
    ax.tick_params(colors=palette["ink"], labelsize=9)
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(palette["faint"])
    return ax


def _curve(i):
    return palette["curves"][i % len(palette["curves"])]


def _column(recording, name):
    """A signal by the name that the viewer has for it: "q:hip", "v:hip", "kinetic", "potential"."""
    if name in ("kinetic", "potential", "energy"):
        return getattr(recording, name)
    which, _, coordinate = name.partition(":")
    names = {"q": recording.q_names, "v": recording.v_names}.get(which, [])
    if coordinate not in names:
        known = [f"q:{n}" for n in recording.q_names] + [f"v:{n}" for n in recording.v_names]
        raise ValueError(f"there is no signal {name!r}; there are kinetic, potential, energy, {', '.join(known)}")
    return getattr(recording, which)[:, list(names).index(coordinate)]


def _mark_events(recording, ax):
    names = sorted({e["name"] for e in recording.events})
    if len(recording.events) <= 200:
        for event in recording.events:
            ax.axvline(event["t"], color=_curve(names.index(event["name"])), linewidth=0.6, alpha=0.4)


def signals(recording, names, ax=None):
    """Signals over time; events are thin lines."""
    ax = _axes(ax, "time (s)", "", recording.mechanism.name)
    for i, name in enumerate(names):
        ax.plot(recording.t, _column(recording, name), color=_curve(i), linewidth=1.4, label=name)
    _mark_events(recording, ax)
    ax.legend(frameon=False)
    return ax


def energy(recording, ax=None):
    """Where the energy is: height, kinetic, and what elements store, one on top of the other."""
    ax = _axes(ax, "time (s)", "J", "Where the energy is")
    books = recording.ledgers
    t = _np.asarray(books["t"])
    parts = {
        "height (above its lowest)": (_np.interp(t, recording.t, recording.potential) - recording.potential.min(), palette["potential"]),
        "kinetic": (_np.interp(t, recording.t, recording.kinetic), palette["kinetic"]),
    }
    for i, name in enumerate(books["names"]):
        stored = _np.asarray(books["stored"])[:, i]
        if _np.abs(stored).max(initial=0.0) > 1e-12:
            parts[f"stored in {name}"] = (stored, _curve(5 - 2 * (len(parts) % 3)))
    below = _np.zeros(len(t))
    for name, (joules, color) in parts.items():
        ax.fill_between(t, below, below + joules, color=color, alpha=0.65, linewidth=0, label=name)
        below = below + joules
    ax.margins(x=0)
    ax.legend(frameon=False)
    return ax


def power(recording, ax=None):
    """What each port gives to the motion (W), from the ledger's differences."""
    ax = _axes(ax, "time (s)", "W", "Power of each port into the motion")
    books = recording.ledgers
    t, delivered = _np.asarray(books["t"]), _np.asarray(books["delivered"])
    step = _np.diff(t)
    for i, name in enumerate(books["names"]):
        ax.step(t[1:], _np.divide(_np.diff(delivered[:, i]), step, out=_np.zeros(len(step)), where=step > 0),
                color=_curve(i), linewidth=1.2, label=name)
    if books["names"]:
        ax.legend(frameon=False)
    return ax


def phase_portrait(recording, across, up, ax=None):
    """One signal over another, as "v:hip" over "q:hip"."""
    ax = _axes(ax, across, up, "Phase portrait")
    ax.plot(_column(recording, across), _column(recording, up), color=palette["stance_leg"], linewidth=1.2)
    return ax


def return_map(recording, name, event, ax=None):
    """A signal at each event of a name over what it was at the one before."""
    ax = _axes(ax, f"{name} at '{event}'", "at the next", "Return map")
    times = [e["t"] for e in recording.events if e["name"] == event]
    if len(times) < 3:
        raise ValueError(f"{event!r} happens {len(times)} times: a return map needs three or more")
    values = _column(recording, name)[_np.searchsorted(recording.t, times, side="right") - 1]
    low, high = values.min(), values.max()
    ax.plot([low, high], [low, high], color=palette["faint"], linewidth=0.8)
    ax.plot(values[:-1], values[1:], "o", color=palette["stance_leg"], markersize=4)
    return ax


def contact_forces(recording, ax=None):
    """What presses on each body, in all (N), over time."""
    ax = _axes(ax, "time (s)", "N", "Contact forces")
    contacts = recording.contacts
    t, forces = contacts["t"], contacts["force"]
    for i, body in enumerate(sorted({*contacts["a"], *contacts["b"]} - {"world"})):
        sign = _np.array([float(b == body) - float(a == body) for a, b in zip(contacts["a"], contacts["b"])])
        times, row = _np.unique(t, return_inverse=True)
        sums = _np.zeros((len(times), 3))
        _np.add.at(sums, row, sign[:, None] * forces)
        ax.plot(times, _np.linalg.norm(sums, axis=1), color=_curve(i), linewidth=1.2, label=body)
    if len(t):
        ax.legend(frameon=False)
    return ax


def _side_color(body):
    """The colours of a walker's two sides."""
    if body.startswith(("outer_", "right")):
        return palette["stance_leg"]
    return palette["swing_leg"] if body.startswith(("inner_", "left")) else palette["body"]


def _limbs(mechanism):
    """Pairs of places that limbs go between, and their bodies: a body and what hangs on it, a body and its frames."""
    bodies = [(mechanism.body(name).parent, name) for name in mechanism.bodies]
    frames = [(mechanism.frame(name).body, name) for name in mechanism.frames]
    return [(body, place, body) for body, place in bodies + frames if body != "world"]


def stick_figures(recording, figures=33, ax=None):
    """The motion seen from the side, x to the right and z up: limbs as lines, at even times."""
    from amble import pose

    ax = _axes(ax, "x (m)", "z (m)", recording.mechanism.name)
    rows = _np.searchsorted(recording.t, _np.linspace(recording.t[0], recording.t[-1], figures), side="right") - 1
    mechanism = recording.mechanism
    places = {place: pose(mechanism, recording.q[rows], place)[:, :3, 3] for limb in _limbs(mechanism) for place in limb[:2]}
    for one, other, body in _limbs(mechanism):
        for i in range(figures):
            ends = _np.array([places[one][i], places[other][i]])
            ax.plot(ends[:, 0], ends[:, 2], color=_side_color(body), linewidth=1.4, alpha=0.3 + 0.65 * (i + 1) / figures)
    ax.set_aspect("equal")
    return ax


def energy_per_step(walk, ax=None):
    """What each step gained and lost (J): of Walker.walk()."""
    ax = _axes(ax, "step", "J", "Energy of each step: gained above the line, lost below")
    steps = _np.arange(1, len(walk["ledger"]) + 1)
    kinds = [("gravity", 1.0, "gravity"), ("lost", -1.0, "impacts"), ("supplied", 1.0, "actuators"),
             ("dampers", 1.0, "dampers"), ("springs", 1.0, "springs")]
    for k, (key, sign, name) in enumerate(kinds):
        joules = sign * _np.array([row[key] for row in walk["ledger"]])
        if _np.abs(joules).max(initial=0.0) > 0.0:
            ax.bar(steps + 0.16 * (k - 2), joules, 0.15, color=palette[name], label=name)
    ax.legend(frameon=False)
    return ax


def bifurcations(branches, parameter, ax=None):
    """Where cycles start a step, in their first coordinate, against the parameter: of Walker.continue_cycles()."""
    ax = _axes(ax, parameter, "first coordinate at the start of a step", "Cycles of the return map")
    for stable, color in ((False, palette["unstable"]), (True, palette["stable"])):
        points = [(value, gait.q[0]) for branch in branches for value, gait in zip(branch["values"], branch["gaits"])
                  if gait.stable == stable]
        if points:
            ax.plot(*zip(*points), ".", color=color, markersize=3, label="stable" if stable else "unstable")
    for branch in branches:
        for kind, value in branch["bifurcations"]:
            ax.axvline(value, color=palette["faint"], linewidth=0.7)
            ax.annotate(kind, (value, 1.0), xycoords=("data", "axes fraction"), fontsize=8, rotation=90, va="top", ha="right")
    ax.legend(frameon=False)
    return ax


def basin(fate, across=0, up=1, at=None, ax=None):
    """A plane of a basin of attraction, the `fate` of Walker.basin(): where walks come to a gait, wander, or fall.

    across, up: the directions of the region that are drawn; at: cells of the others (their middles unless given).
    """
    from matplotlib.colors import ListedColormap

    fate = _np.asarray(fate)
    ax = _axes(ax, f"cell of direction {across}", f"cell of direction {up}", "Basin of attraction")
    index = [n // 2 for n in fate.shape] if at is None else list(at)
    index[across], index[up] = slice(None), slice(None)
    plane = fate[tuple(index)]
    plane = plane if across > up else plane.T
    falls, wanders = -1, -2  # as Walker.basin() has them
    codes = _np.where(plane == falls, 0, _np.where(plane == wanders, 1, plane + 2))
    colors = [palette["paper"], palette["faint"], *(_curve(i) for i in range(max(1, int(fate.max(initial=0)) + 1)))]
    ax.imshow(codes, origin="lower", aspect="auto", cmap=ListedColormap(colors), vmin=-0.5, vmax=len(colors) - 0.5,
              interpolation="nearest")
    ax.grid(False)
    return ax
