"""Keys: two scenarios have one key only if they are the same, down to closures; and the catalogue's are narrow."""

import functools
import sys
import threading
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Final

import attrs
import pytest

from lakeproof import Call, Program, Scenario
from lakeproof.scenario import Flow
from lakeproof.verify import keys
from lakeproof.verify.keys import NoKey
from tests.commands import ROOT, in_a_process
from tests.racing import ATOMIC, increment, increment_if


def closing_over(value: object) -> Flow:
    async def flow(env: object) -> object:
        return value

    return flow


def defaulting_to(value: object) -> Flow:
    async def flow(env: object, given: object = value, *, named: object = value) -> None: ...

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
    closing_over,
    defaulting_to,
    marked,
    Holder,
    lambda value: Holder(value).method,
    lambda value: functools.partial(echo, value),
    lambda value: functools.partial(echo, key=value),
    lambda value: closing_over(closing_over(value)),
    lambda value: functools.lru_cache(closing_over(value)),
)

VALUES: Final = (
    1,
    2,
    True,
    1.0,
    "1",
    b"1",
    (1,),
    [1],
    {1: 2},
    {2: 1},
    {1: 2, 2: 1},
    {2: 1, 1: 2},
    frozenset({1}),
    increment,
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
    ("hard-delete/online", "impl.hard_delete.online", "impl.repositories.step1"),
    ("repositories/step1", "impl.repositories.step1", "impl.hard_delete.online"),
):
    [race, *_] = (each for each in scenarios[design] if "/alone/" not in each.name)
    modules = {by_code[code] for code in keys._closure(keys._digest_scenario(race)[1])}
    assert f"lakeproof.{own}" in modules
    assert {f"lakeproof.model.invariants.{name}" for name in ("_base", "_liveness")} <= modules
    assert f"lakeproof.{other}" not in modules
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
