"""The conditions that a scenario's object store has: a flow that relies on another one gets a definite error."""

from collections.abc import Iterator
from typing import cast

import pytest

from lakeproof import Aftermath, Call, Env, Eventually, Finding, Reached, Scenario, ScenarioError, Snapshot, Violation
from lakeproof.model import objects
from lakeproof.model.snapshot import Outcome
from lakeproof.search import results
from lakeproof.search.search import search
from tests.differential.agreement import plain

LACKS = "Copy: the store has no copy.if_absent; use copy.if_match, put.if_absent, put.if_match"


async def publish(env: Env, name: str, careful: bool = True) -> None:
    """Write an object, and publish it unless another one is."""
    await env.objects.put(name, name.encode())
    await env.objects.copy(name, "current", if_absent=careful)


def check(snapshot: Snapshot) -> Iterator[Finding]:
    for call in snapshot.calls():
        if isinstance(call.error, objects.Unsupported):
            yield Reached(str(call.error))
        elif call.done:
            yield Violation("refused", f"{call}")


REFUSED = Eventually(id="refused", meaning="a call says what the store lacks", check=check)


def publishing(*calls: Call, has: frozenset[str] = objects.ALL, setup: tuple[Call, ...] = ()) -> Scenario:
    return Scenario(name="publish", setup=setup, clients=[[call] for call in calls], invariants=[REFUSED], objects=has)


def found(scenario: Scenario) -> results.Finding:
    """What the search finds of the first invariant, as the plain search does."""
    finding = search(scenario).findings[0]
    expected = plain(scenario)
    assert expected is not None
    assert expected.verdicts[finding.id] == finding.verdict
    return finding


def test_a_condition_that_the_store_lacks_is_a_definite_error_of_the_call() -> None:
    finding = found(publishing(Call(publish, "a"), Call(publish, "b"), has=objects.MINIO))
    assert (finding.verdict, finding.example) == ("holds", LACKS)
    assert found(publishing(Call(publish, "a"), has=objects.S3)).verdict == "violated"  # which has them all


def test_setup_and_aftermath_have_the_same_store() -> None:
    with pytest.raises(ScenarioError, match=r"setup call publish.* failed with Unsupported.*no copy\.if_absent"):
        search(publishing(Call(publish, "a"), setup=(Call(publish, "first"),), has=objects.MINIO))

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
