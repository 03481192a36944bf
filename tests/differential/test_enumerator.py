"""The enumerator itself: it shares no code with the searches. That it counts right, these show: each agrees with it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent

SEARCHING = {"agreement.py", "plain.py", "test_differential.py"}
"""The only files here that know the searches: they hold them against the enumerator; `plain.py` is a search."""


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def functions_used(path: Path, modules: set[str]) -> set[str]:
    """What is used of these modules by name, other than classes and constants."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    names = [node for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)]
    return {name.attr for name in names if ast.unparse(name.value) in modules and not name.attr[0].isupper()}


class TestIndependence:
    @pytest.mark.parametrize("path", sorted(HERE.glob("*.py")), ids=lambda path: path.name)
    def test_no_code_is_shared_with_the_searches(self, path: Path) -> None:
        if path.name not in SEARCHING:
            assert [name for name in imports(path) if name.startswith("lakeproof.search")] == []
        assert [name for name in imports(path) if name.startswith("tests.") and "differential" not in name] == []

    @pytest.mark.parametrize("name", ["stores.py", "states.py", "clients.py", "enumerator.py"])
    def test_what_an_operation_means_is_not_asked_of_the_model(self, name: str) -> None:
        assert functions_used(HERE / name, {"kv", "objects"}) == set()

    def test_a_borrowed_meaning_would_be_noticed(self, tmp_path: Path) -> None:
        path = tmp_path / "a.py"
        path.write_text("def f():\n    from lakeproof.search import semantics\n    return kv.step(kv.EXISTS, kv.Get)\n")
        assert "lakeproof.search.semantics" in set(imports(path))
        assert functions_used(path, {"kv"}) == {"step"}
