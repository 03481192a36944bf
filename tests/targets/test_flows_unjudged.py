"""``stress --flows`` says nothing of rounds that could not be judged, and so not that anything holds."""

import re
from collections import Counter
from itertools import count

import pytest

from lakeproof.impl.stores import Store
from lakeproof.live.flow_report import IDS, Flown
from lakeproof.live.flows import Flows, Round
from lakeproof.model import kv
from lakeproof.model.invariants import Violation
from lakeproof.stores.wrappers import Private
from tests.commands import lakeproof

UNREAD = Round(unread="the store could not be read in the end")


@pytest.mark.parametrize("unjudged", [1, 2])
def test_a_run_with_rounds_that_could_not_be_judged_is_inconclusive_although_all_others_hold(unjudged: int) -> None:
    done = Flown(rounds=3, reached=Counter(IDS))
    assert (done.code, done.closing(7)) == (0, f"HOLDS: {len(IDS)} invariants (seed 7)")
    for _ in range(unjudged):
        done.judge(UNREAD)
    assert (done.code, done.closing(7)) == (3, f"INCONCLUSIVE: {unjudged} of {3 + unjudged} rounds not judged (seed 7)")
    assert {done.verdict(name) for name in IDS} == {"inconclusive"}


def test_a_violation_is_one_whatever_could_not_be_judged() -> None:
    done = Flown(rounds=3, reached=Counter(IDS))
    done.judge(UNREAD)
    done.judge(Round(violations=[Violation(IDS[0], "seen")]))
    assert (done.code, done.closing(7)) == (1, f"VIOLATED: {IDS[0]} (seed 7)")
    assert [done.verdict(name) for name in IDS[:2]] == ["violated", "inconclusive"]


@pytest.mark.usefixtures("in_tmp_path")
def test_a_store_that_could_once_not_be_read_in_the_end_is_not_said_to_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, rounds = Flows._held, count()  # where the trouble is planted

    async def held(self: Flows, private: Private, store: Store) -> dict[kv.Address, bytes]:
        if next(rounds) == 0:
            raise kv.OutcomeUnknown("gone")
        return await reading(self, private, store)

    monkeypatch.setattr(Flows, "_held", held)
    result = lakeproof("stress", "memory:", "--flows", "--seconds", "1")
    assert result.exit_code == 3, result.output
    assert re.search(r"^INCONCLUSIVE: 1 of \d+ rounds? not judged", result.stdout, re.MULTILINE)
    assert "checks  holds" not in result.stdout
