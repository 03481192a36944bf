"""The house rules that a machine can check: floors, sizes, paths, news."""

import ast
import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.xdist_group("house")  # one process parses all files, once

ROOT = Path(__file__).parents[1]

# Each room and the rooms below that it may import, as `lakeproof.model` and so on; stateful_tests lies outside of the
# package. Tests and benchmarks are imported by nothing.
MAY_IMPORT = {
    "model": set[str](),
    "impl": {"model"},
    "lakeproof": {"impl", "model"},
    "stateful_tests": {"lakeproof", "impl", "model"},
    "spark_checks": {"lakeproof", "impl", "model"},
}
OUTSIDE = {"tests", "benchmarks"}
OURS = MAY_IMPORT.keys() | OUTSIDE
# Folders of the top level that are imported through a link in lakeproof/, and installed in its place.
LINKED = {"model", "impl", "spark_checks"}

# Floors of the harness, from the ground up: folders and modules of lakeproof/. Imports point to what stands before.
FLOORS = (
    *("words", "version", "plain_json", "files", "records", "scenario", "search", "languages", "designs", "histories"),
    *("verify", "stores", "gate", "show", "live", "mutation", "testing", "commands", "cli", "supervisor", "__main__"),
)

# Modules that would make the model depend on something other than its arguments.
IMPURE = {"asyncio", "datetime", "io", "os", "pathlib", "random", "socket", "subprocess", "threading", "time", "trio"}

# The one module that may reach into a JVM, and how others would.
CLASSIC = "spark_checks/engine/classic.py"
OF_JAVA = {"_gateway", "_jc", "_jdf", "_jo", "_jsc", "_jsparkSession", "_jvm", "SparkContext", "rdd", "sparkContext"}

LINES_MAX = 399
LINES_MAX_OF = {"lakeproof/search/behaviour.py": 600, "lakeproof/search/by_level.py": 600}
"""Each is one algorithm, which two files would tear apart."""
SKIPPED = {"__pycache__", "build", "dist", "out"}
TEXT_SUFFIXES = {"", ".cfg", ".ini", ".md", ".pml", ".proto", ".py", ".pyi", ".sh", ".toml", ".txt", ".yaml", ".yml"}
# A path into somebody's own machine. A URL's path does not count, nor does a relative one.
MACHINE_PATH = re.compile(r"(?<![\w./-])/(?:home|root|Users|work|workspace|mnt|opt|srv)/\w+")
# Tests, and programs that they start, which read a clock or sleep. All others are the same on every machine.
CLOCKS = re.compile(
    r"\b(?:time\.(?:sleep|time|time_ns|monotonic|monotonic_ns|perf_counter|process_time)|trio\.sleep"
    r"|asyncio\.sleep|trio\.current_time|datetime\.now)\((?!0\))"
)
MAY_READ_A_CLOCK = {
    "the clock is one that jumps": {"stores/mute.py"},
    "it waits for a process or a server to start or end": {
        *("languages/test_misbehaving.py", "gate/test_hostile.py", "gate/test_jobs.py"),
        *("stores/test_drivers.py", "test_cli_trouble.py", "servers.py"),
    },
    "it is a program that hangs, or answers late": {
        *("languages/misbehaving.py", "gate/hostile.py", "gate/nasty.py", "gate/on_the_way.py"),
        *("stores/misbehaving.py", "stores/test_misbehaving.py"),
        "stores/test_protocol.py",
    },
    "its planted race needs a window": {
        *("stores/planted_store.py", "stores/test_claims.py", "fake_lakefs/lake.py"),
    },
    "time is what it tests": {
        *("search/test_fence.py", "gate/test_quiet.py", "edge/test_odd_code.py"),
        *("fake_lakefs/routes.py", "test_benchmarks.py"),
    },
}
NEWS_KINDS = {"added", "changed", "deprecated", "fixed", "removed", "security"}


def project_files(root: Path) -> Iterator[Path]:
    """The project's own text files, without what tools and builds leave behind. Hidden folders but .ci are tools'."""
    for path in sorted(root.iterdir()):
        if path.is_symlink():
            continue  # lakeproof/model and its like: what they lead to has a turn of its own
        if path.is_dir():
            hidden = path.name.startswith(".") and path.name != ".ci"
            if not hidden and path.name not in SKIPPED and path.suffix != ".egg-info":
                yield from project_files(path)
        elif path.suffix in TEXT_SUFFIXES and not path.name.startswith(".coverage"):
            yield path


@cache
def imported(path: Path, root: Path) -> tuple[tuple[int, str], ...]:
    """Line and absolute name of each module that a file imports, wherever in the file it does."""
    package = path.relative_to(root).with_suffix("").parts[:-1]
    return tuple(_imports(ast.parse(path.read_text(encoding="utf-8")), package))


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of a module. Do not change them."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def _imports(tree: ast.Module, package: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*base, *([node.module] if node.module else [])))
            rooms = [alias.name for alias in node.names if module == "lakeproof" and alias.name in MAY_IMPORT]
            yield from ((node.lineno, f"lakeproof.{name}") for name in rooms)
            if len(rooms) < len(node.names):
                yield node.lineno, module


