"""Keys: two scenarios have one key only if they are the same, down to closures; and the catalogue's are narrow."""

import ast
import functools
import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Final, Optional

import attrs
import pytest

from lakeproof import Call, Program, Scenario
from lakeproof.scenario import Flow
from lakeproof.verify import keys
from lakeproof.verify.keys import NoKey
from lakeproof.verify.witness import status
from tests.commands import ROOT, in_a_process
from tests.racing import ATOMIC, increment, increment_if


def closing_over(value: object) -> Flow:
    async def flow(env: object) -> object:
        return value

    return flow


def defaulting_to(value: object) -> Flow:
    async def flow(env: object, given: object = value) -> None: ...

    return flow


def naming(value: object) -> Flow:
    async def flow(env: object, *, given: object = value) -> None: ...

    return flow


@attrs.frozen
class Holder:
    """A flow that is an object."""

    value: object

    async def __call__(self, env: object) -> None: ...

    async def method(self, env: object) -> None: ...


async def echo(env: object, *args: object, **options: object) -> None: ...


def marked(value: object) -> Flow:
    async def flow(env: object) -> None: ...

    vars(flow)["mark"] = value
    return flow


MAKERS: Final = (
    *(closing_over, defaulting_to, naming, marked, Holder),
    lambda value: Holder(value).method,
    lambda value: functools.partial(echo, value),
    lambda value: functools.partial(echo, key=value),
    lambda value: closing_over(closing_over(value)),
    lambda value: functools.lru_cache(closing_over(value)),
)

VALUES: Final = (
    *(1, 2, True, 1.0, "1", b"1", (1,), [1], {1}, frozenset({1}), increment),
    *({1: 2}, {2: 1}, {1: 2, 2: 1}, {2: 1, 1: 2}),
)


def written(scenario: Scenario) -> str:
    return keys._digest_scenario(scenario)[0]


def calling(flow: Flow) -> Scenario:
    return attrs.evolve(ATOMIC, clients=[[Call(flow)]])


@pytest.mark.parametrize("make", MAKERS)
def test_what_a_flow_holds_is_in_its_key(make: Callable[[object], Flow]) -> None:
    found = [written(calling(make(value))) for value in VALUES]
    assert len(set(found)) == len(VALUES)
    assert found == [written(calling(make(value))) for value in VALUES]


@pytest.mark.parametrize(("value", "root"), [(Path, Path.__module__), (functools, "functools"), (Optional, "typing")])
def test_the_module_of_a_value_is_in_its_key(value: object, root: str) -> None:
    assert root in keys._digest_scenario(calling(closing_over(value)))[1]


def test_every_field_is_in_the_key() -> None:
    changes: dict[str, object] = {
        "name": "other",
        "clients": [[Call(increment)]],
        "invariants": [attrs.evolve(ATOMIC.invariants[0], id="other")],
        "setup": [Call(increment_if)],
        "expect": {"increments-count": "violated"},
        "start_time": 1,
        "faults": attrs.evolve(ATOMIC.faults, crashes=1),
    }
    found = {written(ATOMIC)} | {written(attrs.evolve(ATOMIC, **{name: new})) for name, new in changes.items()}  # type: ignore[arg-type]
    assert len(found) == len(changes) + 1


def generated() -> Iterator[int]:
    yield 1


def test_what_cannot_be_written_has_no_key() -> None:
    class Local:
        """Known by no name."""

    foreign = FunctionType(test_every_field_is_in_the_key.__code__, {"__name__": "elsewhere"})
    for value in (threading.Lock(), generated(), Local(), Local, sys.stdout, foreign):
        with pytest.raises(NoKey, match="counters/atomic: "):
            written(calling(closing_over(value)))


@pytest.mark.parametrize("kind", [ValueError, SystemExit, GeneratorExit, BaseException])
def test_a_value_that_refuses_in_its_own_way_has_no_key(kind: type[BaseException]) -> None:
    class Refusing:
        def __reduce_ex__(self, protocol: object) -> str:
            raise kind("no")

    with pytest.raises(NoKey, match=f"cannot be written: {kind.__name__}: no"):
        written(calling(closing_over(Refusing())))


