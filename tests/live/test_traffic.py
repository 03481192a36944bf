"""Traffic on the keys of a store: what was never done is not said to hold."""

import pytest
import trio

from lakeproof.live.engine import Load, Plan, run_rounds
from lakeproof.live.judge import SPURIOUS, HistoryReport
from lakeproof.live.traffic import Traffic
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
    done = HistoryReport()
    store = raising(error, lambda op, number: isinstance(op, kind))
    traffic = Traffic(Load(clients=4), store, judge=lambda made: done.judge(made, SPURIOUS), tally=done.tally)
    trio.run(run_rounds, traffic, done, Plan(rounds=1, calls=600), clock=jumping())
    assert (done.code, done.closing(0)) == (3, f"INCONCLUSIVE: not put to the test: {name} (seed 0)")
