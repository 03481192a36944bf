"""`path-stays-readable`: which reads are judged, and what excuses them."""

from collections.abc import Hashable

import pytest

from lakeproof.model.errors import BranchNotFound, DataGone, PathNotFound
from lakeproof.model.invariants.readers import path_stays_readable
from lakeproof.model.snapshot import CallView, Event, Invoked, Returned, Status
from tests.model.test_branch_invariants import judged

X: tuple[str, bytes] = ("b", b"x")
GONE = DataGone("mem://r/data/1")


def begins(client: int, name: str, *args: Hashable, index: int = 0) -> Event:
    return Invoked(client, index, name, ("r", "b", *args))


def ends(
    client: int, name: str, *args: Hashable, status: Status = Status.OK, error: Exception | None = None, index: int = 0
) -> Event:
    return Returned(client, index, CallView(name, ("r", "b", *args), status, error=error))


def does(client: int, name: str, *args: Hashable, status: Status = Status.OK, index: int = 0) -> list[Event]:
    return [begins(client, name, *args, index=index), ends(client, name, *args, status=status, index=index)]


def misses(path: bytes = b"x", error: Exception = GONE) -> Event:
    return ends(9, "read_object", path, status=Status.FAIL, error=error)


READS, FINDS, MISSES = begins(9, "read_object", b"x"), ends(9, "read_object", b"x"), misses()
UPLOAD, DELETE = does(0, "upload_object", b"x", b"1"), does(1, "delete_object", b"x")
RESETS = (("reset_branch",), ("reset_entry", b"x"), ("reset_prefix", b""))
REMOVES = (("delete_object", b"x"), ("move_object", b"x", b"y"), *RESETS, ("delete_branch",), ("merge", "main", "m"))


@pytest.mark.parametrize(
    ("there", "events", "expected"),
    [
        # A path that has an object is read.
        ("", [*UPLOAD, READS, FINDS], "holds"),
        ("present", [READS, FINDS], "holds"),
        # An upload over it excuses no reader.
        *(("present", [READS, *UPLOAD, misses(error=error)], "violated") for error in (GONE, PathNotFound(b"x"))),
        ("present", [begins(0, "upload_object", b"x", b"1"), READS, MISSES], "violated"),
        ("present", [READS, misses(error=BranchNotFound("b"))], "untested"),  # no matter of its object
        # What may take the entry excuses readers.
        *(("present", [READS, begins(0, *each), MISSES], "untested") for each in REMOVES),
        *(("present", [begins(0, *each), READS, MISSES], "untested") for each in REMOVES),
        *(("present", [*does(0, *each), READS, MISSES], "untested") for each in REMOVES),
        # A reset excuses nobody where the path is committed, and a delete does.
        *(("committed", [READS, *does(0, *each), MISSES], "violated") for each in RESETS),
        *(("committed", [begins(0, *each), READS, MISSES], "violated") for each in RESETS),
        ("committed", [READS, begins(0, "delete_object", b"x"), MISSES], "untested"),
        ("committed", [*DELETE, *does(1, "reset_branch", index=1), READS, MISSES], "untested"),
        # What is in doubt may come at any time, and makes nothing readable.
        ("present", [*DELETE, *UPLOAD, READS, MISSES], "violated"),
        ("present", [*does(1, "delete_object", b"x", status=Status.INFO), *UPLOAD, READS, MISSES], "untested"),
        ("", [*does(0, "upload_object", b"x", b"1", status=Status.INFO), READS, MISSES], "untested"),
        # Elsewhere, and the target of a move.
        ("present", [READS, *does(0, "delete_object", b"y"), MISSES], "violated"),
        ("present", [*does(0, "move_object", b"x", b"y"), begins(9, "read_object", b"y"), misses(b"y")], "violated"),
    ],
)
def test_reads_are_judged_where_nothing_excuses_them(there: str, events: list[Event], expected: str) -> None:
    monitor = path_stays_readable([X] if there == "present" else [], [X] if there == "committed" else [])
    assert judged(monitor, events) == expected