def test_an_interrupt_is_no_refusal() -> None:
    class Interrupted:
        def __reduce_ex__(self, protocol: object) -> str:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        written(calling(closing_over(Interrupted())))


def test_a_flow_in_another_process_has_no_key() -> None:
    with pytest.raises(NoKey, match="runs in another program"):
        written(attrs.evolve(ATOMIC, clients=[[Program("./flows").call("store")]]))


def test_a_process_that_was_not_witnessed_has_no_keys() -> None:
    with pytest.raises(NoKey, match="not witnessed"):
        keys.key(ATOMIC, ())


def inside(program: str) -> str:
    """What a program prints in a process of its own that is witnessed from its beginning."""
    return in_a_process("from lakeproof.verify.witness import *\nWITNESS.install()\n" + program)


STDIN: Final = ("open(0)", "os.read(0, 1)", "sys.stdin.read()", "sys.__stdin__.read()", "next(sys.stdin, '')")
STARTS: Final = ("os.execv('/', ['x'])", "os.posix_spawn('/', ['x'], {})", "__import__('subprocess').call('/')")
READS: Final = ("os.access('x', 0)", "os.getxattr('x', 'y')", "os.readlink('x')", "os.path.islink('x')")
STRANGE: Final = {
    **dict.fromkeys((*STDIN, "next(iter(sys.stdin), '')"), "mine.py:1 reads 0"),
    **dict.fromkeys((*STARTS, "os.fork() or os._exit(0)", "os.system('')"), "mine.py:1 starts "),
    **dict.fromkeys((*READS, "exec('def later():  open(1 * chr(120))')"), "mine.py:1 reads x"),
    "def exec_module():\n    open('x')\nexec_module()": "mine.py:2 reads x",
    "os.statvfs('/')": "mine.py:1 reads /",
    "os.stat(STANDARD + '../../../x')": "mine.py:1 reads ",
    "os.stat(STANDARD + 'site-packages/../x')": "",
    "os.readv(0, [bytearray(1)])": "mine.py:1 calls readv",
    "os.cpu_count()": "mine.py:1 calls cpu_count",
    "os.geteuid()": "mine.py:1 calls geteuid",
    "os.isatty(1)": "mine.py:1 calls isatty",
    "input()": "mine.py:1 asks for",
    "__import__('socket').gethostname()": "mine.py:1 asks for",
    "__import__('socket').getaddrinfo('::1', 1)": "mine.py:1 connects to ::1",
    "__import__('socket').socket().connect(('127.0.0.1', 1))": "mine.py:1 connects to",
    "__import__('sqlite3').connect(':memory:')": "mine.py:1 opens :",
    "__import__('ctypes').CDLL('/')": "mine.py:1 opens /",
    "util.module_from_spec(util.spec_from_file_location('mine', LIBRARY))": "mine.py:1 imports the compiled ",
    "import json": "",
    "import numpy.linalg, attrs, click, decimal": "",
}
"""By what a file does as it is loaded, or `later`: the beginning of why it has no key."""


def test_what_a_key_cannot_hold_is_named() -> None:
    told = inside(f"""
import contextlib, glob, shutil, tempfile
from importlib import util
LIBRARY = shutil.copy(glob.glob(STANDARD + "lib-dynload/*.so")[0], tempfile.mkdtemp())
WITNESS.noting = True
found = []
for reading in {list(STRANGE)!r}:
    WITNESS.strange = ""
    code, mine = compile(reading, "mine.py", "exec"), {{**globals(), "__name__": "mine", "__file__": "mine.py"}}
    with contextlib.suppress(OSError, ImportError, EOFError):
        exec(code, mine)
        mine.get("later", int)()
    found.append(WITNESS.strange)
print(repr(found))
""")
    for (reading, strange), found in zip(STRANGE.items(), ast.literal_eval(told), strict=True):
        assert (found.startswith(strange), bool(found)) == (True, bool(strange)), (reading, found)


