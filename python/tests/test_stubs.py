"""The type stubs say what the modules have: no name less, none more, the same arguments in the same order."""

import ast
import inspect
import re
from pathlib import Path

import amble
import amble.geometry
import amble.plots
import pytest

FOLDER = Path(amble.__file__).parent
MODULES = {"__init__.pyi": amble, "geometry.pyi": amble.geometry, "plots.pyi": amble.plots}
# Of the names with underscores, those that a user means when they write an operator.
OPERATORS = "pos neg abs add radd sub rsub mul rmul truediv rtruediv pow rpow lt le gt ge eq ne".split()
OPERATORS += ["init", "copy", "deepcopy"]
PROPERTY_KEYWORDS = "lower upper velocity effort damping friction armature stiffness reference".split()


def stub(file):
    return ast.parse((FOLDER / file).read_text())


def is_public(name):
    return not name.startswith("_") or name.strip("_") in OPERATORS


def stub_names(body):
    names = set()
    for node in body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            names.add(node.target.id)
        elif isinstance(node, ast.ImportFrom):
            names |= {a.asname for a in node.names if a.asname}
    return {n for n in names if is_public(n)}


def stub_arguments(function):
    a = function.args
    return [x.arg for x in a.args if x.arg != "self"], [x.arg for x in a.kwonlyargs]


def real_arguments(function):
    """The argument lists of a function; of a compiled one those in its docstring, one per overload."""
    if inspect.isfunction(function):
        yield list(inspect.signature(function).parameters)
        return
    lines = [line for line in (function.__doc__ or "").splitlines() if re.match(r"(\d+\. )?\w+\(.*\) -> ", line)]
    assert lines, f"no signature in the docstring of {function}"
    for line in lines:
        inside = line[line.index("(") + 1 : line.rindex(") -> ")]
        while "[" in inside:
            inside = re.sub(r"\[[^\[\]]*\]", "", inside)
        names = re.findall(r"(?:^|, )(\*{0,2}\w+)(?=:|,|$)", inside)
        yield [n for n in names if n != "self"]


def functions():
    for file, module in MODULES.items():
        for node in stub(file).body:
            if isinstance(node, ast.FunctionDef):
                yield pytest.param(node, getattr(module, node.name), id=node.name)
            elif isinstance(node, ast.ClassDef) and hasattr(module, node.name):
                for member in node.body:
                    if isinstance(member, ast.FunctionDef) and not member.name.startswith("__"):
                        real = inspect.getattr_static(getattr(module, node.name), member.name)
                        if not isinstance(real, property):
                            real = getattr(getattr(module, node.name), member.name)
                            yield pytest.param(member, real, id=f"{node.name}.{member.name}")


@pytest.mark.parametrize("file", MODULES)
def test_every_public_name_is_in_the_stubs_and_no_other(file):
    module = MODULES[file]
    assert stub_names(stub(file).body) == {n for n in dir(module) if not n.startswith("_")}
    assert set(module.__all__) == {n for n in dir(module) if not n.startswith("_")}


@pytest.mark.parametrize("file", MODULES)
def test_every_member_of_every_class_is_in_the_stubs_and_no_other(file):
    for node in stub(file).body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            real = getattr(MODULES[file], node.name)
            own = {n for n in vars(real) if is_public(n)}
            assert stub_names(node.body) - {"__init__"} == own - {"__init__"}, node.name


@pytest.mark.parametrize("said, real", functions())
def test_arguments_have_the_names_and_the_order_of_the_stubs(said, real):
    positional, keywords = stub_arguments(said)
    for names in real_arguments(real):
        assert names == positional + (["**kwargs"] if keywords or said.args.kwarg else [])
    assert keywords in ([], PROPERTY_KEYWORDS)


@pytest.mark.parametrize("file", MODULES)
def test_everything_public_has_a_docstring(file):
    module = MODULES[file]
    for name in module.__all__:
        item = getattr(module, name)
        assert item.__doc__, name
        for member, value in vars(item).items() if inspect.isclass(item) else ():
            if is_public(member) and member != "__init__":
                assert inspect.getdoc(value), f"{name}.{member}"


def test_the_package_says_that_it_is_typed():
    assert (FOLDER / "py.typed").exists()


def test_the_version_is_a_version():
    assert re.fullmatch(r"\d+\.\d+\.\d+", amble.__version__)
