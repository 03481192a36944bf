"""The modules of the Spark half import each other in one direction, wherever in a file they do it."""

import ast
import graphlib
from collections.abc import Mapping
from pathlib import Path

from tests.commands import ROOT

Imports = Mapping[str, frozenset[str]]


def imports(room: Path) -> Imports:
    """Which modules of a folder each of them imports. That the package holds them all is no import."""
    paths = {".".join(path.relative_to(room.parent).with_suffix("").parts): path for path in room.rglob("*.py")}
    names = {name.removesuffix(".__init__"): path for name, path in paths.items()}
    return {name: (_named(path) & names.keys()) - {name, room.name} for name, path in names.items()}


def _named(path: Path) -> frozenset[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
    return frozenset(found)


def circle(found: Imports) -> tuple[str, ...]:
    """The modules of one, or none."""
    try:
        graphlib.TopologicalSorter(found).prepare()
    except graphlib.CycleError as error:
        return tuple(error.args[1])
    return ()


def test_no_circle_of_imports_is_in_the_spark_half() -> None:
    found = imports(ROOT / "spark_checks")
    assert "lakeproof.spark_checks.configuring" in found["lakeproof.spark_checks.session"]
    assert circle(found) == ()


def test_a_circle_is_found_where_one_of_its_imports_is_in_a_function(tmp_path: Path) -> None:
    room = tmp_path / "room"
    room.mkdir()
    (room / "one.py").write_text("from room import two\n")
    (room / "two.py").write_text("def late() -> None:\n    from room.three import four\n")
    (room / "three.py").write_text("import room.one\n")
    assert set(circle(imports(room))) == {"room.one", "room.two", "room.three"}
    (room / "three.py").write_text("import room\n")
    assert circle(imports(room)) == ()
