#!/usr/bin/env python3
"""Writes the numbers of `amble bench` into docs/performance.md.

usage: performance_tables.py ROBOT.json GROWTH.json [PAGE]

ROBOT.json is the output of `amble bench --robot FILE --json`, GROWTH.json that of `amble bench --growth --json`. What
stands between `<!-- NAME -->` and `<!-- end of NAME -->` is replaced; the text around it, the date included, is yours.
"""

import json
import math
import re
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parent / "performance.md"


def number(ns):
    return f"{ns:,.0f}".replace(",", " ")


def ratio(x):
    return f"{x:.0f}x" if x >= 10 else f"{x:.1f}x"


def table(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def machine_line(report):
    m = report["machine"]
    return f"{m['cores']} virtual cores, {m['processor']}, {m['kernels']} kernels; {m['compiler']}, {m['build_type']}\n"


def robot_row(what, times, stacks, peers):
    ours = times[what, "amble"]
    cells = [f"`{what}`", f"{number(ours['ns'])} ± {100 * ours['spread']:.0f} %"]
    for stacked in (what, f"{what} (kept in lanes)"):
        cells.append(number(stacks[stacked]) if stacked in stacks else "")
    for peer in peers:
        theirs = times.get((what, peer))
        cells.append(f"{number(theirs['ns'])} ({ratio(theirs['ns'] / ours['ns'])})" if theirs else "")
    return cells


def robot_table(report):
    single = {(r["what"], r["library"]): r for r in report["rows"] if r["states"] == 1}
    stacks = {r["what"]: r["per_state_ns"] for r in report["rows"] if r["states"] > 1}
    peers = [name for name in report["libraries"] if name != "amble"]
    header = ["ns per state", "one state", "in a stack", "kept in lanes", *(f"{p} {report['libraries'][p]}" for p in peers)]
    functions = [what for what, library in single if library == "amble"]
    return machine_line(report) + "\n" + table(header, [robot_row(f, single, stacks, peers) for f in functions])


def growth_table(report):
    times, sizes = {}, set()
    for r in report["rows"]:
        shape, size = re.fullmatch(r"(\w+) of (\d+)", r["robot"]).groups()
        times.setdefault((shape, r["what"]), {})[int(size)] = r["ns"]
        sizes.add(int(size))
    sizes = sorted(sizes)
    rows = []
    for (shape, what), ns in times.items():
        power = math.log(ns[sizes[-1]] / ns[sizes[0]]) / math.log(sizes[-1] / sizes[0])
        rows.append([shape, f"`{what}`", *(f"{ns[n] / n:.1f}" for n in sizes), f"n^{power:.2f}"])
    return table(["", "ns per body", *(f"{n} bodies" for n in sizes), "growth"], rows)


def replaced(text, name, content):
    between = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end of {name} -->)", re.S)
    if not between.search(text):
        sys.exit(f"the page has no place '{name}'")
    return between.sub(lambda m: m.group(1) + content + m.group(2), text)


def main(robot, growth, page=PAGE):
    page = Path(page)
    text = replaced(page.read_text(), "robot", robot_table(json.loads(Path(robot).read_text())))
    page.write_text(replaced(text, "growth", growth_table(json.loads(Path(growth).read_text()))))


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
