"""Words: what a reader is told of effects, replies and values."""

from collections.abc import Iterator

import pytest

from lakeproof import Call, Env, Eventually, Finding, NotAsExpected, Scenario, Snapshot, Violation, check
from lakeproof.model import keys, objects
from lakeproof.search import describe

START = 1_700_000_000_000_000


def test_bytes_that_are_no_record_where_one_should_be_are_shown_as_bytes() -> None:
    assert describe.value(keys.GRAVELER, b"repos/r", b"\xff\xff") == r"\xff\xff"


def test_nothing_that_a_terminal_obeys_is_ever_shown() -> None:
    evil = b"\x1b[2J\r\n\x07ok\xc2\x9b"
    for shown in (
        describe.text(evil),
        describe.place(evil, evil),
        describe.brief(evil.decode()),
        describe.printable(evil.decode()),
        str(describe.effect(objects.Put(evil.decode(), evil), START)),
    ):
        assert shown.isprintable()
        assert "ok" in shown


def test_an_object_in_json_is_shown_whole_and_what_is_cut_is_counted() -> None:
    whole = b'{"data": {"1": 4}, "lock": [1, "a"], "write": {"2": 1}, "read": []}'
    assert describe.value(b"rows", b"a", whole) == whole.decode()
    shown, _, rest = describe.value(b"rows", b"a", b"x" * 5_000).partition("... (")
    assert rest == f"{5_000 - len(shown)} more bytes)"


async def guarded(env: Env) -> None:
    await env.store.transact(checks=[(b"p", b"guard", None)], writes=[(b"p", b"k", b"1")])


def _wrong(seen: Snapshot) -> Iterator[Finding]:
    yield Violation("wrong", f"{len(seen.store)}")


def test_a_key_that_a_transaction_only_checks_is_not_said_to_be_written() -> None:
    wrong = Eventually(id="wrong", meaning="", check=_wrong)
    with pytest.raises(NotAsExpected, match="checks and writes at once p/k, p/guard, p/guard if absent: "):
        check(Scenario(name="s", clients=[[Call(guarded)]], invariants=[wrong]))
