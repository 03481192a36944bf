"""Stated rows: a planted bug in any step is found; the flows as they are hold; a table that is not one is refused."""

import pytest

from lakeproof.explore.search import search
from lakeproof.impl.committed import reading
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler import dropping, locked, merging
from lakeproof.impl.hard_delete import (
    _reaping,
    no_copies,
    object_path,
    offline,
    reference_counter,
    reference_tracking,
    token_states,
)
from lakeproof.impl.migration import migrating
from lakeproof.impl.refs import branches, dump
from lakeproof.impl.repositories import hardened, reclaiming, step2
from lakeproof.impl.repositories._records import write_entry
from lakeproof.impl.retention import heads, pins, runs
from lakeproof.impl.upstream import collecting, entries, imports, ownership, tasks
from lakeproof.impl.upstream import repositories as upstream
from lakeproof.impl.world import guarding, history, jobs, sentences
from lakeproof.model import kv
from lakeproof.model.errors import BranchNotFound
from lakeproof.model.identifiers import RepositoryID
from lakeproof.model.invariants.goes import GOES_AS_STATED, Gone, goes_as_stated
from lakeproof.model.records import Repository
from lakeproof.model.snapshot import Outcome, Snapshot, Status
from lakeproof.scenario import Aftermath, Call, Scenario
from lakeproof.scenarios import catalogue
from lakeproof.scenarios._shown import Names
from lakeproof.scenarios._stated import nothing, parsed, played
from lakeproof.scenarios.races import RaceError

BY_NAME = {each.name: each for each in catalogue() if each.name.startswith(("stated/", "committed/"))}


def verdict(name: str) -> str:
    scenario = BY_NAME[name]
    wanted = scenario.aftermath[-1].id
    return next(finding.verdict for finding in search(scenario).findings if finding.id == wanted)


async def without_condition(env: Env, repository: Repository, predicate: kv.Predicate) -> None:
    await write_entry(env, repository)


async def nothing_done(*_: object, **__: object) -> None:
    """A step that is left out."""


async def no(*_: object, **__: object) -> bool:
    return False


async def taken(*_: object, **__: object) -> bool:
    return True


async def none_of_them(*_: object, **__: object) -> set[object]:
    return set()


async def no_branch(*_: object, **__: object) -> None:
    raise BranchNotFound("b")


PLANTED: list[tuple[str, object, str, object]] = [
    ("stated/step2/table", step2, "write_entry_if", without_condition),
    ("stated/step2/table", step2, "INITIAL_TIMEOUT", step2.INITIAL_TIMEOUT + 1),
    ("stated/hardened/table", hardened, "_is_free", lambda entry, now: True),
    ("stated/tasks/table", tasks, "_beat", nothing_done),
    ("stated/ownership/table", ownership, "LOOKS", 1),
    ("stated/imports/table", imports, "demand_clean", nothing_done),
    ("stated/collecting/table", collecting, "RETENTION_DAYS", 8),
    ("stated/writes/table", entries, "unstage", nothing_done),
    ("stated/repositories/table", upstream, "METADATA_KEY", b"other"),
    ("stated/locked/table", locked, "_take_over", no),
    ("stated/merging/table", merging, "add_commit", nothing_done),
    ("stated/dropping/table", dropping, "get_branch", no_branch),
    ("stated/refs/table", branches, "_look", nothing_done),
    ("stated/token-states-jobs/table", token_states, "drop_all", nothing_done),
    ("stated/reference-counter/table", reference_counter, "ONE", (("references", "2"),)),
    ("stated/reference-tracking-jobs/table", reference_tracking, "_is_due", taken),
    ("stated/no-copies/table", no_copies, "hard_delete", nothing_done),
    ("stated/object-path-commits/table", object_path, "_delete_under", nothing_done),
    ("stated/offline-jobs/table", offline, "_committed", none_of_them),
    ("stated/online-jobs/table", _reaping, "fate_of", lambda token, branch: "closed"),
    ("stated/retention/table", runs, "read_staged", none_of_them),
    ("stated/retention-pins/table", pins, "_pinned", none_of_them),
    ("stated/retention-heads/table", heads, "note_left", nothing_done),
    ("stated/migration/table", migrating, "_clear", nothing_done),
    ("stated/dumps/table", dump, "_check_same", lambda *_: None),
    ("stated/reclaiming/table", reclaiming, "address_name", lambda repository, name: name),
    ("stated/reclaiming/table", reclaiming._Emptying, "_drop", nothing_done),
    ("stated/world/table", history, "_look_again", nothing_done),
    ("stated/world/table", guarding, "check_alive", nothing_done),
    ("stated/world-aged/table", sentences, "publish", nothing_done),
    ("stated/world-aged/table", sentences, "take_over", nothing_done),
    ("stated/world-unrestored/table", jobs, "check_restored", nothing_done),
    ("committed/alone/keeping", reading, "RANGES_KEPT", 7),
    ("committed/alone/keeping", reading, "RANGES_KEPT", 9),
]


