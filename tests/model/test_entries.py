"""What the bookkeeping of changes makes of calls in doubt: histories that `test_branch_invariants` leaves out."""

from collections.abc import Iterator
from itertools import combinations, permutations

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeproof.model.committed import Entry, object_address, write
from lakeproof.model.invariants import Monitor, entries
from lakeproof.model.objects import StoredObject
from lakeproof.model.snapshot import Snapshot, Status
from tests.model.test_branch_invariants import EMPTY, HAS_X, B, History, branch, commit, verdict
from tests.model.test_branch_invariants import HEAD as BARE
from tests.model.test_branch_invariants import snapshot as seen

WRITTEN = write([Entry(path=b"x", identity=b"1", data=b"")])
HEAD = commit("x", metarange=WRITTEN.meta_range_id)
LOST = seen(branch(B, "r-b:u.1.0", HEAD.commit_id), HEAD)
COMMITTED = attrs.evolve(
    LOST, objects={object_address("mem://r", name): StoredObject(value) for name, value in WRITTEN.objects.items()}
)
KEPT = entries.acknowledged_write_is_kept


@pytest.mark.parametrize(("found", "expected"), [(HAS_X, "holds"), (COMMITTED, "holds"), (LOST, "violated")])
def test_a_write_is_kept_staged_or_in_a_head_whose_objects_are_there(found: Snapshot, expected: str) -> None:
    assert verdict(History(KEPT).does(0, "set_entry", b"x", b"1").at_end(found)) == expected


def test_what_a_client_writes_after_its_own_write_in_doubt_is_to_stand() -> None:
    doubtful = History(KEPT, late=True).begins(0, "set_entry", b"x", b"1").ends(0, Status.INFO)
    assert verdict(doubtful.does(0, "set_entry", b"x", b"2").at_end(HAS_X)) == "violated"


def test_a_listing_is_a_read_of_every_path_that_it_covers() -> None:
    one, other = (Entry(path=path, identity=b"1", data=b"") for path in (b"a/1", b"b"))
    for prefix, listed, expected in (
        (b"", (one, other), "holds"),
        (b"", (one,), "violated"),
        (b"a/", (one,), "holds"),
        (b"a/", (), "violated"),
    ):
        written = History(entries.read_is_legal({}, B)).does(0, "set_entry", b"a/1", b"1")
        written.does(1, "set_entry", b"b", b"1").does(2, "list_entries", prefix, value=listed)
        assert verdict(written.found) == expected


def test_of_a_path_that_one_call_names_twice_the_last_value_is_demanded() -> None:
    twice = ((b"x", b"1"), (b"x", b"2"))
    for left, expected in ((b"2", "holds"), (b"1", "violated")):
        found = seen(branch(), commit("head"), staged={b"x": left})
        assert verdict(History(KEPT).does(0, "set_entries", twice).at_end(found)) == expected
        doubtful = History(KEPT).does(1, "set_entry", b"x", b"0").begins(0, "set_entries", twice)
        assert verdict(doubtful.ends(0, Status.INFO).at_end(found)) == "holds"  # it may have stopped after the first


def test_several_writes_of_one_call_are_each_demanded() -> None:
    both = ((b"x", b"1"), (b"y", b"1"))
    history = History(KEPT).does(0, "set_entries", both)
    assert verdict(history.at_end(seen(branch(), commit("head"), staged=dict(both)))) == "holds"
    for kept in ({}, {b"x": b"1"}, {b"y": b"1"}):
        assert verdict(history.at_end(seen(branch(), commit("head"), staged=kept))) == "violated"
    assert verdict(history.at_end(EMPTY)) == "violated"


DELETES, COMMITS, RESETS, COPIES, MOVES = 3, 4, 5, 6, 7
"""The clients that delete the path, that commit, that reset, that copy something to it, and that move it away. All
others write their own number there."""
ANSWERS = (Status.OK, Status.OK, Status.INFO, Status.FAIL)


