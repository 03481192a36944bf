"""What an invariant sees: whole where it was declared, an error where it was not, and never to be changed."""

from collections.abc import Callable

import attrs
import pytest

from lakeproof.model.objects import StoredObject
from lakeproof.model.snapshot import ALL_PARTS, CallView, NotDeclared, Reads, Snapshot, Status

AT = (b"p", b"k")
CREATE = CallView("create", ("r",), Status.OK, value=1)
DELETE = CallView("delete", ("r",), Status.PENDING)
AGAIN = CallView("create", ("s",), Status.FAIL)

PARTS: dict[Reads, Callable[[Snapshot], object]] = {
    Reads.STORE: lambda seen: seen.store,
    Reads.OBJECTS: lambda seen: seen.objects,
    Reads.CLOCK: lambda seen: seen.now,
    Reads.CLIENTS: lambda seen: seen.clients,
}


def snapshot() -> Snapshot:
    return Snapshot(
        store={AT: b"v"}, objects={"a": StoredObject(b"1")}, now=5, clients=((CREATE, DELETE), (), (AGAIN,))
    )


class TestReads:
    def test_all_parts_can_be_read_unless_something_else_is_said(self) -> None:
        seen = snapshot()
        assert (dict(seen.store), dict(seen.objects), seen.now) == ({AT: b"v"}, {"a": StoredObject(b"1")}, 5)
        assert seen.clients == ((CREATE, DELETE), (), (AGAIN,))

    @pytest.mark.parametrize("declared", Reads)
    @pytest.mark.parametrize("looked_at", Reads)
    def test_what_was_not_declared_cannot_be_read(self, declared: Reads, looked_at: Reads) -> None:
        seen = snapshot().only(frozenset({declared}))
        if declared is looked_at:
            assert PARTS[looked_at](seen) == PARTS[looked_at](snapshot())
        else:
            with pytest.raises(NotDeclared, match=rf"Reads\.{looked_at.name}"):
                PARTS[looked_at](seen)

    def test_a_restricted_snapshot_does_not_restore_what_it_hides(self) -> None:
        with pytest.raises(NotDeclared, match=r"Reads\.CLOCK"):
            _ = snapshot().only(frozenset({Reads.STORE})).only(ALL_PARTS).now

    @pytest.mark.parametrize("look", [repr, str, lambda seen: seen == snapshot(), lambda seen: snapshot() != seen])
    def test_to_show_or_to_compare_it_is_to_read_all_of_it(self, look: Callable[[Snapshot], object]) -> None:
        look(snapshot())
        for part in Reads:
            with pytest.raises(NotDeclared):
                look(snapshot().only(ALL_PARTS - {part}))

    def test_snapshots_of_one_state_are_equal_and_of_two_states_are_not(self) -> None:
        assert snapshot() == snapshot()
        changes: list[dict[str, object]] = [{"store": {}}, {"objects": {}}, {"now": 6}, {"clients": ()}]
        for change in changes:
            assert snapshot() != attrs.evolve(snapshot(), **change)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="not hashable"):
            hash(snapshot())


class TestImmutability:
    """An invariant cannot hide what the next one would find."""

    @pytest.mark.parametrize("part", ["store", "objects"])
    def test_no_part_can_be_changed(self, part: str) -> None:
        seen = snapshot()
        held = getattr(seen, part)
        with pytest.raises(TypeError):
            held["x"] = 1
        with pytest.raises(AttributeError):
            held.clear()
        with pytest.raises(TypeError):
            del held["x"]
        assert seen == snapshot()


class TestCalls:
    @pytest.mark.parametrize(
        ("status", "done"),
        [(Status.PENDING, False), (Status.CRASHED, False), (Status.OK, True), (Status.FAIL, True), (Status.INFO, True)],
    )
    def test_a_call_is_done_when_it_has_answered(self, status: Status, done: bool) -> None:
        assert CallView("f", (), status).done is done

    def test_an_observer_that_is_not_attached_is_an_error_unless_nothing_observes_the_call(self) -> None:
        seen = attrs.evolve(CREATE, observed=(("reads", 2), ("writes", None)))
        assert [seen.saw(name) for name in ("reads", "writes")] == [2, None]
        assert CREATE.saw("deletes") is None
        for observed in (seen, attrs.evolve(CREATE, observed=())):
            with pytest.raises(LookupError, match="no observer 'deletes'; name it in the invariant"):
                observed.saw("deletes")
