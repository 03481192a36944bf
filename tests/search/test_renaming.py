"""Fresh identifiers in loops: the search that renames them, against the plain search that does not; planted faults."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

import attrs
import pytest

from lakeproof import Always, Call, Env, Finding, Reached, Scenario, Snapshot, Violation
from lakeproof.search.by_level import GivesWay, Plan
from lakeproof.search.loops import LoopingSearch
from lakeproof.search.plain import plain_search
from lakeproof.search.replay import record
from lakeproof.search.results import Options, Result
from lakeproof.search.setup import prepare

P = b"p"
KEYS = (b"k", b"l")
HEAD = (P, b"head")
ENDLESS = 1 << 30
Flow = Callable[..., Any]  # type: ignore[explicit-any]


@attrs.frozen(cache_hash=True)
class Step:
    """What is done with two registers that hold identifiers: "mint" into one, "get" and "set" a key, "set_if" it holds
    what the other one does."""

    kind: str
    key: bytes
    register: int


def steps(random: Random) -> tuple[Step, ...]:
    kinds = ("mint", *random.choices(("mint", "get", "set", "set_if", "set_if"), k=random.randint(2, 4)))
    return tuple(Step(kind, random.choice(KEYS), random.randrange(2)) for kind in kinds)


async def _step(env: Env, step: Step, held: list[str]) -> None:
    mine, other = held[step.register], held[1 - step.register]
    match step.kind:
        case "mint":
            held[step.register] = env.ids.unique("one")
        case "get":
            found = await env.store.find(P, step.key)
            held[step.register] = "" if found is None else found.value.decode()
        case "set":
            await env.store.set(P, step.key, mine.encode())
        case _:
            if not await env.store.try_set_if(P, step.key, mine.encode(), other.encode() or None):
                held[step.register] = ""


@attrs.frozen
class Keeper:
    """How a flow keeps two identifiers while it waits."""

    pack: Callable[[str, str], object]
    unpack: Callable[[Any], tuple[str, str]]  # type: ignore[explicit-any]


KEEPERS: Mapping[str, Keeper] = {
    "list": Keeper(lambda one, other: [one, other], lambda kept: (kept[0], kept[1])),
    "text": Keeper(lambda one, other: f"<{one}/{other}>", lambda kept: tuple(kept[1:-1].split("/"))),  # type: ignore[arg-type, return-value]
    "closure": Keeper(lambda one, other: lambda: (one, other), lambda kept: kept()),
    "iterator": Keeper(lambda one, other: iter([one, other]), lambda kept: (next(kept), next(kept))),
    "key": Keeper(lambda one, other: {("one", one): other}, lambda kept: next((k[1], v) for k, v in kept.items())),
}


async def run(env: Env, made: tuple[Step, ...], rounds: int, keeper: str) -> bool:
    kept = KEEPERS[keeper].pack("", "")
    held = ["", ""]
    while rounds:
        held = [*KEEPERS[keeper].unpack(kept)]
        for step in made:
            await _step(env, step, held)
        kept = KEEPERS[keeper].pack(*held)
        held = []
        await env.store.get(P, b"always")
        rounds -= rounds < ENDLESS
    one, other = KEEPERS[keeper].unpack(kept)
    return one == other


async def begin(env: Env) -> None:
    await env.store.set(P, b"always", b"")


def _pattern(seen: Snapshot) -> tuple[object, ...]:
    """Which keys are there, whether they are equal, and what calls have returned."""
    here = [seen.store.get((P, key)) for key in KEYS]
    ends = [call.value for calls in seen.clients for call in calls if call.done]
    return (*[each is not None for each in here], here[0] == here[1], *[each == b"" for each in here], *ends)


def never(wrong: tuple[object, ...]) -> Always:
    def check(seen: Snapshot) -> Iterator[Finding]:
        yield Violation("never", repr(wrong)) if _pattern(seen) == wrong else Reached("another state")

    return Always(id="never", meaning="", check=check)


def scenario(seed: int, rounds: int, ends: tuple[bool, ...] = (), keepers: Sequence[str] = (*KEEPERS,)) -> Scenario:
    """Two clients. ``ends``: what calls have returned where it is violated."""
    random = Random(seed)
    calls = [[Call(run, steps(random), rounds, random.choice(keepers))] for _ in range(2)]
    wrong = (True, True, random.random() < 0.7, False, False, *ends)
    return Scenario(name="generated", setup=[Call(begin)], clients=calls, invariants=[never(wrong)])


def searched(each: Scenario) -> tuple[LoopingSearch, Result]:
    """What is found where identifiers are renamed, and who has found it."""
    made = LoopingSearch(Plan(setting=prepare(each), options=Options(symmetry=False)))
    result = made.run()
    assert not isinstance(result, GivesWay)
    return made, result


def verdict(result: Result) -> tuple[str, int | None]:
    """Of what shall never be, and the length of the counterexample."""
    (found,) = [finding for finding in result.findings if finding.id == "never"]
    return found.verdict, len(found.counterexample.moves) if found.counterexample else None


def plainly(each: Scenario) -> tuple[str, int | None]:
    """The same, where they are not renamed."""
    result = plain_search(each)
    way = result.violations.get("never")
    return result.verdicts["never"], len(way[1]) if way else None


def wrong(seeds: range, keepers: Sequence[str] = (*KEEPERS,)) -> list[str]:
    """Where the search that renames says something else than the plain one."""
    found = []
    for seed in seeds:
        ends = Random(seed).choice([(), (True,), (False,), (True, True), (True, False)])
        each = scenario(seed, 2, ends, keepers)
        made, result = searched(each)
        if not made.renames:
            found.append(f"{seed}: not renamed")
        if verdict(result) != (expected := plainly(each)):
            found.append(f"{seed}: {expected}, searched {verdict(result)}")
    return found


def wrong_endlessly(seeds: range) -> list[str]:
    """Where an endless loop does not end in the search, or does not violate what its first two rounds do."""
    found = []
    for seed in seeds:
        endless = scenario(seed, ENDLESS)
        made, result = searched(endless)
        (finding,) = [each for each in result.findings if each.id == "never"]
        steps_ = plainly(scenario(seed, 2))[1]
        if finding.counterexample is not None:
            record(endless, "never", finding.counterexample.moves, version="0")  # the flows follow it
            later = steps_ is not None and len(finding.counterexample.moves) > steps_
            found += [f"{seed}: not the shortest way"] if later else []
        elif not made.renames or not result.complete or steps_ is not None:
            found.append(f"{seed}: {finding.verdict}, {result.stopped}")
    return found


def test_bounded_loops_have_the_verdicts_of_the_plain_search() -> None:
    assert wrong(range(12)) == []


def test_endless_loops_violate_what_their_first_rounds_violate() -> None:
    assert wrong_endlessly(range(8)) == []


@pytest.mark.deep
@pytest.mark.parametrize("first", range(1_000, 2_000, 50))
def test_many_loops_have_the_verdicts_of_the_plain_search(first: int) -> None:
    assert wrong(range(first, first + 50)) == []
    assert wrong_endlessly(range(first, first + 10)) == []
