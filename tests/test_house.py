"""The house rules that a machine can check: floors, sizes, paths, news."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path

import pytest

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

# Modules that would make the model depend on something other than its arguments.
IMPURE = {"asyncio", "datetime", "io", "os", "pathlib", "random", "socket", "subprocess", "threading", "time", "trio"}

LINES_MAX = 399
PARAMETERS_MAX = 7
"""Of a function. A command's options are no parameters in this sense."""
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
    "it waits for a process or a server to start or end": {
        *("foreign/test_misbehaving.py", "gate/test_hostile.py", "lakefs_server.py", "servers.py"),
        *("targets/redis_server.py", "targets/test_drivers.py", "test_cli_trouble.py", "services/test_restarting.py"),
    },
    "it is a program that hangs, or answers late": {
        *("edge/odd_parts.py", "foreign/misbehaving.py", "gate/hostile.py", "gate/nasty.py", "gate/on_the_way.py"),
        *("targets/misbehaving.py", "targets/nonsense_store.py", "targets/test_misbehaving.py"),
        *("targets/test_nonsense.py", "targets/test_protocol.py"),
    },
    "its planted race needs a window": {
        *("gate/test_s3_conform.py", "targets/planted_dynamodb.py", "targets/planted_store.py"),
        *("targets/test_claims.py", "fake_lakefs/lake.py", "fake_lakefs/moves.py", "fake_lakefs/pulls.py"),
    },
    "time is what it tests": {
        *("explore/test_fence.py", "gate/test_quiet.py", "gate/test_redis.py", "edge/test_odd_code.py"),
        *("fake_lakefs/routes.py", "test_benchmark_spark.py"),
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


def is_generated(path: Path) -> bool:
    return path.stem.endswith("_pb2")


def imported(path: Path, root: Path) -> Iterator[tuple[int, str]]:
    """Line and absolute name of each module that a file imports, wherever in the file it does."""
    package = path.relative_to(root).with_suffix("").parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), filename=str(path))):
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
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    found = set()
    for node in ast.walk(tree):
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


def bare_imports(root: Path) -> list[str]:
    """Imports of our rooms by the names of their folders, which an installed lakeproof does not have."""
    return [
        f"{path.relative_to(root)}:{line}: imports {name}, not lakeproof.{name}"
        for path in project_files(root)
        if path.suffix == ".py"
        for line, name in imported(path, root)
        if name.partition(".")[0] in LINKED
    ]


def impurities(root: Path) -> list[str]:
    """What does not belong in ``model/``: clocks, I/O, coroutines. One line each."""
    found = []
    for path in sorted((root / "model").rglob("*.py")):
        where = path.relative_to(root)
        modules = [(line, name) for line, name in imported(path, root) if name.split(".")[0] in IMPURE]
        found += [f"{where}:{line}: imports {name}" for line, name in modules]
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        found += [f"{where}:{n.lineno}: async def {n.name}" for n in nodes if isinstance(n, ast.AsyncFunctionDef)]
    return found


def long_files(root: Path) -> list[str]:
    sizes = (
        (path, len(path.read_text(encoding="utf-8").splitlines()))
        for path in project_files(root)
        if path.suffix == ".py" and not is_generated(path)
    )
    return [f"{path.relative_to(root)}: {size} lines" for path, size in sizes if size > LINES_MAX]