@pytest.mark.parametrize("name", sorted({name for name, *_ in PLANTED}))
def test_the_flows_as_they_are_go_as_stated(name: str) -> None:
    assert verdict(name) == "holds"


@pytest.mark.parametrize(("name", "module", "what", "instead"), PLANTED)
def test_a_planted_bug_is_found(
    monkeypatch: pytest.MonkeyPatch, name: str, module: object, what: str, instead: object
) -> None:
    monkeypatch.setattr(module, what, instead)
    assert verdict(name) == "violated"


async def read(env: Env, key: bytes) -> bytes | None:
    found = await env.store.find(b"p", key)
    return None if found is None else found.value


async def put(env: Env, value: bytes) -> None:
    await env.store.set(b"p", b"k", value)


async def claim(env: Env) -> bool:
    await env.clock.now()
    return await env.store.try_set_if(b"p", b"k", b"mine", None)


async def pages(env: Env) -> int:
    return len([entry async for entry in env.store.scan(b"p", batch_size=1)])


async def panic(env: Env) -> None:
    raise RuntimeError("commit 0123abcd is missing")


async def put_object(env: Env, content: bytes, *, if_absent: bool = False) -> None:
    await env.objects.put("mem://r/data/a", content, if_absent=if_absent)


async def get_object(env: Env) -> bytes:
    return await env.objects.get("mem://r/data/a")


async def write_of_itself(env: Env) -> None:
    await env.objects.put("mem://r/_lakefs/range", b"1")


WORDS = {
    "read": Call(read, b"k"),
    "put": Call(put, b"theirs"),
    "claim": Call(claim),
    "pages": Call(pages),
    "panic": Call(panic),
    "put_object": Call(put_object, b"1"),
    "put_other": Call(put_object, b"2"),
    "put_once": Call(put_object, b"1", if_absent=True),
    "get_object": Call(get_object),
    "write_of_itself": Call(write_of_itself),
}


def gone(head: str) -> Gone:
    """How a row goes, in a scenario of its own."""
    ((_, plot, _),) = parsed(head, WORDS)
    seen: list[object] = []

    def check(outcomes: tuple[Outcome, ...], _: Snapshot) -> list[object]:
        seen.extend(outcome.value for outcome in outcomes)
        return []

    after = Aftermath(id="a", meaning="a", calls=[Call(played, plot)], check=check)  # type: ignore[arg-type]
    search(Scenario(name="d/v/w", clients=[[Call(nothing)]], invariants=[], aftermath=[after]))
    assert isinstance(seen[-1], Gone)
    return seen[-1]


