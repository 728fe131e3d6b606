#!/usr/bin/env python3
"""Writes the results of `amble verify` into docs/verify.md.

usage: verify_table.py VERIFY.json [PAGE]

VERIFY.json is the output of `amble verify --json`. What stands between `<!-- NAME -->` and `<!-- end of NAME -->` is
replaced; the text around it is yours. A test compares the entries that the page lists with those that there are.
"""

import json
import math
import re
import sys
from collections import Counter
from pathlib import Path

PAGE = Path(__file__).resolve().parent / "verify.md"


def number(x):
    if x is None:
        return "-"
    return f"{x:.12g}"


def size(x):
    """Errors differ from machine to machine in their last digits: rounded up to one."""
    if x is None:
        return "-"
    if x == 0:
        return "0"
    power = math.floor(math.log10(x))
    return f"{math.ceil(x / 10**power - 1e-9):d}e{power:d}".replace("10e", "1e") if x < 10 else f"{x:.3g}"


def row(entry):
    verdict = "" if entry["pass"] else " **fails**"
    cells = [f"`{entry['id']}`", entry["source"].replace("|", "\\|"), entry["kind"], number(entry["reference"]),
             size(entry["error"]) + verdict, size(entry["tolerance"])]
    return "| " + " | ".join(cells) + " |\n"


def tables(report):
    out = ""
    for area in dict.fromkeys(entry["area"] for entry in report["entries"]):
        out += f"\n### {area}\n| entry | what, and where it comes from | kind | reference | error | tolerance |\n"
        out += "| --- | --- | --- | --- | --- | --- |\n"
        out += "".join(row(entry) for entry in report["entries"] if entry["area"] == area)
    return out + "\n"


def summary(report):
    kinds = Counter(entry["kind"] for entry in report["entries"])
    listed = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    return f"{len(report['entries'])} entries, {report['passed']} met, {report['failed']} not: {listed}.\n"


def main(report_path, page=PAGE):
    report = json.loads(Path(report_path).read_text())
    text = Path(page).read_text()
    for name, content in (("summary", summary(report)), ("tables", tables(report))):
        pattern = rf"(<!-- {name} -->\n).*?(<!-- end of {name} -->)"
        assert re.search(pattern, text, re.S), f"{page} has no place for {name}"
        text = re.sub(pattern, lambda m: m[1] + content + m[2], text, flags=re.S)
    Path(page).write_text(text)


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
