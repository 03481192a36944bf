"""Traffic on the keys of a store: what was never done is not said to hold, and what is done seldom is found."""

import attrs
import pytest
import trio

from lakeproof.impl.stores import MemoryStore, Store
from lakeproof.impl.stores.base import Answer
from lakeproof.live.engine import Load, Plan, Workload, run_rounds
from lakeproof.live.judge import SPURIOUS, HistoryReport
from lakeproof.live.report import Round
from lakeproof.live.traffic import KINDS, Traffic
from lakeproof.model import kv
from tests.stores.mute import jumping, raising


@pytest.mark.parametrize(
    ("kind", "error", "name"),
    [
        (kv.ScanBatch, kv.Refused("no scans"), "scan"),
        (kv.SetIf, kv.PredicateFailed(), "set_if"),
        (kv.Delete, kv.Refused("no deletes"), "delete"),
    ],
)
def test_an_operation_that_is_always_refused_is_not_said_to_hold(
    kind: type[kv.Op], error: kv.KVError, name: str
) -> None:
    done = run_round(raising(error, lambda op, number: isinstance(op, kind)))
    assert (done.code, done.closing(0)) == (3, f"INCONCLUSIVE: not put to the test: {name} (seed 0)")


def run_round(store: Store) -> HistoryReport:
    done = HistoryReport()
    traffic = Traffic(Load(clients=1), store, judge=lambda made: done.judge(made, SPURIOUS), tally=done.tally)
    trio.run(run_rounds, traffic, done, Plan(rounds=1, calls=1500), clock=jumping())
    return done


class UpdatesNothing(MemoryStore):
    """What only updates creates, too."""

    async def apply(self, op: kv.Op) -> Answer:
        if isinstance(op, kv.SetIf) and op.predicate == kv.EXISTS:
            op = kv.Set(op.partition, op.key, op.value)
        return await super().apply(op)


class SkipsTheFirst(MemoryStore):
    async def apply(self, op: kv.Op) -> Answer:
        found = await super().apply(op)
        return attrs.evolve(found, entries=found.entries[1:]) if isinstance(found, kv.Batch) else found


def test_a_key_that_must_exist_for_an_update_and_does_not_is_found() -> None:
    assert run_round(UpdatesNothing()).code == 1


def test_what_only_a_scan_at_the_end_shows_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lakeproof.live.traffic.KINDS", {**KINDS, "scan": 0})
    monkeypatch.setattr("lakeproof.live.judge.EVIDENCE_SECONDS", 0.1)
    assert run_round(SkipsTheFirst()).code == 1


@attrs.define
class Noting(Workload):
    """Does nothing, and notes for how long."""

    kind = "stress"
    lasted: list[float] = attrs.field(factory=list, kw_only=True)

    async def round(self, duration: float, calls: int | None = None) -> Round:
        self.lasted.append(duration)
        return Round(seconds=duration)


def test_each_round_lasts_twice_as_long_as_the_one_before_until_the_time_is_up() -> None:
    workload = Noting(Load(seconds=4))
    trio.run(run_rounds, workload, HistoryReport())
    assert workload.lasted == [0.5, 1, 2, 0.5]
