"""Imports the compiled module, or says which Python it was built for."""

import importlib.util
import pathlib
import re
import sys


def _reason(folder):
    """Why this Python finds no compiled module in `folder`, and what to do, in one sentence."""
    here = f"{sys.implementation.name} {sys.version_info.major}.{sys.version_info.minor} ({sys.executable})"
    tags = sorted(m[1] for m in (re.match(r"_amble\.(\w+-\d+)", path.name) for path in folder.glob("_amble.*.so")) if m)
    if not tags:
        return f"the compiled module of amble is missing in {folder}; build it with './amble build amble-python' or 'pip install .'"
    built = ", ".join(re.sub(r"-(\d)(\d+)", r" \1.\2", tag) for tag in tags)
    return f"amble was built for {built}, and this is {here}; use that Python, or run 'pip install .' with this one"


if importlib.util.find_spec("amble._amble") is None:
    raise ImportError(_reason(pathlib.Path(__file__).resolve().parent), name="amble._amble")