@pytest.mark.parametrize(
    ("head", "answer", "effects", "leaves"),
    [
        (": read", "done", "get k", ""),
        ("put: read", "theirs", "get k", ""),
        (": claim", "True", "now; set_if k", "+k = mine"),
        (": claim, met by put at 1", "False; done", "now; set_if k", "+k = theirs"),
        (": claim, met by put at 2", "True; done", "now; set_if k", "+k = theirs"),
        (": claim, false at 1", "False", "now; set_if k", "+k = mine"),
        (": claim, lost at 1", "OutcomeUnknown?", "now; set_if k", "+k = mine"),
        (": claim, missed at 1", "OutcomeUnknown?", "now; set_if k", ""),
        (": claim, refused at 1", "Refused", "now; set_if k", ""),
        (": claim, then read", "True; mine", "now; set_if k", "+k = mine"),
        ("put: read, lost at 1", "theirs", "get k", ""),
        ("put: read, false at 1", "theirs", "get k", ""),
        ("put: pages", "1", "scan p", ""),
        ("put: pages, broken at 1", "ScanInterrupted", "scan p", ""),
        ("put: pages, met by put at 1, 5", "1; done; done", "scan p", ""),
        (": panic", "panic: commit c... is missing", "", ""),
        (": put_object", "done", "put a", "+object a = 1"),
        ("put_object: put_other", "done", "put a", "~object a = 2"),
        ("put_object: put_once", "PreconditionFailed", "put a if_absent", ""),
        ("put_object: get_object", "1", "get a", ""),
        ("put_object: get_object, met by put_other at o1", "2; done", "get a", "~object a = 2"),
        ("put_object: get_object, met by put_other at 1", "1; done", "get a", "~object a = 2"),
        (": put_object, refused at o1", "Refused", "put a", ""),
        (": put_object, lost at o1", "OutcomeUnknown?", "put a", "+object a = 1"),
        (": put_object, missed at o1", "OutcomeUnknown?", "put a", ""),
        (": put_once, false at o1", "PreconditionFailed", "put a if_absent", "+object a = 1"),
        (": put_object, false at o1", "done", "put a", "+object a = 1"),
        (": put_object, refused at 1", "done", "put a", "+object a = 1"),
        ("put_object: get_object, lost at o1", "1", "get a", ""),
        (": write_of_itself", "done", "", ""),
        (": write_of_itself, refused at o1", "done", "", ""),
    ],
)
def test_a_row_says_what_was_answered_done_and_left(head: str, answer: str, effects: str, leaves: str) -> None:
    assert gone(head) == Gone(answer, effects, leaves)


@pytest.mark.parametrize(
    ("table", "named"),
    [
        (": nothing_of_it", "'nothing_of_it' is no word"),
        ("read", "expected BEFORE: WORD"),
        (": read, met by put", "expected BEFORE: WORD"),
        (": read, torn at 2", "expected BEFORE: WORD"),
        (": read, refused at p2", "expected BEFORE: WORD"),
        (": read, met by put at o", "expected BEFORE: WORD"),
        (": read, met by put.other at 2", "'other' is no word"),
        ("    answers done", "under a head"),
        (": read\n    says done", "expected a line that begins with answers"),
    ],
)
def test_what_is_no_table_is_refused_by_its_line(table: str, named: str) -> None:
    with pytest.raises(RaceError, match=named):
        parsed(table, WORDS)


def test_a_line_goes_on_below() -> None:
    ((_, _, stated),) = parsed(": read\n    answers done;\n        more\n    by get k", WORDS)
    assert stated == Gone("done; more", "get k", "")


@pytest.mark.parametrize("part", ["answer", "effects", "leaves"])
def test_each_part_of_a_row_is_held_to_what_is_stated(part: str) -> None:
    right = Gone("done", "get k", "")
    wrong = Gone(**{"answer": "done", "effects": "get k", "leaves": "", part: "other"})
    check = goes_as_stated([("row", right)])
    empty = Snapshot(store={}, objects={}, clients=(), now=0)
    (held,) = check((Outcome(Status.OK, right),), empty)
    assert GOES_AS_STATED not in repr(held)
    (found,) = check((Outcome(Status.OK, wrong),), empty)
    assert f"row: {part}: 'other', expected" in repr(found)
    (broken,) = check((Outcome(Status.FAIL, None, kv.Refused()),), empty)
    assert "ended with" in repr(broken)


def test_names_do_not_depend_on_the_run() -> None:
    names = Names(now=1_700_000_000_000_000)
    first, second = "a" * 64, "b" * 64
    assert names.text(f"{first} {second} {first}") == "c1 c2 c1"
    assert names.text("1700000001000000 1699999999999999") == "+1s -1us"
    assert names.key(b"graveler", b"repos/r\0") == "past entry r"
    assert names.answer(RepositoryID("r")) == "r"
