"""Names and words that a machine can check: one home for a class, verbs for functions, nouns for modules; comments."""

import ast
import re
import tokenize
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.test_house import ROOT, modules, nodes_of, write

pytestmark = pytest.mark.xdist_group("house")

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
NOUNS_IN_ING = {
    *("decoding", "listing", "packing", "reading", "sampling", "scheduling", "staging", "testing"),
    *("dropping", "reclaiming", "tracking"),  # the designs' own names
}

PERSONS = re.compile(
    r"(?<![A-Za-z])(told|said|asked|held|heard|somebody|nobody|whoever|whosever|midst|grief|as ever|that which)"
    r"(?![A-Za-z])",
    re.IGNORECASE,
)
"""Words for what persons do, and of old stories: in prose and in names, where no person acts."""
PERSONS_ALLOWED = {
    r"\bheld\b": {
        "a lock or a mutex is held": {
            *("impl/graveler/locked.py", "impl/hard_delete/_one_entry.py", "impl/hard_delete/no_copies.py"),
            *("lakeproof/designs/hard_delete_no_copies.py", "model/invariants/locks.py"),
            "model/linearizability/specifications.py",
        },
        "a field or a file of a format": {"lakeproof/histories/evidence.py", "lakeproof/live/lakefs/rounds.py"},
    },
    r"\"asked\"": {"a field of the report of a run": {"spark_checks/engine/runs.py", "spark_checks/sweep/marks.py"}},
    "that-nobody-looks-at": {"a scenario's name": {"lakeproof/designs/locks.py"}},
}
"""By pattern: why it may stand, and in which files."""

COMMENTS_MIN = 4.0
"""Lines in a hundred that have a comment: what a reader would stop at has its reason beside it."""
REMARK = re.compile(r"#\s*(?:type:|noqa|pragma)")
"""What a tool reads."""


def many_homes(root: Path) -> dict[str, set[str]]:
    """Class names that too many packages define, private ones included, with their packages."""
    found: dict[str, set[str]] = {}
    for path in modules(root).values():
        for node in nodes_of(path):
            if isinstance(node, ast.ClassDef):
                package = path.parent.relative_to(root).as_posix()
                found.setdefault(node.name.lstrip("_"), set()).add(package)
    return {name: homes for name, homes in found.items() if len(homes) > HOMES_MAX and name not in MANY_HOMES}