@attrs.frozen
class Overlapping:
    """One call of each client: at which places of the history it begins and ends, and how."""

    spans: dict[int, tuple[int, int]]
    answers: dict[int, Status]

    def played(self, monitor: Monitor, *, late: bool) -> History:
        history = History(monitor, late=late)
        for place in range(2 * len(self.spans)):
            [client] = (client for client, span in self.spans.items() if place in span)
            if place == self.spans[client][1]:
                history.ends(client, self.answers[client], HEAD if client == COMMITS else None)
            elif client == COMMITS:
                history.begins(client, "commit", "x")
            elif client == RESETS:
                history.begins(client, "reset_branch")
            elif client == DELETES:
                history.begins(client, "delete_entry", b"x")
            elif client == COPIES:
                history.begins(client, "copy_object", b"x", "other", b"y")
            elif client == MOVES:
                history.begins(client, "move_object", b"x", b"y")
            else:
                history.begins(client, "set_entry", b"x", b"%d" % client)
        return history

    def judged(self, left: dict[bytes, bytes], *, late: bool) -> str:
        """Whether writes and deletes are kept, if the branch is left with these entries."""
        found = seen(branch(), BARE, staged=left)
        monitors = (KEPT, entries.acknowledged_delete_is_kept)
        return verdict([each for one in monitors for each in self.played(one, late=late).at_end(found)])

    def orders(self, *, late: bool) -> Iterator[tuple[int, ...]]:
        """In which the calls may have taken effect: all that were acknowledged, and some in doubt, these at any time
        after their beginning where writes come ``late``."""
        done, doubtful = (
            [client for client, answer in self.answers.items() if answer is each] for each in (Status.OK, Status.INFO)
        )
        for few in range(len(doubtful) + 1):
            for some in combinations(doubtful, few):
                for order in permutations([*done, *some]):
                    if all(
                        self.spans[one][1] > self.spans[other][0] or (late and self.answers[one] is Status.INFO)
                        for other, one in combinations(order, 2)
                    ):
                        yield order


@st.composite
def overlapping(draw: st.DrawFn, *more: int) -> Overlapping:
    clients = [*range(draw(st.integers(1, 4))), *more]
    order = draw(st.permutations([*clients, *clients]))
    places = {client: [place for place, each in enumerate(order) if each == client] for client in clients}
    answers = {client: Status.OK if client == COMMITS else draw(st.sampled_from(ANSWERS)) for client in clients}
    return Overlapping({client: (begin, end) for client, (begin, end) in places.items()}, answers)


@given(overlapping(), st.booleans())
@settings(max_examples=500)
def test_a_path_has_lost_a_write_just_if_no_order_of_the_calls_ends_in_what_it_has(
    drawn: Overlapping, late: bool
) -> None:
    last = {order[-1] for order in drawn.orders(late=late) if order}
    acknowledged = Status.OK in drawn.answers.values()
    for client in range(5):  # no call has written 4
        left = {} if client == DELETES else {b"x": b"%d" % client}
        expected = "untested" if not acknowledged else "holds" if client in last else "violated"
        assert drawn.judged(left, late=late) == expected, client


@given(overlapping(COMMITS), st.booleans())
@settings(max_examples=500)
def test_a_commit_has_lost_a_change_just_if_no_order_of_the_calls_has_what_it_holds(
    drawn: Overlapping, late: bool
) -> None:
    began, _ = drawn.spans[COMMITS]
    before = any(end < began and drawn.answers[client] is Status.OK for client, (_, end) in drawn.spans.items())
    last = {order[order.index(COMMITS) - 1] for order in drawn.orders(late=late) if order[0] != COMMITS}
    findings = drawn.played(entries.commit_is_causal, late=late).at_end(COMMITTED)  # it holds what client 1 has written
    assert verdict(findings) == ("untested" if not before else "holds" if 1 in last else "violated")


@given(st.one_of(overlapping(COPIES), overlapping(MOVES)), st.booleans())
@settings(max_examples=500)
def test_beside_a_copy_or_a_move_a_path_has_lost_a_write_just_if_no_order_ends_in_what_it_has(
    drawn: Overlapping, late: bool
) -> None:
    last = {order[-1] for order in drawn.orders(late=late) if order}
    acknowledged = Status.OK in drawn.answers.values()
    for client in range(5):
        left = {b"y": b"moved"} if client == DELETES else {b"y": b"moved", b"x": b"%d" % client}
        possible = client in last or (MOVES if client == DELETES else COPIES) in last
        assert drawn.judged(left, late=late) == (
            "untested" if not acknowledged else "holds" if possible else "violated"
        ), client


@given(overlapping(RESETS), st.booleans())
@settings(max_examples=500)
def test_beside_a_reset_nothing_is_called_lost_that_some_order_of_the_calls_leaves(
    drawn: Overlapping, late: bool
) -> None:
    for client in {order[-1] if order else RESETS for order in drawn.orders(late=late)}:
        left = {} if client in (DELETES, RESETS) else {b"x": b"%d" % client}
        assert drawn.judged(left, late=late) != "violated", client
