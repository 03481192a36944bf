"""`lakeproof conform`: a line for each claim, what was expected and found, and nothing else touched."""

import pytest

from lakeproof.impl.stores.conformance import claim_text, claims
from lakeproof.impl.stores.sqlite import SQLiteStore
from lakeproof.model import kv
from tests.commands import lakeproof
from tests.stores.planted_store import dsn as planted

pytestmark = pytest.mark.usefixtures("in_tmp_path")


def test_each_claim_that_is_kept_is_a_line_and_the_last_line_counts_them() -> None:
    result = lakeproof("conform", "memory:")
    kept = [f"kept: {claim_text(claim)}" for claim in claims()]
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [*kept, f"conforming: {len(kept)} claims kept by memory:"]


STRESS = ("--seconds", "0.5", "--clients", "4")


@pytest.mark.parametrize(
    ("command", "options"),
    [("conform", ()), ("stress", STRESS), ("stress", (*STRESS, "--flows"))],
    ids=["conform", "stress", "stress --flows"],
)
def test_what_else_is_in_a_store_is_left_alone_and_nothing_is_left_behind(
    command: str, options: tuple[str, ...]
) -> None:
    theirs = {(b"p", b"k"): b"theirs", (b"q", b"\0"): b"", (b"graveler", b"k"): b"theirs"}
    with SQLiteStore("kv.db") as store:
        for (partition, key), value in theirs.items():
            store._apply(kv.Set(partition, key, value))
    done = lakeproof(command, "sqlite:///kv.db", *options)
    assert done.exit_code == 0 or (command, done.exit_code) == ("stress", 3), done.output  # so short a run
    with SQLiteStore("kv.db") as store:
        assert store.contents() == theirs


@pytest.mark.parametrize(
    ("bug", "says"),
    [
        ("prompt resurrecting", "NOT kept: a predicate does not outlive what it was got from: SetIf("),
        (
            "prompt get-then-set",
            "NOT kept: concurrent increments by set if are all kept: the counter: expected 40, found ",
        ),
    ],
)
def test_a_claim_that_is_not_kept_is_told_with_what_was_expected_and_found(bug: str, says: str) -> None:
    result = lakeproof("conform", planted(bug))
    assert result.exit_code == 1
    assert says in result.stdout
    assert result.stdout.splitlines()[-1].startswith("NOT conforming: ")
