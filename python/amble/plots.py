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

__all__ = ["palette", "signals", "energy", "power", "phase_portrait", "return_map", "contact_forces"]


def _read_palette():
    """The colours of the whole of Amble, from the one file that has them."""
    text = (_Path(__file__).parent / "palette.hpp").read_text()
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
