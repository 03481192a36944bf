"""`acknowledged-reset-is-kept`: histories that violate it, that satisfy it, and that say nothing."""

import pytest

from lakeproof.model.invariants import resets
from tests.model.test_branch_invariants import EMPTY, HAS_2, HAS_X, played, verdict
from tests.model.test_entries import COMMITTED

# Beside a commit x may be there in the end, because the head has it.
SEEN = {"empty": EMPTY, "x": HAS_X, "2": HAS_2, "committed": COMMITTED}
RESETS = ("reset_branch", "reset_prefix -", "reset_entry x")
WRITTEN = "0 set_entry x 1; "
BESIDE = f"{WRITTEN}3+ commit m; "
RESET = "1 reset_entry x"
NOTHING_READ = f"{BESIDE}{RESET}; 2 get_entry x =absent"


@pytest.mark.parametrize(
    ("script", "verdicts"),
    [
        # Without a commit it is gone, from the return of the reset on. "found": of the events; else: at the end.
        *((f"{WRITTEN}1 {each}", "empty holds, x violated") for each in RESETS),
        *((f"{WRITTEN}1 {each}; 2 get_entry x =:1", "found violated") for each in RESETS),
        # Beside a commit both orders are fine, until a read decides.
        (f"{BESIDE}{RESET}", "committed untested, empty untested"),
        (f"{BESIDE}{RESET}; 2 get_entry x =:1", "committed untested"),
        (NOTHING_READ, "empty holds, x violated"),
        (f"{NOTHING_READ}; 2 get_entry x =:1", "found violated"),
        (f"{NOTHING_READ}; 1 reset_branch", "x violated"),  # a second reset is no excuse
        (f"{BESIDE}4+ reset_branch; {RESET}; 2 get_entry x =absent; 4-", "committed violated, empty holds"),
        (f"{BESIDE}{RESET}; 4+ reset_branch; 2 get_entry x =absent; 4-", "committed violated, empty holds"),
        *(
            (f"{BESIDE}1 reset_branch{ends}", "committed untested, empty untested, x violated")
            for ends in ("", "; 3-", "; 3- =fail", "; 3- =info", "; 3- =crashed")
        ),
        # It ended before the write.
        *((f"3 commit m{how}; {WRITTEN}{RESET}", "committed violated, x violated") for how in ("", " =fail")),
        *((f"3 commit m ={how}; {WRITTEN}{RESET}", "committed untested") for how in ("info", "crashed")),
        # A commit that failed may have taken it; a reset that failed promises nothing.
        *((f"{WRITTEN}3 commit m ={how}; {RESET}", "committed untested") for how in ("fail", "info")),
        *((f"{WRITTEN}{RESET} ={how}", "committed untested") for how in ("fail", "info")),
        # Reads that decide nothing: one that began before the reset returned, and one beside another write.
        (f"{BESIDE}1+ reset_entry x; 2+ get_entry x; 1-; 2- =absent", "committed untested"),
        (f"{BESIDE}{RESET}; 4+ set_entry x 2; 2 get_entry x =:2", "committed untested"),
        # What is written again may be there, and another value is another value.
        (f"{WRITTEN}{RESET}; 0 set_entry x 2", "x violated, 2 holds"),
        (f"{WRITTEN}{RESET}; 0 set_entry x 2; 0 set_entry x 1", "x untested"),
        (f"{WRITTEN}3 commit m; {WRITTEN}{RESET}", "committed untested"),
        (f"{NOTHING_READ}; 3-; {WRITTEN}{RESET}", "committed violated, empty holds"),  # the commit has not taken it
        # Nothing is asked of a value whose write is in doubt or not over, nor of what others bring.
        *((f"0 set_entry x 1 ={how}; {RESET}", "x untested") for how in ("fail", "info")),
        (f"0+ set_entry x 1; {RESET}; 0-", "x untested"),
        *(
            (f"{WRITTEN}{RESET}; 4 {call}", "x untested")
            for call in ("merge main m", "create_branch main", "copy_object x y")
        ),
        (f"{WRITTEN}1 reset_entry y", "x untested"),
    ],
)
def test_a_reset_is_kept(script: str, verdicts: str) -> None:
    history = played(resets.reset_is_kept({}, "b"), script)
    for each in verdicts.split(", "):
        where, expected = each.split()
        assert verdict(history.found if where == "found" else history.at_end(SEEN[where])) == expected, each


def test_what_was_staged_before_anybody_began_is_forgotten_too() -> None:
    assert verdict(played(resets.reset_is_kept({b"x": b"1"}, "b"), RESET).at_end(HAS_X)) == "violated"


def test_a_commit_of_another_branch_takes_nothing() -> None:
    history = played(resets.reset_is_kept(), "3+ commit m", ("r", "c"))
    for branch_id, name, *args in (("b", "set_entry", b"x", b"1"), ("c", "commit", "m"), ("b", "reset_branch")):
        history.subject = ("r", branch_id)
        history.does(0, name, *args)
    assert verdict(history.at_end(COMMITTED)) == "violated"