@pytest.mark.parametrize("file", ["linked/amount", "generated", "linked/../amount", "no/../../other"])
def test_what_is_read_of_installed_packages_is_known_as_it_is(file: str, tmp_path: Path) -> None:
    """No installer has recorded it: a link leads out of the folder, or the file was made later."""
    installed, source = tmp_path / "site-packages", tmp_path / "source" / "linked"
    for folder in (installed / "no", source):
        folder.mkdir(parents=True)
    (installed / "linked").symlink_to(source)
    found: list[str] = []
    for text in ("1", "1", "22"):
        for place in (source, source.parent, tmp_path):
            for name in ("amount", "other"):
                if not (place / name).exists() or text != "1":
                    (place / name).write_text(text)
        if text != "1" or not found:
            (installed / "generated").write_text(text)
        found.append(
            in_a_process(f"""
import sys
sys.path.append({str(installed)!r})
from lakeproof.verify.witness import *
WITNESS.install()
WITNESS.noting = True
exec(compile({f"open('{installed}/{file}')"!r}, "mine.py", "exec"))
print(WITNESS.strange, sorted(WITNESS.known))
""")
        )
    assert found[0] == found[1] != found[2]


def test_a_file_that_was_put_back_with_its_old_times_is_another(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("1")
    first, before = status(str(path)), path.stat()
    while path.stat().st_ctime_ns == before.st_ctime_ns:  # the clock of files has ticks
        path.write_text("2")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert status(str(path)) != first


def test_what_was_loaded_before_the_witness_is_in_each_key(tmp_path: Path) -> None:
    """A sitecustomize may import what a user's file then finds loaded."""
    found = []
    for amount in (1, 1, 2):
        (tmp_path / "early.py").write_text(f"AMOUNT = {amount}")
        found.append(
            in_a_process(f"""
import sys
sys.path.append({str(tmp_path)!r})
import early
from lakeproof.verify.witness import *
WITNESS.install()
from lakeproof.verify import keys
print(keys._surroundings())
""")
        )
    assert found[0] == found[1] != found[2]


def test_the_options_of_python_and_what_is_installed_are_in_each_key(tmp_path: Path) -> None:
    inside(f"installed = {str(tmp_path)!r}" + """
import sys, time
from lakeproof.verify import keys
found = set()
for option in (
    lambda: None,
    lambda: sys.warnoptions.append("error"),
    lambda: sys._xoptions.update(x="1"),
    lambda: setattr(sys, "version", "x"),
    lambda: setattr(keys, "version", lambda: "x"),
    lambda: setattr(time, "tzname", ("X", "Y")),
    lambda: setattr(time, "timezone", 1),
    lambda: setattr(keys, "INSTALLED", (installed,)),
    lambda: os.mkdir(installed + "/x-1.egg-info"),
    lambda: open(installed + "/x-1.egg-info/RECORD", "w").write("x"),
    lambda: setattr(sys, "flags", ()),
    lambda: setattr(keys, "setlocale", lambda _: "X"),
):
    option()
    keys.installation.cache_clear()
    keys._surroundings.cache_clear()
    found.add(keys._surroundings())
assert len(found) == 12
""")


def test_after_a_search_over_another_program_no_file_of_lakeproof_is_blamed() -> None:
    command = f"{sys.executable} {ROOT / 'tests' / 'languages' / 'programs.py'}"
    told = inside(f"""
from lakeproof import Program, Scenario
from lakeproof.search.search import search
from lakeproof.verify import keys
flow = Program({command!r}).call("echo")
scenario = Scenario(name="s", clients=[[flow]], invariants=[], expect={{"no-unhandled-exception": "holds"}})
WITNESS.noting = True
search(scenario)
try:
    keys.key(scenario, ())
except keys.NoKey as error:
    print(error)
""")
    assert told.startswith("a flow runs in another program, ")


def test_the_catalogue_reads_nothing_and_its_keys_hold_the_modules_that_a_design_reaches() -> None:
    inside("""
from lakeproof.verify import keys
from lakeproof.verify.loader import Source
scenarios = {}
for each in Source().load():
    scenarios.setdefault("/".join(each.name.split("/")[:2]), []).append(each)
assert len(scenarios) > 100
for some in scenarios.values():
    keys.key(some[0], ())

by_code = {keys._code(file): name for name, file in keys._files().items() if file in WITNESS.executed}
for design, own, other in (
    # Two of them by ``from lakeproof.impl.graveler import writes``, and by an import within a function.
    ("hard-delete/online", "impl.hard_delete.online impl.graveler.writes model.invariants.jobs", "repositories.step1"),
    ("repositories/step1", "impl.repositories.step1", "hard_delete.online"),
):
    [race, *_] = (each for each in scenarios[design] if "/alone/" not in each.name)
    modules = {by_code[code] for code in keys._closure(keys._digest_scenario(race)[1])}
    assert {f"lakeproof.{each}" for each in own.split()} <= modules
    assert {f"lakeproof.model.invariants.{name}" for name in ("_base", "_liveness")} <= modules
    assert f"lakeproof.impl.{other}" not in modules

found = {keys.key(race, ()), keys.key(race, (1,))}
for part in ("_surroundings", "_users_code", "_closure"):
    setattr(keys, part, lambda *_: "x")
    found.add(keys.key(race, ()))
WITNESS.known.add("x")
assert len(found | {keys.key(race, ())}) == 6
""")


def test_all_of_lakeproof_is_in_the_keys_of_a_users_file() -> None:
    """A flow may call what is no part of a search, and name it as it likes."""
    inside("""
import os, lakeproof
from lakeproof.verify import keys
exec(compile("import lakeproof", "mine.py", "exec"))
package = os.path.dirname(lakeproof.__file__)
files = {os.path.join(folder, name) for folder, _, names in os.walk(package, followlinks=True) for name in names}
hashed = {file for file, _ in keys._engine_at_first()}
assert {file for file in files if file.endswith(".py")} <= hashed
assert {f"{package}/{name}.py" for name in ("gate/run", "spark_checks/cli", "impl/hard_delete/online")} <= hashed
""")


def test_what_a_search_loads_is_in_each_key() -> None:
    inside("""
import os, pkgutil, importlib, sys
import lakeproof.search, lakeproof.verify.cache
for each in pkgutil.iter_modules(lakeproof.search.__path__):
    importlib.import_module(f"lakeproof.search.{each.name}")
files = [module.__file__ for name, module in sys.modules.items() if name.startswith("lakeproof")]
strange = [file for file in files if os.path.dirname(file.removeprefix(PACKAGE)) not in ENGINE]
assert {file.removeprefix(PACKAGE) for file in strange} == {
    *(f"model/invariants/{name}.py" for name in ("__init__", "_base", "_liveness")),
}, strange
""")


def test_an_engine_that_is_edited_while_the_command_runs_gives_no_key() -> None:
    """Before the key is made, and during the search: which version was loaded is not known."""
    said = inside("""
from lakeproof.verify import keys
began, first, WITNESS.began_ns = WITNESS.began_ns, keys._engine_at_first(), 0
for edited in (keys._surroundings, keys.check_still):
    try:
        edited()
    except keys.NoKey as error:
        print(error)
    WITNESS.began_ns = began
    keys._surroundings()
    keys._engine_at_first = lambda: [(file, (0, 0)) for file, _ in first]
""")
    before, meanwhile = said.splitlines()
    assert before.endswith(".py has changed since the command began")
    assert meanwhile == "files of lakeproof have changed meanwhile"


def test_slices_that_are_constants_count() -> None:
    """As they are from Python 3.14 on."""

    def of(*constants: object) -> bytes:
        return keys._bytes_of(compile("1", "x", "eval").replace(co_consts=constants))

    assert of(slice(1, 2)) == of(slice(1, 2)) != of(slice(1, 3))
    assert of((slice(1, 2), 3)) == of((slice(1, 2), 3)) != of((slice(1, 2), 4))
