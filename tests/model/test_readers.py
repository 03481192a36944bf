"""`path-stays-readable`: which reads are judged, and what excuses them."""

import pytest

from lakeproof.model.invariants.readers import path_stays_readable
from tests.model.test_branch_invariants import B, played, verdict

X: tuple[str, bytes] = (B, b"x")
UPLOAD, DELETE, READS, MISSES = "0 upload_object x 1", "1 delete_object x", "9+ read_object x", "9- =lost"
RESETS = ("reset_branch", "reset_entry x", "reset_prefix -")
REMOVES = ("delete_object x", "move_object x y", *RESETS, "delete_branch", "merge main m")


@pytest.mark.parametrize(
    ("there", "script", "expected"),
    [
        # A path that has an object is read.
        ("", f"{UPLOAD}; 9 read_object x", "holds"),
        ("present", "9 read_object x", "holds"),
        # An upload over it excuses no reader.
        *(("present", f"{READS}; {UPLOAD}; 9- ={answer}", "violated") for answer in ("lost", "absent")),
        ("present", f"0+ upload_object x 1; {READS}; {MISSES}", "violated"),
        ("present", "9 read_object x =no-branch", "untested"),  # no matter of its object
        # What may take the entry excuses readers.
        *(("present", f"{READS}; 0+ {each}; {MISSES}", "untested") for each in REMOVES),
        *(("present", f"0+ {each}; {READS}; {MISSES}", "untested") for each in REMOVES),
        *(("present", f"0 {each}; {READS}; {MISSES}", "untested") for each in REMOVES),
        # A reset excuses nobody where the path is committed, and a delete does.
        *(("committed", f"{READS}; 0 {each}; {MISSES}", "violated") for each in RESETS),
        *(("committed", f"0+ {each}; {READS}; {MISSES}", "violated") for each in RESETS),
        ("committed", f"{READS}; 0+ delete_object x; {MISSES}", "untested"),
        ("committed", f"{DELETE}; 1 reset_branch; {READS}; {MISSES}", "untested"),
        # What is in doubt may come at any time, and makes nothing readable.
        ("present", f"{DELETE}; {UPLOAD}; {READS}; {MISSES}", "violated"),
        ("present", f"{DELETE} =info; {UPLOAD}; {READS}; {MISSES}", "untested"),
        ("", f"{UPLOAD} =info; {READS}; {MISSES}", "untested"),
        ("", f"{DELETE} =fail; {UPLOAD}; {READS}; {MISSES}", "violated"),  # no removal is under way any more
        # A write makes a path readable unless it has met a removal: either of the two may have come last.
        ("", f"0+ upload_object x 1; {DELETE}; 0-; {READS}; {MISSES}", "untested"),
        ("", f"1+ delete_object x; 0+ upload_object x 1; 1-; 0-; {READS}; {MISSES}", "untested"),
        ("", f"0+ upload_object x 1; 1 delete_object y; 0-; {READS}; {MISSES}", "violated"),
        ("", f"{DELETE}; 0+ move_object y x; 0-; {READS}; {MISSES}", "violated"),
        ("committed", f"0+ upload_object x 1; 1 reset_branch; 0-; {READS}; {MISSES}", "violated"),
        # Elsewhere, and the target of a move.
        ("present", f"{READS}; 0 delete_object y; {MISSES}", "violated"),
        ("present", "0 move_object x y; 9 read_object y =lost", "violated"),
        ("present", f"{READS}; 0 move_object y x; {MISSES}", "violated"),
    ],
)
def test_reads_are_judged_where_nothing_excuses_them(there: str, script: str, expected: str) -> None:
    monitor = path_stays_readable([X] if there == "present" else [], [X] if there == "committed" else [])
    assert verdict(played(monitor, script).found) == expected
