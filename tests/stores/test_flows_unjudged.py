"""``stress --flows`` says nothing of rounds that could not be judged, and so not that anything holds."""

import re
from collections import Counter
from itertools import count

import pytest

from lakeproof.impl.stores import Store
from lakeproof.live import judge
from lakeproof.live.flows import IDS, FlowReport, Flows
from lakeproof.live.judge import KeyVerdicts
from lakeproof.live.recorder import Tally
from lakeproof.live.report import NotJudged, Round
from lakeproof.live.traffic import KeyRound
from lakeproof.model import kv
from lakeproof.model.invariants import Violation
from lakeproof.model.linearizability.problem import Verdict
from lakeproof.stores.wrappers import PrefixedStore
from tests.commands import lakeproof

UNREAD = Round(unread="the store could not be read in the end")


@pytest.mark.parametrize("unjudged", [1, 2])
def test_a_run_with_rounds_that_could_not_be_judged_is_inconclusive_although_all_others_hold(unjudged: int) -> None:
    done = FlowReport(IDS, rounds=3, reached=Counter(IDS))
    assert (done.code, done.closing(7)) == (0, f"HOLDS: {len(IDS)} invariants (seed 7)")
    for _ in range(unjudged):
        done.add(UNREAD)
    assert (done.code, done.closing(7)) == (3, f"INCONCLUSIVE: {unjudged} of {3 + unjudged} rounds not judged (seed 7)")
    assert {done.verdict(name) for name in IDS} == {"inconclusive"}


def test_a_violation_is_one_whatever_could_not_be_judged() -> None:
    done = FlowReport(IDS, rounds=3, reached=Counter(IDS))
    done.add(UNREAD)
    done.add(Round(judged=[(IDS[0], Violation(IDS[0], "seen"))]))
    assert (done.code, done.closing(7)) == (1, f"VIOLATED: {IDS[0]} (seed 7)")
    assert [done.verdict(name) for name in IDS[:2]] == ["violated", "inconclusive"]


def test_an_invariant_that_was_not_judged_in_a_round_leaves_the_run_open() -> None:
    done = FlowReport(IDS, reached=Counter(IDS))
    done.add(Round(judged=[(IDS[0], NotJudged("too many orders"))]))
    assert (done.code, {done.verdict(name) for name in IDS}) == (3, {"inconclusive"})


def test_keys_that_were_not_judged_leave_the_run_open_although_the_next_round_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    verdicts = [KeyVerdicts(Verdict.INCONCLUSIVE, 1, ["key 'k': no time"]), KeyVerdicts(Verdict.HOLDS, 1)]
    monkeypatch.setattr(judge, "judge", lambda made, settings: verdicts.pop(0))
    done = judge.HistoryReport(tally=Tally(Counter({("get", "ok"): 99, ("set", "ok"): 99})))
    for number in (1, 2):
        made = KeyRound(number=number)
        done.judge(made)
        done.add(made)
    assert (done.code, done.closing(7)) == (3, "INCONCLUSIVE: not every key could be judged (seed 7)")
    assert done.as_object()["why"] == "not every key could be judged; key 'k': no time"


@pytest.mark.usefixtures("in_tmp_path")
def test_a_store_that_could_once_not_be_read_in_the_end_is_not_said_to_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, rounds = Flows._rows, count()  # where the trouble is planted

    async def rows(self: Flows, private: PrefixedStore, store: Store) -> dict[kv.Address, bytes]:
        if next(rounds) == 0:
            raise kv.OutcomeUnknown("gone")
        return await reading(self, private, store)

    monkeypatch.setattr(Flows, "_rows", rows)
    result = lakeproof("stress", "memory:", "--flows", "--seconds", "1")
    assert result.exit_code == 3, result.output
    assert re.search(r"^INCONCLUSIVE: 1 of \d+ rounds? not judged", result.stdout, re.MULTILINE)
    assert "checks  holds" not in result.stdout
