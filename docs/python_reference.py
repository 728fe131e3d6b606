#!/usr/bin/env python3
"""Writes the reference of the Python package, from its type stubs and the texts of its functions, as one page.

usage: python_reference.py PAGE.md        (with the package importable: ./amble docs)

Signatures are those of the stubs, which a test holds to the modules; texts are the docstrings.
"""

import ast
import importlib
import inspect
import re
import sys
from pathlib import Path

MODULES = ("amble", "amble.geometry", "amble.plots")


def stub_of(module):
    path = Path(module.__file__)
    name = "__init__" if path.stem == "__init__" else path.stem
    return ast.parse(path.with_name(name + ".pyi").read_text())


def is_public(name):
    return not name.startswith("_")


def signature(node):
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    arguments = ast.unparse(node.args)
    arguments = re.sub(r"^self(, )?", "", arguments)
    return f"{node.name}({arguments}){returns}"


def text_of(owner, name):
    """A docstring without the signatures that pybind11 puts in front."""
    member = inspect.getattr_static(owner, name, None)
    doc = inspect.getdoc(member.fget if isinstance(member, property) else getattr(owner, name)) or ""
    if isinstance(member, property) and member.__doc__:
        doc = inspect.cleandoc(member.__doc__)
    lines = [line for line in doc.splitlines() if not re.match(r"(\d+\. )?\w+\(.*\)( -> .*)?$", line)]
    text = "\n".join(lines).replace("Overloaded function.", "").strip()
    return re.sub(r"\n{3,}", "\n\n", text)


def is_property(node):
    return any(isinstance(d, ast.Name) and d.id == "property" for d in node.decorator_list)


def member_lines(owner, node):
    seen, out = set(), []
    for member in node.body:
        if not isinstance(member, ast.FunctionDef) or not is_public(member.name) or member.name in seen:
            continue
        seen.add(member.name)
        head = f".{member.name}" if is_property(member) else f".{signature(member)}"
        text = " ".join(text_of(owner, member.name).split())
        out.append(f"- `{head}`: {text}" if text else f"- `{head}`")
    return out


def function_section(module, node):
    return [f"### {node.name}", "```python", signature(node), "```", text_of(module, node.name), ""]


def class_section(module, node):
    owner = getattr(module, node.name)
    init = [m for m in node.body if isinstance(m, ast.FunctionDef) and m.name == "__init__"]
    head = [f"### {node.name}", inspect.getdoc(owner) or "", ""]
    made = [signature(m).replace("__init__", node.name).removesuffix(" -> None") for m in init]
    if made:
        head += ["```python", *made, "```"]
    return [*head, *member_lines(owner, node), ""]


def module_page(name):
    module = importlib.import_module(name)
    nodes = [n for n in stub_of(module).body if isinstance(n, (ast.ClassDef, ast.FunctionDef)) and is_public(n.name)]
    seen, out = set(), [f"## {name}", inspect.getdoc(module) or "", ""]
    for node in sorted(nodes, key=lambda n: (isinstance(n, ast.ClassDef), n.name.lower())):
        if node.name in seen:
            continue
        seen.add(node.name)
        out += class_section(module, node) if isinstance(node, ast.ClassDef) else function_section(module, node)
    return out


def main(page):
    lines = ["# Reference of the Python package", "", "Functions first, then classes, by name."]
    for name in MODULES:
        lines += ["", *module_page(name)]
    Path(page).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
