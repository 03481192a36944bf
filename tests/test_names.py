"""Names that a machine can check: one home for a class, verbs for functions, nouns for modules."""

import ast
from pathlib import Path

from tests.test_house import ROOT, modules, write

HOMES_MAX = 2
MANY_HOMES = {
    "Reading": "each design has its own: what its document leaves open",
    "Outcome": "a public name of two modules",
    "Entry": "the value of an effect, which traces quote",
}
"""Class names that more than two packages may have, and why."""
PARTICIPLES = {
    *("asked", "begun", "born", "broken", "brought", "built", "chosen", "done", "drawn", "driven", "found", "frozen"),
    *("given", "gone", "got", "grown", "heard", "held", "hidden", "kept", "known", "left", "lost", "made", "meant"),
    *("met", "said", "saw", "seen", "sent", "shown", "taken", "thrown", "told", "understood", "written", "wrote"),
}
"""Those that do not end in -ed."""
NO_PARTICIPLES = {"seed", "speed", "feed", "need", "exceed", "proceed", "embed", "supervised"}
"""The last one is a console script's name."""
TO_RENAME = ("lakeproof/live", "lakeproof/stores")
"""Rooms that still have functions named by a participle."""
NOUNS_IN_ING = {
    *("decoding", "listing", "packing", "reading", "sampling", "scheduling", "staging", "testing"),
    *("dropping", "reclaiming", "tracking"),  # the designs' own names
}


def many_homes(root: Path) -> dict[str, set[str]]:
    """Class names that too many packages define, private ones included, with their packages."""
    found: dict[str, set[str]] = {}
    for path in modules(root).values():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                package = path.parent.relative_to(root).as_posix()
                found.setdefault(node.name.lstrip("_"), set()).add(package)
    return {name: homes for name, homes in found.items() if len(homes) > HOMES_MAX and name not in MANY_HOMES}


def bare_participles(root: Path) -> list[str]:
    """Functions of modules whose whole name is a participle: one line each."""
    return [
        f"{where}:{node.lineno}: {node.name}"
        for path in modules(root).values()
        if not (where := path.relative_to(root).as_posix()).startswith(TO_RENAME)
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if (name := node.name.strip("_")) not in NO_PARTICIPLES
        if name in PARTICIPLES or (name.endswith("ed") and "_" not in name)
    ]


def actions(root: Path) -> list[str]:
    """Modules and packages whose last word ends in -ing and is no noun of the field."""
    names = {name for path in modules(root).values() for name in path.relative_to(root).with_suffix("").parts}
    last = {name: name.rpartition("_")[2] for name in names if not name.startswith("test_")}
    return sorted(name for name, word in last.items() if word.endswith("ing") and word not in NOUNS_IN_ING)


def test_no_class_name_has_many_homes() -> None:
    assert many_homes(ROOT) == {}


def test_no_function_is_named_by_a_participle() -> None:
    assert bare_participles(ROOT) == []


def test_modules_are_nouns() -> None:
    assert actions(ROOT) == []


PLANTED = {
    "model/one/homes.py": "class Place: ...\nclass Entry: ...\nclass Two: ...\ndef find_told(): ...\ndef seed(): ...\n",
    "model/two/homes.py": "class _Place: ...\nclass Entry: ...\nclass Two: ...\ndef _told(): ...\n",
    "impl/three/looking.py": "class Place: ...\nclass Entry: ...\nasync def merged(): ...\n",
    "lakeproof/live/packing.py": "def told(): ...\n",
}


def test_each_rule_finds_what_breaks_it_and_nothing_else(tmp_path: Path) -> None:
    for name, text in PLANTED.items():
        write(tmp_path, name, text)
    assert many_homes(tmp_path) == {"Place": {"model/one", "model/two", "impl/three"}}
    assert bare_participles(tmp_path) == ["model/two/homes.py:4: _told", "impl/three/looking.py:3: merged"]
    assert actions(tmp_path) == ["looking"]
