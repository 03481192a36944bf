"""The conditions that a scenario's object store has: a flow that relies on another one gets a definite error."""

from collections.abc import Iterator
from typing import cast

import pytest

from lakeproof import Aftermath, Call, Env, Eventually, Finding, Reached, Scenario, ScenarioError, Snapshot, Violation
from lakeproof.model import objects
from lakeproof.model.snapshot import Outcome, Reads, Status
from lakeproof.search import results
from lakeproof.search.search import search
from tests.differential.agreement import plain

LACKS = "Copy: the store has no copy.if_absent; use copy.if_match, put.if_absent, put.if_match"


async def publish(env: Env, name: str, careful: bool = True) -> None:
    """Write an object, and publish it unless another one is."""
    await env.objects.put(name, name.encode())
    await env.objects.copy(name, "current", if_absent=careful)


async def replace(env: Env, name: str, known: str = "") -> None:
    """Publish in place of what was read, or of what was known before."""
    await env.objects.put(name, name.encode())
    etag = objects.etag(known.encode()) if known else (await env.objects.head("current")).etag
    await env.objects.copy(name, "current", if_destination_match=etag)


def check(snapshot: Snapshot) -> Iterator[Finding]:
    done = [call for call in snapshot.calls() if call.status is Status.OK]
    if len(done) > 1:
        yield Violation("one-is-published", f"{len(done)} calls succeeded")
    for call in done:
        current = snapshot.objects["current"].content.decode()
        yield Reached("published") if current == call.args[0] else Violation("one-is-published", f"{current}")
    for call in snapshot.calls():
        if isinstance(call.error, objects.Unsupported):
            yield Reached(str(call.error))


ONE = Eventually(
    id="one-is-published",
    meaning="of two that publish, one succeeds, and its object is there",
    check=check,
    reads=frozenset({Reads.OBJECTS, Reads.CLIENTS}),
)


def publishing(*calls: Call, has: frozenset[str] = objects.ALL, setup: tuple[Call, ...] = ()) -> Scenario:
    return Scenario(name="publish", setup=setup, clients=[[call] for call in calls], invariants=[ONE], objects=has)


def found(scenario: Scenario) -> results.Finding:
    """What the search finds of the first invariant, as the plain search does."""
    finding = search(scenario).findings[0]
    expected = plain(scenario)
    assert expected is not None
    assert expected.verdicts[finding.id] == finding.verdict
    return finding


@pytest.mark.parametrize(
    ("calls", "verdict"),
    [
        ([Call(publish, "a"), Call(publish, "b")], "holds"),
        ([Call(publish, "a"), Call(publish, "b", careful=False)], "violated"),
        ([Call(replace, "a"), Call(replace, "b")], "violated"),  # one after the other, each over what it has read
        ([Call(replace, "a", "first"), Call(replace, "b", "first")], "holds"),
    ],
)
def test_of_copies_with_one_condition_on_their_destination_one_takes_place(calls: list[Call], verdict: str) -> None:
    setup = () if calls[0].name == "publish" else (Call(publish, "first"),)
    assert found(publishing(*calls, has=objects.S3, setup=setup)).verdict == verdict


def test_a_condition_that_the_store_lacks_is_a_definite_error_of_the_call() -> None:
    finding = found(publishing(Call(publish, "a"), Call(publish, "b"), has=objects.MINIO))
    assert (finding.verdict, finding.example) == ("holds", LACKS)


def test_setup_and_aftermath_have_the_same_store() -> None:
    with pytest.raises(ScenarioError, match=r"setup call publish.* failed with Unsupported.*no copy\.if_absent"):
        search(publishing(Call(replace, "a"), setup=(Call(publish, "first"),), has=objects.MINIO))

    def lacks(outcomes: tuple[Outcome, ...], snapshot: object) -> list[Finding]:
        return [Reached(str(outcomes[0].error))]

    after = Aftermath(id="after", meaning="it lacks a condition", calls=[Call(publish, "z")], check=lacks)
    clients = [[Call(publish, "a", careful=False)]]
    scenario = Scenario(name="after", clients=clients, invariants=[], aftermath=[after], objects=objects.MINIO)
    assert found(scenario).example == LACKS


@pytest.mark.parametrize("wrong", [{"put.if_absent"}, frozenset({"put.if_missing"}), "s3"])
def test_what_is_no_set_of_conditions_is_named_with_those_there_are(wrong: object) -> None:
    with pytest.raises(ScenarioError, match=r"publish: objects is .*; expected a frozenset, such as S3"):
        publishing(Call(publish, "a"), has=cast("frozenset[str]", wrong))