def many_parameters(root: Path) -> dict[str, set[str]]:
    """By file: functions with more parameters than a reader can hold, but for commands."""
    found: dict[str, set[str]] = {}
    for room in MAY_IMPORT:
        for path in sorted((root / room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _is_wide(node):
                    found.setdefault(path.relative_to(root).as_posix(), set()).add(node.name)
    return found


def _is_wide(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    arguments = node.args
    names = [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    is_command = any("command(" in ast.unparse(each) for each in node.decorator_list)
    return len(names) - (names[:1] in (["self"], ["cls"])) > PARAMETERS_MAX and not is_command


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

    @pytest.mark.parametrize("room", MAY_IMPORT)
    def test_there_is_something_to_check_in_each_room(self, room: str) -> None:
        assert list((ROOT / room).rglob("*.py"))

    def test_a_planted_upward_import_is_found_however_it_is_written(self, tmp_path: Path) -> None:
        write(tmp_path, "model/a.py", "import lakeproof.impl.codec\n")
        write(tmp_path, "model/b.py", "from lakeproof import impl, model\n")
        write(tmp_path, "impl/b.py", "def f():\n    from lakeproof.explore import world\n")
        write(tmp_path, "impl/c.py", "from lakeproof import Scenario\n")
        write(tmp_path, "lakeproof/explore/c.py", "if TYPE_CHECKING:\n    from lakeproof.spark_checks import d\n")
        write(tmp_path, "stateful_tests/d.py", "from tests import helpers\n")
        write(tmp_path, "spark_checks/e.py", "from lakeproof import Scenario\nfrom . import f\nimport numpy\n")
        assert upward_imports(tmp_path) == [
            "model/a.py:1: model must not import lakeproof.impl.codec",
            "model/b.py:1: model must not import lakeproof.impl",
            "impl/b.py:2: impl must not import lakeproof.explore",
            "impl/c.py:1: impl must not import lakeproof",
            "lakeproof/explore/c.py:2: lakeproof must not import lakeproof.spark_checks",
            "stateful_tests/d.py:1: stateful_tests must not import tests",
        ]

    def test_no_modules_import_each_other(self) -> None:
        assert circles(ROOT) == []

    def test_a_planted_circle_is_found_however_late_it_closes(self, tmp_path: Path) -> None:
        write(tmp_path, "impl/a.py", "from lakeproof.impl import b\n")
        write(tmp_path, "impl/b.py", "import lakeproof.model.c\n")
        write(tmp_path, "model/c.py", "def f():\n    from lakeproof.impl.a import x\n")
        write(tmp_path, "model/d.py", "if TYPE_CHECKING:\n    import lakeproof.model.e\n")
        write(tmp_path, "model/e.py", "from lakeproof.model.d import y\n")
        assert circles(tmp_path) == [["lakeproof.impl.a", "lakeproof.impl.b", "lakeproof.model.c"]]

    def test_rooms_are_imported_as_they_are_installed(self) -> None:
        assert bare_imports(ROOT) == []

    def test_an_import_by_the_name_of_a_folder_is_found(self, tmp_path: Path) -> None:
        write(tmp_path, "tests/a.py", "from model import kv\nimport impl.codec\nfrom lakeproof import impl\n")
        assert bare_imports(tmp_path) == [
            "tests/a.py:1: imports model, not lakeproof.model",
            "tests/a.py:2: imports impl.codec, not lakeproof.impl.codec",
        ]

    @pytest.mark.parametrize("room", sorted(LINKED))
    def test_a_room_is_linked_where_it_is_imported(self, room: str) -> None:
        assert (ROOT / "lakeproof" / room).resolve() == (ROOT / room).resolve()

    def test_relative_imports_are_resolved(self, tmp_path: Path) -> None:
        lines = ("from ..kv import Get", "from . import b", "from .c import d", "from ...impl import x")
        write(tmp_path, "model/deep/a.py", "\n".join(lines))
        names = [name for _, name in imported(tmp_path / "model/deep/a.py", tmp_path)]
        assert names == ["model.kv", "model.deep", "model.deep.c", "impl"]

    def test_the_model_is_pure(self) -> None:
        assert impurities(ROOT) == []

    def test_a_planted_impurity_is_found(self, tmp_path: Path) -> None:
        write(tmp_path, "model/a.py", "import time\n\nasync def now(): ...\n")
        assert impurities(tmp_path) == ["model/a.py:1: imports time", "model/a.py:3: async def now"]

    def test_the_command_line_starts_without_spark(self) -> None:
        program = (
            "import sys, lakeproof.cli\n"
            "print(*sorted({'lakeproof.spark_checks', 'pyspark', 'hypothesis'} & sys.modules.keys()))"
        )
        done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "\n", "")


class TestFiles:
    def test_no_file_is_too_long(self) -> None:
        assert long_files(ROOT) == []

    def test_a_long_file_is_found_unless_it_is_generated(self, tmp_path: Path) -> None:
        write(tmp_path, "impl/long.py", "x = 1\n" * 400)
        write(tmp_path, "impl/fits.py", "x = 1\n" * 399)
        write(tmp_path, "impl/records_pb2.py", "x = 1\n" * 400)
        write(tmp_path, ".venv/long.py", "x = 1\n" * 400)
        assert long_files(tmp_path) == ["impl/long.py: 400 lines"]

    def test_no_function_has_too_many_parameters(self) -> None:
        assert many_parameters(ROOT) == {}

    def test_a_function_with_too_many_parameters_is_found_unless_it_is_a_command(self, tmp_path: Path) -> None:
        eight = "a, b, c, d, /, e, *, f, g, h"
        write(tmp_path, "impl/a.py", f"def many({eight}): ...\nclass A:\n    def few(self, b, c, d, e, f, g, h): ...\n")
        write(tmp_path, "lakeproof/b.py", f"@click.command()\ndef command({eight}): ...\n")
        assert many_parameters(tmp_path) == {"impl/a.py": {"many"}}

    def test_no_file_names_a_path_of_some_machine(self) -> None:
        assert machine_paths(ROOT) == []

    def test_a_path_of_some_machine_is_found(self, tmp_path: Path) -> None:
        absolute = "/" + "home/me/lake"  # in two pieces, so that this file passes
        write(tmp_path, "docs/a.md", f"See {absolute}\nhttps://example.org{absolute}\n./out{absolute}\n")
        write(tmp_path, ".ci/run", f"cd {absolute}\n")
        assert machine_paths(tmp_path) == [".ci/run:1: /" + "home/me", "docs/a.md:1: /" + "home/me"]

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