def bare_participles(root: Path) -> list[str]:
    """Functions of modules whose whole name is a participle: one line each."""
    return [
        f"{path.relative_to(root).as_posix()}:{node.lineno}: {node.name}"
        for path in modules(root).values()
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


def private_doors(root: Path) -> list[str]:
    """Private modules and names that other packages import, or read of a module that they import: one line each."""
    known = modules(root)
    found: list[str] = []
    for path in known.values():
        bound = {}  # by name in this file: the module that it stands for
        for node in (each for each in nodes_of(path) if isinstance(each, ast.Import | ast.ImportFrom)):
            for alias in node.names:
                full = f"{node.module}.{alias.name}" if isinstance(node, ast.ImportFrom) else alias.name
                bound[alias.asname or alias.name] = full
                found += _closed_doors(root, path, node.lineno, full, known)
        for read in (each for each in nodes_of(path) if isinstance(each, ast.Attribute)):
            module = bound.get(read.value.id) if isinstance(read.value, ast.Name) else None
            if module in known and read.attr.startswith("_"):
                found += _closed_doors(root, path, read.lineno, f"{module}.{read.attr}", known)
    return found


def _closed_doors(root: Path, path: Path, line: int, name: str, known: Mapping[str, Path]) -> Iterator[str]:
    """The private parts of a name that this file may not go through."""
    parts = name.split(".")
    for end, part in enumerate(parts):
        owner = known.get(".".join(parts[:end]))
        private = part.startswith("_") and not part.startswith("__")
        if owner and private and not path.is_relative_to(owner.parent):
            yield f"{path.relative_to(root).as_posix()}:{line}: {name}"


def persons(root: Path) -> list[str]:
    """Lines with a word of `PERSONS`: file, number, word."""
    return [
        f"{where}:{number}: {match[1]}"
        for path in modules(root).values()
        if not path.stem.endswith("_pb2")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if (match := PERSONS.search(_without_allowed(line, where := path.relative_to(root).as_posix())))
    ]


def share_of_comments(root: Path) -> float:
    """Lines in a hundred that have a comment, over all rooms."""
    comments = lines = 0
    for path in modules(root).values():
        if path.stem.endswith("_pb2"):
            continue
        text = path.read_text(encoding="utf-8")
        lines += len(text.splitlines())
        for token in tokenize.generate_tokens(iter(text.splitlines(keepends=True)).__next__):
            comments += token.type == tokenize.COMMENT and not REMARK.match(token.string)
    return 100 * comments / lines


def _without_allowed(line: str, where: str) -> str:
    for pattern, reasons in PERSONS_ALLOWED.items():
        if any(where in files for files in reasons.values()):
            line = re.sub(pattern, "", line, flags=re.IGNORECASE)
    return line


def test_no_class_name_has_many_homes() -> None:
    assert many_homes(ROOT) == {}


def test_no_function_is_named_by_a_participle() -> None:
    assert bare_participles(ROOT) == []


def test_modules_are_nouns() -> None:
    assert actions(ROOT) == []


def test_no_import_goes_through_a_private_name_of_another_package() -> None:
    assert private_doors(ROOT) == []


def test_prose_and_names_have_no_persons() -> None:
    assert persons(ROOT) == []


def test_what_a_reader_would_stop_at_has_a_comment() -> None:
    assert share_of_comments(ROOT) >= COMMENTS_MIN


def test_each_exception_is_needed() -> None:
    for pattern, reasons in PERSONS_ALLOWED.items():
        for where in set().union(*reasons.values()):
            assert re.search(pattern, (ROOT / where).read_text(encoding="utf-8"), re.IGNORECASE), (pattern, where)


def test_remarks_to_tools_and_text_are_no_comments(tmp_path: Path) -> None:
    write(tmp_path, "impl/a.py", "x = 1  # a reason\n# Another.\ny = '#'  # type: ignore\n\nz = 2  # noqa: E501\n")
    write(tmp_path, "model/b.py", "one\ntwo\nthree\n")
    assert share_of_comments(tmp_path) == 25.0


PLANTED = {
    "model/one/homes.py": "class Place: ...\nclass Entry: ...\nclass Two: ...\ndef find_told(): ...\ndef seed(): ...\n",
    "model/two/homes.py": "class _Place: ...\nclass Entry: ...\nclass Two: ...\ndef _told(): ...\n",
    "impl/three/looking.py": "class Place: ...\nclass Entry: ...\nasync def merged(): ...\n",
    "lakeproof/live/packing.py": "def tell_told(): ...\n",
    "model/one/__init__.py": "from lakeproof.model.one._parts import x, _y\n",
    "model/one/_parts.py": "",
    "model/one/deep/inner.py": "from lakeproof.model.one import _parts as z\nz._y, z.__doc__\n",
    "impl/doors.py": "import lakeproof.model.one._parts\nfrom lakeproof.model.one import _parts, x\n_parts.x, x._y\n",
    "impl/more.py": "from lakeproof.model import one\nfrom lakeproof.impl._own import y\none._z\n",
    "impl/graveler/locked.py": "# The lock is held.\n# Somebody holds it.\nupheld = tolderance = 1\n",
}


def test_each_rule_finds_what_breaks_it_and_nothing_else(tmp_path: Path) -> None:
    for name, text in PLANTED.items():
        write(tmp_path, name, text)
    assert many_homes(tmp_path) == {"Place": {"model/one", "model/two", "impl/three"}}
    assert bare_participles(tmp_path) == ["model/two/homes.py:4: _told", "impl/three/looking.py:3: merged"]
    assert actions(tmp_path) == ["looking"]
    assert private_doors(tmp_path) == [
        "impl/doors.py:1: lakeproof.model.one._parts",
        "impl/doors.py:2: lakeproof.model.one._parts",
        "impl/more.py:3: lakeproof.model.one._z",
    ]
    assert persons(tmp_path) == [
        "model/one/homes.py:4: told",
        "model/two/homes.py:4: told",
        "impl/graveler/locked.py:2: Somebody",
        "lakeproof/live/packing.py:1: told",
    ]