def room_of(name: str) -> str:
    """The room that a module is in, by its absolute name."""
    top, _, rest = name.partition(".")
    inner = rest.partition(".")[0]
    return inner if top == "lakeproof" and inner in LINKED else top


def upward_imports(root: Path) -> list[str]:
    """Imports that do not point down: one line each."""
    return [
        f"{path.relative_to(root)}:{line}: {room} must not import {name}"
        for room, allowed in MAY_IMPORT.items()
        for path in sorted((root / room).rglob("*.py"))
        for line, name in imported(path, root)
        if (found := room_of(name)) in OURS and found not in allowed | {room}
    ]


def climbing_imports(root: Path) -> list[str]:
    """Imports inside the harness that do not point down: one line each. What is on no floor imports nothing of it."""
    found = []
    for path in sorted((root / "lakeproof").rglob("*.py")):
        own, *_ = path.relative_to(root / "lakeproof").with_suffix("").parts
        if own in {*LINKED, "__init__"}:
            continue
        below = {own, *LINKED, *FLOORS[: FLOORS.index(own)]} if own in FLOORS else set()
        for line, name in imported(path, root):
            parts = name.split(".")
            if parts[0] == "lakeproof" and len(parts) > 1 and parts[1] not in below:
                found.append(f"{path.relative_to(root)}:{line}: {own} must not import {name}")
    return found


