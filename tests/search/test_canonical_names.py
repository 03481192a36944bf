"""Fresh identifiers in loops: the search that renames them, against the plain search that does not; planted faults."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from random import Random
from typing import Any
from zlib import crc32

import attrs
import pytest

from lakeproof import Always, Call, Env, Faults, Finding, Reached, Scenario, Snapshot, Violation, kv
from lakeproof.search import automaton, canonical_names, contents, fresh_names, loops, suspended
from lakeproof.search.by_level import GivesWay, Plan
from lakeproof.search.fresh_names import AS_GIVEN, names_in
from lakeproof.search.loops import LoopingSearch
from lakeproof.search.replay import record
from lakeproof.search.results import Limits, Options, Result
from lakeproof.search.search import search
from lakeproof.search.setup import prepare
from tests.differential.plain import plain_search
from tests.planting import text_fault
from tests.search.agreement import broken, in_parts

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
class Keeper:  # type: ignore[explicit-any]
    """How a flow keeps two identifiers while it waits."""

    pack: Callable[[str, str], object]
    unpack: Callable[[Any], tuple[str, str]]  # type: ignore[explicit-any]


KEEPERS: Mapping[str, Keeper] = {
    "list": Keeper(lambda one, other: [one, other], lambda kept: (kept[0], kept[1])),
    "text": Keeper(lambda one, other: f"<{one}/{other}>", lambda kept: tuple(kept[1:-1].split("/"))),
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


def never(wrong: tuple[object, ...], met: set[tuple[object, ...]]) -> Always:
    """``met``: is told what there is."""

    def check(seen: Snapshot) -> Iterator[Finding]:
        met.add(_pattern(seen))
        yield Violation("never", repr(wrong)) if _pattern(seen) == wrong else Reached("another state")

    return Always(id="never", meaning="", check=check)


@attrs.frozen
class Made:
    """Two clients. ``wrong``: what shall never be. ``met``: all that has been."""

    scenario: Scenario
    met: set[tuple[object, ...]]


def made(seed: int, rounds: int, keepers: Sequence[str] = (*KEEPERS,), *, forbids: bool = False) -> Made:
    random, met = Random(seed), set[tuple[object, ...]]()
    calls = [[Call(run, steps(random), rounds, random.choice(keepers))] for _ in range(2)]
    wrong = (True, True, random.random() < 0.5, False, False) if forbids else ()
    return Made(Scenario(name="generated", setup=[Call(begin)], clients=calls, invariants=[never(wrong, met)]), met)


def searched(each: Scenario) -> tuple[LoopingSearch, Result]:
    """What is found where identifiers are renamed, and who has found it."""
    made = LoopingSearch(Plan(setting=prepare(each), options=Options(symmetry=False)))
    result = made.run()
    assert not isinstance(result, GivesWay)
    return made, result


def plainly(each: Scenario) -> tuple[str, int | None]:
    """The same, where they are not renamed."""
    result = plain_search(each)
    way = result.violations.get("never")
    return result.verdicts.get("never", ""), len(way[1]) if way else None


def wrong(seeds: range, keepers: Sequence[str] = (*KEEPERS,)) -> list[str]:
    """Where the search that renames meets something else than the plain one."""
    found = []
    for seed in seeds:
        one, other = made(seed, 2, keepers), made(seed, 2, keepers)
        search_, result = searched(one.scenario)
        plainly(other.scenario)
        if one.met != other.met or not result.complete:
            found.append(f"{seed}: only one of them meets {one.met ^ other.met}")
        if not search_.renames:
            found.append(f"{seed}: not renamed")
    return found


def wrong_endlessly(seeds: range) -> list[str]:
    """Where an endless loop does not end in the search, or does not violate what its first two rounds do."""
    found = []
    for seed in seeds:
        endless = made(seed, ENDLESS, forbids=True).scenario
        search_, result = searched(endless)
        (finding,) = [each for each in result.findings if each.id == "never"]
        steps_ = plainly(made(seed, 2, forbids=True).scenario)[1]
        if finding.counterexample is not None:
            record(endless, "never", finding.counterexample.moves, version="0")  # the flows follow it
            later = steps_ is not None and len(finding.counterexample.moves) > steps_
            found += [f"{seed}: not the shortest way"] if later else []
        elif not search_.renames or not result.complete or steps_ is not None:
            found.append(f"{seed}: {finding.verdict}, {result.stopped}")
    return found


@pytest.mark.deep
@pytest.mark.parametrize("seeds", in_parts(range(12), 12, deep=range(1_000, 1_020)))
def test_bounded_loops_have_the_verdicts_of_the_plain_search(seeds: range) -> None:
    assert wrong(seeds) == []


@pytest.mark.parametrize("seeds", in_parts(range(8), 8, deep=range(1_000, 1_020)))
def test_endless_loops_violate_what_their_first_rounds_violate(seeds: range) -> None:
    assert wrong_endlessly(seeds) == []


async def repeats(env: Env) -> None:
    """A write of the first key may arrive when the second one holds the next identifier."""
    while True:
        mine = env.ids.unique("one").encode()
        await env.store.set(P, KEYS[1], mine)
        await env.store.delete(P, KEYS[1])
        with suppress(kv.OutcomeUnknown):
            await env.store.set(P, KEYS[0], mine)
        await env.store.delete(P, KEYS[0])


def test_what_is_in_flight_keeps_a_name_of_its_own() -> None:
    faults, met = Faults(lost_answers=1, duplicates=1), set[tuple[object, ...]]()
    equal = never((True, True, True, False, False), met)
    endless = Scenario(name="late", clients=[[Call(repeats)]], invariants=[equal], faults=faults)
    assert searched(endless)[0].renames
    assert broken(endless) is None
    assert (True, True, False, False, False) in met


async def exchange(env: Env) -> None:
    mine = seen = before = b""
    while True:
        if seen == before:
            mine = env.ids.unique("one").encode()
            await env.store.set(P, b"l", mine)
        found = await env.store.find(*HEAD)
        before, seen = seen, b"" if found is None else found.value
        if seen != mine:
            new = env.ids.unique("one").encode()
            mine = new if await env.store.try_set_if(*HEAD, new, seen or None) else mine
        await env.store.find(P, b"always")


@pytest.mark.deep
def test_a_search_that_ends_early_where_identifiers_have_other_names_says_what_stopped_it() -> None:
    endless = Scenario(name="exchange", clients=[[Call(exchange)]] * 2, invariants=[never((), set())])
    found = search(endless, Limits(states_max=1_050))
    assert "at most 1050 were allowed" in found.stopped


def _seeing(see: Callable[[contents.Shown], contents.Shown], kind: str) -> Callable[[pytest.MonkeyPatch], None]:
    """Objects of a type show less than they hold."""
    known = contents.parts_of

    def parts_of(value: object) -> contents.Shown:
        return see(known(value)) if type(value).__name__ == kind else known(value)

    return lambda patch: patch.setattr(suspended, "parts_of", parts_of)


def _whole_texts(patch: pytest.MonkeyPatch) -> None:
    """An identifier within a longer text is not seen."""
    for name in ("_TOKEN", "_TOKEN_BYTES"):
        token = getattr(fresh_names, name)
        ends = (r"\A(?:", r")\Z") if isinstance(token.pattern, str) else (rb"\A(?:", rb")\Z")
        patch.setattr(fresh_names, name, re.compile(ends[0] + token.pattern + ends[1]))


_HELD = "cells[cell] for cell in sorted(cells)"
_BESIDE = "*self._space.clients, self._space.late)"


FAULTS: Mapping[str, tuple[str, Callable[[pytest.MonkeyPatch], None]]] = {
    "a closure is not looked into": ("closure", _seeing(lambda shown: ((shown[0], 0), []), "cell")),
    "an iterator is not looked into": ("iterator", _seeing(lambda shown: (shown[0], shown[1][:1]), "list_iterator")),
    "the keys of a dictionary are not looked into": ("key", _seeing(lambda shown: (shown[0], shown[1][1::2]), "dict")),
    "an identifier within a text is not seen": ("text", _whole_texts),
    "what the store refers to is forgotten": (
        "list", text_fault(canonical_names, f"*[{_HELD}], {_BESIDE}", "*self._space.clients,)"),
    ),
    "what clients refer to is forgotten": ("list", text_fault(canonical_names, _BESIDE, "self._space.late)")),
}


@pytest.mark.deep
@pytest.mark.parametrize("fault", FAULTS)
def test_identifiers_that_are_forgotten_too_early_are_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    keeper, plant = FAULTS[fault]
    plant(monkeypatch)
    assert any(wrong(range(seed, seed + 1), (keeper,)) for seed in range(60))


async def slice_it(env: Env) -> None:
    for _ in range(3):
        new = env.ids.unique("one")
        await env.store.set(*HEAD, new.encode())
        await env.store.set(P, b"mark", new[-1].encode())


async def hash_it(env: Env) -> None:
    for _ in range(3):
        new = env.ids.unique("one").encode()
        await env.store.set(*HEAD, new)
        await env.store.set(P, b"mark", b"%d" % crc32(new))


async def sort_them(env: Env) -> None:
    old = env.ids.unique("one")
    for _ in range(3):
        await env.store.set(*HEAD, old.encode())
        new = env.ids.unique("one")
        await env.store.set(P, b"mark", b"%d" % (old < new))
        old = new


async def take_the_largest(env: Env) -> None:
    for _ in range(3):
        found = {env.ids.unique("one"), env.ids.unique("one")}
        await env.store.set(*HEAD, max(found).encode())


async def name_keys(env: Env) -> None:
    for _ in range(3):
        await env.store.set(P, env.ids.unique("one").encode(), b"")


async def put_objects(env: Env) -> None:
    for _ in range(3):
        await env.objects.put("object", env.ids.unique("one").encode())
        found = await env.objects.head("object")
        await env.store.set(P, b"mark", found.etag.encode())


async def watch_them(env: Env) -> None:
    async with env.store.watch(*HEAD) as changes:
        for _ in range(3):
            new = env.ids.unique("one").encode()
            await env.store.set(*HEAD, new)
            found = await anext(changes)
            await env.store.set(P, b"mark", b"%d" % (found.value == new))


async def write_it(env: Env) -> None:
    for _ in range(3):
        await env.store.set(*HEAD, env.ids.unique("one").encode())


def _marks(met: set[object]) -> Always:
    """Takes down what depends on how identifiers are spelled, and nothing else."""

    def check(seen: Snapshot) -> Iterator[Finding]:
        met.add((seen.store.get((P, b"mark")), len(seen.store)))
        yield Reached("a state")

    return Always(id="marks", meaning="", check=check)


SECOND = (b"a2", b"")


def _is_the_second(met: set[object]) -> Always:
    """Names an identifier as it is spelled without renaming."""

    def check(seen: Snapshot) -> Iterator[Finding]:
        met.add(seen.store.get(HEAD) in SECOND)
        yield Reached("a state")

    return Always(id="second", meaning="", check=check)


NOT_OPAQUE: Mapping[Flow, tuple[Callable[[set[object]], Always], str]] = {
    slice_it: (_marks, "spelled"),
    hash_it: (_marks, "spelled"),
    sort_them: (_marks, "spelled"),
    take_the_largest: (_marks, "spelled"),
    name_keys: (_marks, "name of a key"),
    put_objects: (_marks, "ETag"),
    watch_them: (_marks, "watches keys"),
    write_it: (_is_the_second, "second holds 'a2'"),
}


def _met(flow: Flow, make: Callable[[set[object]], Always]) -> tuple[set[object], set[object], LoopingSearch]:
    """What the search meets, and what the plain one does."""
    one, other = set[object](), set[object]()
    first, second = (Scenario(name="one", clients=[[Call(flow)]], invariants=[make(met)]) for met in (one, other))
    search_, _ = searched(first)
    plainly(second)
    return one, other, search_


@pytest.mark.parametrize("flow", NOT_OPAQUE, ids=lambda flow: flow.__name__)
def test_identifiers_that_are_not_opaque_keep_their_names(flow: Flow) -> None:
    make, why = NOT_OPAQUE[flow]
    one, other, search_ = _met(flow, make)
    assert one == other
    assert not search_.renames
    assert why in str(search_.kept_apart)


def _trust(patch: pytest.MonkeyPatch) -> None:
    """All identifiers are taken for opaque."""
    patch.setattr(automaton, "OTHERS", (AS_GIVEN,))
    patch.setattr(loops, "OTHERS", ())
    patch.setattr(canonical_names, "names_in", lambda key: [] if "kv" in repr(key) else names_in(key))
    patch.setattr(canonical_names, "is_spelled", lambda text, labels: False)


@pytest.mark.parametrize("flow", [slice_it, hash_it, sort_them, name_keys, write_it], ids=lambda flow: flow.__name__)
def test_whoever_trusts_them_is_wrong(flow: Flow, monkeypatch: pytest.MonkeyPatch) -> None:
    _trust(monkeypatch)
    one, other, search_ = _met(flow, NOT_OPAQUE[flow][0])
    assert search_.renames
    assert one != other
