"""Evidence: the longest explicable prefix, and a sub-history of which nothing can be taken away."""

from collections.abc import Sequence

from lakeproof.model.linearizability.checker import Limits, check, decide_key, parts
from lakeproof.model.linearizability.evidence import Evidence, explain
from lakeproof.model.linearizability.history import NEVER, History, Operation, Settings, history
from lakeproof.model.linearizability.problem import Stepped, Verdict, make_steps
from lakeproof.model.linearizability.specifications import APPEND, CAS_REGISTER, KV_SCAN, Specification
from lakeproof.model.snapshot import Status
from tests.model.linearizability.generated import brute_force, in_some_order, small


def explained(specification: Specification, told: History, limits: Limits | None = None) -> Evidence:
    [(key, numbers)] = parts(specification, told)
    answer, _ = decide_key(specification, told, numbers, Limits())
    assert answer.verdict is Verdict.VIOLATED
    return explain(specification, told, key, numbers, limits or Limits(), answer.at)


def known_until(told: History, event: int) -> History:
    """A history as it was known after an event."""
    operations = []
    for number in range(len(told)):
        op = told.operation(number)
        if op.call <= event:
            late = op.returned > event
            status, returned = (Status.INFO, NEVER) if late else (op.status, op.returned)
            operations.append(
                Operation(
                    process=number, f=op.f, argument=op.argument, result=None if late else op.result, status=status,
                    call=op.call, returned=returned,
                )
            )  # fmt: skip
    return history(operations, told.settings)


def with_free_writes(specification: Specification, told: History, kept: Sequence[Operation]) -> Stepped:
    """What is left when only some operations are known, and all others may have happened at any time, or never."""
    calls = {op.call for op in kept}
    operations = []
    for number in range(len(told)):
        op = told.operation(number)
        if op.call in calls:
            operations += [known for known in kept if known.call == op.call]
        elif op.f not in specification.observers and op.status is not Status.FAIL:
            operations.append(
                Operation(process=0, f=op.f, argument=op.argument, status=Status.INFO, call=op.call - 1_000)
            )
    again = history(operations, told.settings)
    return make_steps(specification, again, range(len(again)))


def test_the_prefix_is_the_longest_and_the_part_smallest_by_brute_force() -> None:
    seen = 0
    for seed in range(2_500):
        specification, told = small(seed, most=6)
        if brute_force(specification, told):
            continue
        seen += 1
        found = explained(specification, told)
        assert found.failed is not None
        assert not brute_force(specification, known_until(told, found.failed.returned))
        assert brute_force(specification, known_until(told, found.failed.returned - 1))
        assert found.minimal
        known = known_until(told, found.failed.returned)
        assert not in_some_order(with_free_writes(specification, known, found.operations))
        for left_out in found.operations:
            fewer = [op for op in found.operations if op is not left_out]
            assert in_some_order(with_free_writes(specification, known, fewer)), seed
    assert seen > 200


def test_where_few_values_come_again_and_again_only_the_end_is_told_with_what_was_held_before() -> None:
    operations = []
    for turn in range(200):
        write = Operation(process=0, f="write", argument=turn % 3, call=4 * turn, returned=4 * turn + 1)
        read = Operation(process=1, f="read", result=turn % 3, call=4 * turn + 2, returned=4 * turn + 3)
        operations += [write, read]
    operations.append(Operation(process=1, f="read", result=0, call=4 * 200, returned=4 * 200 + 1))
    found = explained(CAS_REGISTER, history(operations))
    assert found.returned == 400
    assert found.possible == (199 % 3,)
    assert [(op.f, op.result) for op in found.operations] == [("read", 0)]
    assert found.elsewhere == ()


def test_without_time_all_operations_are_given_and_nothing_is_called_smallest() -> None:
    write = Operation(process=0, f="write", argument=1, call=0, returned=1)
    reads = [Operation(process=0, f="read", result=each, call=2 * each, returned=2 * each + 1) for each in (2, 1)]
    found = explained(CAS_REGISTER, history([write, *reads]), Limits(expired=lambda: True))
    assert not found.minimal


def test_the_part_of_appended_strings_is_short_too() -> None:
    calls = [
        Operation(process=0, f="append", argument="a", call=0, returned=1),
        Operation(process=0, f="append", argument="b", call=2, returned=3),
        Operation(process=1, f="get", result="ab", call=4, returned=5),
        Operation(process=1, f="get", result="a", call=6, returned=7),
        Operation(process=1, f="get", result="ab", call=8, returned=9),
    ]
    found = explained(APPEND, history(calls))
    assert found.returned == 3
    assert found.failed is not None
    assert found.failed.result == "a"
    assert len(found.operations) == 2
    assert found.minimal


def test_what_was_refused_has_written_nothing_also_where_it_is_left_out() -> None:
    calls = [
        Operation(process=0, f="set", key="k", argument=1, call=0, returned=1),
        Operation(process=0, f="set_if", key="k", argument=(None, 5), status=Status.FAIL, call=2, returned=3),
        Operation(process=0, f="get", key="k", result=5, call=4, returned=5),
    ]
    found = explained(KV_SCAN, history(calls, Settings(fail="predicate-false")))
    assert [op.f for op in (*found.operations, *found.elsewhere)] == ["get", "set"]


def test_the_sub_history_with_what_it_needs_of_the_rest_is_violated_by_itself() -> None:
    for seed in range(600):
        specification, told = small(seed)
        if brute_force(specification, told):
            continue
        found = explained(specification, told)
        assert found.possible is None
        loose = [
            Operation(process=0, f=op.f, argument=op.argument, status=Status.INFO, call=at - 1_000)
            for at, op in enumerate(found.elsewhere)
        ]
        alone = history([*loose, *found.operations], Settings(fail=told.settings.fail))
        assert [v.verdict for v in check(specification, alone)] == [Verdict.VIOLATED]
