"""`lakeproof conform` and `stress`: what they print, as lines and as one object, and nothing else touched."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import Result

from lakeproof.impl.stores._kv_claims import Claim, a_predicate_is_of_its_key_and_partition, an_absent_key_is_not_found
from lakeproof.impl.stores.conformance import claim_text, claims
from lakeproof.impl.stores.sqlite import SQLiteStore
from lakeproof.model import kv
from lakeproof.stores import PrefixedStore
from lakeproof.stores.s3_bucket import Bucket
from tests.commands import lakeproof
from tests.gate.dynamodb_server import served
from tests.gate.stores import answering
from tests.gate.test_s3_conform import Store
from tests.lakefs_tables import in_dynamodb
from tests.stores.planted_store import dsn as planted

pytestmark = pytest.mark.usefixtures("in_tmp_path")

REFUSES = """
import json, sys
for line in sys.stdin:
    error = {"kind": "refused", "message": "closed on Sundays"}
    print(json.dumps({"id": json.loads(line)["id"], "error": error}), flush=True)
"""
VERDICTS = {0: "holds", 1: "violated", 3: "inconclusive"}


def judged(*arguments: str) -> tuple[Result, dict[str, object]]:
    """The run, and the one object on its stdout."""
    result = lakeproof(*arguments, "--json")
    [line] = result.stdout.splitlines()
    found = json.loads(line)
    assert found["verdict"] == VERDICTS[result.exit_code]
    return result, found


def test_each_claim_that_is_kept_is_told_and_counted() -> None:
    told = [claim_text(claim) for claim in claims()]
    summed = f"conforming: {len(told)} claims kept by memory:"
    result = lakeproof("conform", "memory:")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [*(f"kept: {each}" for each in told), summed]
    result, found = judged("conform", "memory:", "--seed", "3")
    kept = [{"claim": each, "kept": True, "why": ""} for each in told]
    said = {"store": "memory:", "seed": 3, "verdict": "holds", "claims": kept, "unasked": [], "left": {}}
    assert (found, result.stderr) == (said, f"{summed}\n")


def test_a_claim_that_is_about_other_stores_is_not_said_to_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked_of(dsn: str, *claims: Claim) -> object:
        monkeypatch.setattr("lakeproof.commands.conform.claims", lambda seed: claims)
        _, found = judged("conform", dsn)
        return found["claims"]

    kept = {"claim": "an absent key is not found", "kept": True, "why": ""}
    asked = an_absent_key_is_not_found, a_predicate_is_of_its_key_and_partition
    assert asked_of(planted("prompt correct"), *asked) == [kept]  # its predicates are opaque
    with served() as url:
        in_dynamodb(url, [], "theirs")
        there = asked_of(f"dynamodb+{url}/theirs")
        assert isinstance(there, list)
        assert "sort keys are in the order of their kind" not in [each["claim"] for each in there]


def test_ctrl_c_leaves_no_key_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    async def writes(store: PrefixedStore) -> None:
        await store.set(b"p", b"k", b"v")
        raise KeyboardInterrupt

    def puts(bucket: Bucket) -> None:
        bucket.put("k", b"v")
        raise KeyboardInterrupt

    monkeypatch.setattr("lakeproof.commands.conform.claims", lambda seed: (writes,))
    monkeypatch.setattr("lakeproof.stores.s3_claims.CLAIMS", (puts,))
    assert lakeproof("conform", "sqlite:///kv.db").exit_code == 130
    with SQLiteStore("kv.db") as store:
        assert store.contents() == {}
    objects = Store()
    with answering(objects.answer) as there:
        assert lakeproof("conform", f"s3+{there.url.replace('//', '//me:hush@')}/b").exit_code == 130
    assert objects.state.objects == {}


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


@pytest.mark.usefixtures("counted")
def test_what_is_violated_has_its_evidence_and_the_files() -> None:
    result, found = judged("stress", planted("get-then-set"))
    evidence, written = found["evidence"], found["written"]
    assert isinstance(evidence, list)
    assert isinstance(written, list)
    assert all(Path(path).exists() for path in written)
    assert {"out/stress/history.jsonl", "out/stress/evidence.txt"} <= set(written)
    assert len(written) == 2 + len(evidence) > 2
    assert evidence[0].keys() == {
        "key", "explained", "failed", "line", "minimal", "held", "operations", "elsewhere",
    }  # fmt: skip
    assert evidence[0]["failed"] in Path("out/stress/evidence.txt").read_text()
    assert result.stderr.splitlines()[-1].startswith("VIOLATED: ")


def test_what_is_inconclusive_says_why() -> None:
    Path("store.py").write_text(REFUSES)
    store = f"exec:{sys.executable} store.py"
    _, found = judged("stress", store, "--seconds", "0.5", "--clients", "2")
    assert found["why"] == "hardly anything was answered"
    troubles = found["troubles"]
    assert isinstance(troubles, dict)
    assert troubles.keys() == {"closed on Sundays"}


def test_of_flows_there_is_a_verdict_for_each_invariant() -> None:
    _, found = judged("stress", "memory:", "--flows", "--seconds", "1")
    invariants = found["invariants"]
    assert isinstance(invariants, list)
    assert {one["invariant"] for one in invariants} >= {"commit-is-causal", "no-reachable-zombie"}
    for one in invariants:
        assert one["verdict"] == ("holds" if one["checks"] else "inconclusive")
        assert one["evidence"] == []
