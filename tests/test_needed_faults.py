"""Which faults a violation needs: held against what is known of planted scenarios, and never guessed."""

import json
from contextlib import suppress
from pathlib import Path

import attrs
import pytest

from lakeproof import Call, Env, Faults, Finding, Observer, Scenario, Snapshot, Status, kv
from lakeproof.model.invariants import STORE_AND_CLIENTS, Always, Violation
from lakeproof.verify.needed_faults import drop_faults
from tests.commands import HEAD, complaint, lakeproof
from tests.racing import ATOMIC, COUNTER, LOST_UPDATE, increment


async def twice(env: Env) -> None:
    await env.store.set(b"p", b"one", b"1")
    await env.store.set(b"p", b"two", b"2")


def _not_half(snapshot: Snapshot) -> list[Finding]:
    half = (b"p", b"one") in snapshot.store and (b"p", b"two") not in snapshot.store
    over = all(call.status is not Status.PENDING for call in snapshot.calls("twice"))
    return [Violation("not-half", "only one key is there")] if half and over else []


HALF = Always(id="not-half", meaning="both keys or none", check=_not_half, reads=STORE_AND_CLIENTS)


def halved(**faults: int) -> Scenario:
    """A client that is cut off between two writes, by a crash or by a refusal alike."""
    return Scenario(name="half", clients=[[Call(twice)]], invariants=[HALF], faults=Faults(**faults))  # type: ignore[arg-type]


def verdicts(scenario: Scenario, invariant_id: str) -> dict[str, str]:
    return {each.fault: each.verdict for each in drop_faults(scenario, invariant_id, 20.0)}


BESIDE = attrs.evolve(LOST_UPDATE, faults=Faults(crashes=1, refusals=1))
"""A race of its own, with faults that it does not need."""


@pytest.mark.parametrize(
    ("scenario", "found"),
    [
        (halved(crashes=1), {"crashes": "needed"}),
        # Two that do the same: none alone is needed, but any is.
        (halved(crashes=1, refusals=1), {"crashes": "not needed", "refusals": "not needed", "any fault": "needed"}),
        (BESIDE, {"crashes": "not needed", "refusals": "not needed", "any fault": "not needed"}),
    ],
    ids=["the only one", "two that do the same", "a race of its own"],
)
def test_a_fault_is_needed_where_nothing_is_violated_without_it(scenario: Scenario, found: dict[str, str]) -> None:
    assert verdicts(scenario, scenario.ids[0]) == found


def test_an_invariant_may_read_what_the_observer_of_another_one_makes() -> None:
    async def writes(env: Env) -> None:
        with suppress(kv.KVError):
            await twice(env)

    def short(snapshot: Snapshot) -> list[Finding]:
        done = [call for call in snapshot.calls() if call.done and call.saw("effects") == 1]
        return [Violation("short", f"{call}") for call in done]

    counts = Always(id="counts", meaning="", check=lambda _: [], observers=(Observer("effects", len),))
    reads = Always(id="short", meaning="each call has both effects", check=short)
    scenario = Scenario(name="s", clients=[[Call(writes)]], invariants=[counts, reads], faults=Faults(refusals=1))
    assert verdicts(scenario, "short") == {"refusals": "needed"}


def test_where_no_fault_is_allowed_nothing_is_dropped() -> None:
    assert drop_faults(LOST_UPDATE, "increments-count", 20.0) == ()


def test_lost_answers_are_dropped_with_the_duplicates_that_need_them() -> None:
    late = attrs.evolve(ATOMIC, clients=[[Call(increment)]], faults=Faults(lost_answers=1, duplicates=1))
    assert set(verdicts(late, "increments-count")) <= {"lost answers", "duplicates", "any fault"}


def test_what_was_not_searched_to_its_end_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    large = attrs.evolve(ATOMIC, faults=Faults(crashes=1))
    [found] = drop_faults(large, "increments-count", 1e-9)
    assert found.verdict == "not known"
    assert "stopped" in found.why


def test_an_exception_that_only_a_fault_brings_is_found_too() -> None:
    async def fails(env: Env) -> None:
        try:
            await env.store.set(*COUNTER, b"1")
        except Exception as error:
            raise KeyError("odd") from error

    scenario = Scenario(
        name="raises",
        clients=[[Call(fails)]],
        invariants=[],
        expect={"no-unhandled-exception": "violated"},
        faults=Faults(refusals=1, crashes=1),
    )
    assert verdicts(scenario, "no-unhandled-exception") == {"refusals": "needed", "crashes": "not needed"}


class TestCommand:
    @pytest.fixture
    def trace(self, tmp_path: Path) -> tuple[str, str]:
        file = tmp_path / "mine.py"
        file.write_text(HEAD + "SCENARIOS = [attrs.evolve(LOST_UPDATE, faults=Faults(crashes=1))]\n", "utf-8")
        lakeproof("verify", "--from", str(file), "--out", str(tmp_path))
        [trace] = tmp_path.glob("*increments-count.json")
        return str(trace), str(file)

    def test_text_page_and_json_have_it(self, trace: tuple[str, str]) -> None:
        asked = (trace[0], "--from", trace[1], "--needed")
        told = "crashes: not needed; it is violated without, in 4 steps"
        assert lakeproof("show", *asked).stdout.endswith(f"fault:    {told}\n")
        assert told in lakeproof("show", *asked, "--format", "html").stdout
        [found] = json.loads(lakeproof("show", *asked, "--format", "json").stdout)["faults"]
        assert (found["fault"], found["verdict"]) == ("crashes", "not needed")

    def test_without_the_scenario_it_is_refused(self, trace: tuple[str, str]) -> None:
        assert "say where that is with --from mine.py" in complaint(lakeproof("show", trace[0], "--needed"))