def modules(root: Path) -> dict[str, Path]:
    """By name as it is imported: all modules of all rooms."""
    found = {}
    for room in MAY_IMPORT:
        for path in sorted((root / room).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            name = ".".join(("lakeproof", *parts) if room in LINKED else parts)
            found[name.removesuffix(".__init__")] = path
    return found


def loaded_by(path: Path, known: AbstractSet[str]) -> set[str]:
    """Our modules that a module imports, wherever in the file, but not for types alone."""
    found = set()
    tests = [node for node in nodes_of(path) if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    for_types = {inner for test in tests for each in test.body for inner in ast.walk(each)}
    for node in (each for each in nodes_of(path) if each not in for_types):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= inner & known or {node.module}
    return found & known


def circles(root: Path) -> list[list[str]]:
    """Modules that import each other, directly or not, at whatever time."""
    paths = modules(root)
    below = {name: loaded_by(path, paths.keys()) - {name} for name, path in paths.items()}
    reached = {name: set(direct) for name, direct in below.items()}
    while True:
        wider = {name: those.union(*(reached[each] for each in those)) for name, those in reached.items()}
        if wider == reached:
            break
        reached = wider
    among = {name: sorted(each for each in those if name in reached[each]) for name, those in reached.items()}
    return [names for name, names in sorted(among.items()) if names and names[0] == name]


def impurities(root: Path) -> list[str]:
    """What does not belong in ``model/``: clocks, I/O, coroutines. One line each."""
    found = []
    for path in sorted((root / "model").rglob("*.py")):
        where = path.relative_to(root)
        modules = [(line, name) for line, name in imported(path, root) if name.split(".")[0] in IMPURE]
        found += [f"{where}:{line}: imports {name}" for line, name in modules]
        functions = [node for node in nodes_of(path) if isinstance(node, ast.AsyncFunctionDef)]
        found += [f"{where}:{node.lineno}: async def {node.name}" for node in functions]
    return found


def reaching_into_java(root: Path) -> list[str]:
    """What Spark Connect does not have: Java's objects behind PySpark's, outside of the module for classic Spark."""
    found = []
    for path in sorted((root / "spark_checks").rglob("*.py")):
        where = path.relative_to(root).as_posix()
        if where == CLASSIC:
            continue
        found += [f"{where}:{line}: imports {name}" for line, name in imported(path, root) if name.startswith("py4j")]
        for node in nodes_of(path):
            name = getattr(node, "attr", None) or getattr(node, "id", None) or getattr(node, "value", None)
            names = [alias.name for alias in node.names] if isinstance(node, ast.ImportFrom) else [name]
            found += [f"{where}:{node.lineno}: {each}" for each in names if isinstance(each, str) and each in OF_JAVA]  # type: ignore[attr-defined]
    return found


def long_files(root: Path) -> list[str]:
    """Comments do not count: they make a file no longer to read."""
    sizes = (
        (path, sum(not line.lstrip().startswith("#") for line in path.read_text(encoding="utf-8").splitlines()))
        for path in project_files(root)
        if path.suffix == ".py" and not path.stem.endswith("_pb2")
    )
    named = ((path.relative_to(root).as_posix(), size) for path, size in sizes)
    return [f"{name}: {size} lines" for name, size in named if size > LINES_MAX_OF.get(name, LINES_MAX)]


def machine_paths(root: Path) -> list[str]:
    return [
        f"{path.relative_to(root)}:{number}: {match[0]}"
        for path in project_files(root)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if (match := MACHINE_PATH.search(line))
    ]


def write(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


class TestFloors:
    def test_imports_point_down(self) -> None:
        assert upward_imports(ROOT) == []

    def test_imports_of_the_harness_point_down(self) -> None:
        assert climbing_imports(ROOT) == []
        found = {path.stem for path in (ROOT / "lakeproof").iterdir() if path.suffix == ".py" or path.is_dir()}
        assert found - {*LINKED, "__init__", "__pycache__"} == {*FLOORS}

    def test_no_modules_import_each_other(self) -> None:
        assert circles(ROOT) == []

    def test_the_model_is_pure(self) -> None:
        assert impurities(ROOT) == []

    def test_one_module_reaches_into_a_jvm(self) -> None:
        assert reaching_into_java(ROOT) == []


class TestFiles:
    def test_no_file_is_too_long(self) -> None:
        assert long_files(ROOT) == []

    def test_no_file_names_a_path_of_some_machine(self) -> None:
        assert machine_paths(ROOT) == []

    def test_no_test_reads_a_clock_or_sleeps_but_those_that_are_named(self) -> None:
        named = set().union(*MAY_READ_A_CLOCK.values())
        found = {
            path.relative_to(ROOT / "tests").as_posix()
            for path in (ROOT / "tests").rglob("*.py")
            if CLOCKS.search(path.read_text(encoding="utf-8")) and path != Path(__file__)
        }
        assert (found - named, named - found) == (set(), set())

    @pytest.mark.parametrize("room", MAY_IMPORT)
    def test_each_room_says_that_it_is_typed(self, room: str) -> None:
        assert (ROOT / room / "py.typed").is_file()

    def test_each_news_fragment_has_a_kind_and_a_text(self) -> None:
        for path in (ROOT / "news").iterdir():
            if path.name != "README.md":
                _, kind, suffix = path.name.rsplit(".", 2)
                assert kind in NEWS_KINDS, path.name
                assert suffix == "md", path.name
                assert path.read_text(encoding="utf-8").strip(), path.name


PLANTED = {
    "model/a.py": "from lakeproof import impl, model\nimport time\nasync def now(): ...\n",
    "model/deep/b.py": "from ...impl import x\nfrom . import c\nfrom ..kv import Get\n",
    "impl/c.py": "def f():\n    from lakeproof.search import world\n    import lakeproof.model.d\n",
    "model/d.py": "from lakeproof.impl.c import f\nif TYPE_CHECKING:\n    import lakeproof.model.a\n",
    "stateful_tests/e.py": "from tests import helpers\n",
    "lakeproof/search/h.py": "from lakeproof.show import i\nfrom lakeproof.words import plural\nimport lakeproof.impl",
    "lakeproof/attic/j.py": "from lakeproof.words import plural\n",
    "lakeproof/cli.py": "from lakeproof.show import i\n",
    "impl/long.py": "x = 1\n" * 400,
    "impl/fits.py": "x = 1\n" * 399 + "    # A reason.\n",
    "lakeproof/search/behaviour.py": "x = 1\n" * 600,
    "lakeproof/search/by_level.py": "x = 1\n" * 601,
    "impl/records_pb2.py": "x = 1\n" * 400,
    CLASSIC: "from py4j import java_gateway\nx._jvm.y\n",
    "spark_checks/g.py": "import py4j.protocol\ns.sparkContext\nfrom pyspark import SparkContext\ngetattr(x, '_jvm')\n"
    "if TYPE_CHECKING:\n    x.rdd\n",
    "docs/a.md": "See /" + "home/me/lake\nhttps://example.org/home/me\n",  # in two pieces, so that this file passes
}


def test_each_rule_finds_what_breaks_it_and_nothing_else(tmp_path: Path) -> None:
    for name, text in PLANTED.items():
        write(tmp_path, name, text)
    assert upward_imports(tmp_path) == [
        "model/a.py:1: model must not import lakeproof.impl",
        "model/d.py:1: model must not import lakeproof.impl.c",
        "model/deep/b.py:1: model must not import impl",
        "impl/c.py:2: impl must not import lakeproof.search",
        "stateful_tests/e.py:1: stateful_tests must not import tests",
    ]
    assert climbing_imports(tmp_path) == [
        "lakeproof/attic/j.py:1: attic must not import lakeproof.words",
        "lakeproof/search/h.py:1: search must not import lakeproof.show",
    ]
    assert circles(tmp_path) == [["lakeproof.impl.c", "lakeproof.model.d"]]
    assert impurities(tmp_path) == ["model/a.py:2: imports time", "model/a.py:3: async def now"]
    assert reaching_into_java(tmp_path) == [
        "spark_checks/g.py:1: imports py4j.protocol",
        "spark_checks/g.py:3: SparkContext",
        "spark_checks/g.py:2: sparkContext",
        "spark_checks/g.py:4: _jvm",
        "spark_checks/g.py:6: rdd",
    ]
    assert long_files(tmp_path) == ["impl/long.py: 400 lines", "lakeproof/search/by_level.py: 601 lines"]
    assert machine_paths(tmp_path) == ["docs/a.md:1: /" + "home/me"]
