"""``stress --flows`` judges what the table of promises says of the operations that it calls."""

from collections.abc import Callable
from random import Random

import pytest

from lakeproof.live.coverage import Coverage
from lakeproof.live.flow_calls import FlowCall, entry_call, repository_call
from lakeproof.live.flow_promises import JUDGES, OF_ENTRIES, OF_REPOSITORIES, judges, observers
from lakeproof.model.promises import promised_ids

GROUPS = pytest.mark.parametrize(
    ("group", "call"), [(OF_ENTRIES, entry_call), (OF_REPOSITORIES, repository_call)], ids=["entries", "repositories"]
)


@GROUPS
def test_clients_call_just_these_operations(group: Coverage, call: Callable[[Random, bytes], FlowCall]) -> None:
    rng = Random(1)
    assert {call(rng, b"i").name for _ in range(2_000)} == {kind.name for kind in group.kinds}


@GROUPS
def test_each_promise_is_judged_or_has_a_reason_why_not(group: Coverage, call: object) -> None:
    promises = promised_ids(*group.kinds)
    assert {judge.id for judge in judges(group)} == set(promises) - group.unjudged.keys()
    assert group.unjudged.keys() <= set(promises)
    assert {each for judge in judges(group) for each in judge.observers} == set(observers(group))


def test_a_promise_without_a_judge_or_a_reason_is_an_error() -> None:
    with pytest.raises(KeyError) as named:
        judges(Coverage(" ".join(kind.name for kind in OF_ENTRIES.kinds), reasons={}))
    assert named.value.args[0] in OF_ENTRIES.unjudged.keys() - JUDGES.keys()
