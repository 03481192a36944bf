"""Histories: events become operations, in the order that was asked for, or are refused."""

import pickle

import pytest

from lakeproof.model.linearizability.history import NEVER, BrokenHistory, History, Operation, Settings, history
from lakeproof.model.linearizability.values import REFUSED, UNKNOWN
from lakeproof.model.snapshot import Status


def test_an_operation_is_given_back_as_it_was_told() -> None:
    told = History()
    told.call(3, "cas", "k", (1, 2), line=1)
    told.call("other", "read", "k", None, line=2)
    told.end(3, Status.OK, None, line=3)
    cas, read = told.operation(0), told.operation(1)
    assert (cas.process, cas.f, cas.key, cas.argument, cas.status) == (3, "cas", "k", (1, 2), Status.OK)
    assert (cas.call, cas.returned, cas.lines) == (0, 2, (1, 3))
    assert (read.returned, read.status, read.result) == (NEVER, Status.INFO, UNKNOWN)
    assert (len(told), told.events, list(told.keys)) == (2, 3, ["k"])


def test_a_history_may_have_as_many_names_of_operations_as_operations() -> None:
    names = [f"f{number}" for number in range(33_000)]
    told = History()
    for process, name in enumerate(names):
        told.call(process, name, None, None)
    assert [name for name, _, _ in told.invocations()] == names


def test_an_indefinite_operation_never_returns_and_its_process_may_go_on() -> None:
    told = History()
    told.call(0, "write", None, 1)
    told.end(0, Status.INFO, None)
    told.call(0, "read", None, None)
    assert told.operation(0).returned == NEVER


def test_a_process_does_one_thing_at_a_time() -> None:
    told = History()
    told.call(0, "read", None, None, line=4)
    with pytest.raises(BrokenHistory, match=r"its read is open since line 4"):
        told.call(0, "read", None, None, line=5)
    told.end(0, Status.OK, 1)
    with pytest.raises(BrokenHistory, match="no operation open"):
        told.end(0, Status.OK, 1, line=6)
    with pytest.raises(BrokenHistory, match="no operation open"):
        told.end(1, Status.OK, 1, line=6)


@pytest.mark.parametrize(("ties", "overlap"), [("calls", True), ("returns", False)])
def test_at_equal_times_calls_or_returns_come_first(ties: str, overlap: bool) -> None:
    told = History(Settings(order="time", ties="calls" if ties == "calls" else "returns"))
    told.call(0, "write", None, 1, time=10)
    told.end(0, Status.OK, None, time=20)
    told.call(1, "read", None, None, time=20)
    told.end(1, Status.OK, 1, time=20)
    told.call(2, "read", None, None, time=20)
    told.end(2, Status.OK, 1, time=30)
    told.settle()
    one, other, last = map(told.operation, range(3))
    assert (other.call < one.returned) == (last.call < other.returned) == overlap
    assert one.call < one.returned
    assert other.call < other.returned


@pytest.mark.parametrize("settings", [Settings(order="time", ties="calls"), Settings(order="time", ties="returns")])
def test_at_equal_times_a_process_keeps_its_order_and_another_overlaps_all_of_it(settings: Settings) -> None:
    told = History(settings)
    for process in (0, 0, 0, 1, 1):
        told.call(process, "read", None, None, time=5)
        told.end(process, Status.OK, None, time=5)
    told.settle()
    first, second, third, *others = map(told.operation, range(5))
    assert first.call < first.returned < second.call < second.returned < third.call < third.returned
    assert all(other.call < first.returned and third.call < other.returned for other in others)


@pytest.mark.parametrize("settings", [Settings(order="time", ties="calls"), Settings(order="time", ties="returns")])
def test_at_equal_times_a_process_keeps_its_order_around_an_indefinite_operation(settings: Settings) -> None:
    told = History(settings)
    for status in (Status.OK, Status.INFO, Status.INFO, Status.OK, Status.OK):
        told.call(0, "read", None, None, time=5)
        told.end(0, status, None, time=5)
    told.settle()
    first, *indefinite, second, third = map(told.operation, range(5))
    assert first.returned < min(op.call for op in indefinite)
    assert first.returned < second.call < second.returned < third.call < third.returned


def test_order_by_time_asks_for_times_and_for_clocks_that_do_not_go_back() -> None:
    told = History(Settings(order="time"))
    told.call(0, "read", None, None, time=5)
    with pytest.raises(BrokenHistory, match="time 4"):
        told.end(0, Status.OK, 1, time=4)
    told = History(Settings(order="time"))
    told.call(0, "read", None, None)
    with pytest.raises(BrokenHistory, match="not every event has a time"):
        told.settle()


def test_operations_with_order_numbers_make_a_history() -> None:
    read = Operation(process=0, f="read", result=1, call=5, returned=9)
    write = Operation(process=0, f="write", argument=1, call=2, status=Status.INFO)
    told = history([read, write])
    assert [told.operation(i).f for i in range(2)] == ["write", "read"]
    with pytest.raises(BrokenHistory, match="order number 5"):
        history([read, Operation(process=1, f="read", call=5, returned=6)])
    with pytest.raises(BrokenHistory, match="call before its return"):
        history([Operation(process=1, f="read", call=5, returned=5)])


def test_its_size_is_told_in_bytes() -> None:
    told = History()
    for number in range(100):
        told.call(number, "write", None, "x" * 1_000 + str(number))
    assert 100_000 < told.bytes < 200_000


@pytest.mark.parametrize("sentinel", [UNKNOWN, REFUSED], ids=repr)
def test_what_stands_for_nothing_recorded_is_itself_in_another_process(sentinel: object) -> None:
    assert pickle.loads(pickle.dumps(sentinel)) is sentinel  # noqa: S301  # our own
