"""Conditional writes and attempts: histories that violate their promise, that satisfy it, and that allow both."""

import pytest

from lakeproof.impl.refs.errors import WriteNotSettled
from lakeproof.model import kv
from lakeproof.model.errors import BranchBusy, PathExists, RefChanged
from lakeproof.model.invariants import progress
from lakeproof.model.invariants.conditional import conditional_write_saw_absence
from lakeproof.model.records import Branch, StagedEntry
from lakeproof.model.snapshot import CallView, Observed, Snapshot, Status
from tests.model.test_branch_invariants import HEAD, B, branch, commit, played, verdict

CREATE, REPLACE = "0 create_entry x 1", "0 replace_entry x 1 0"


@pytest.mark.parametrize(
    ("found", "script", "expected"),
    [
        # found: what x has in the beginning. A create where the path never was absent, and a refusal where it was.
        ("0", CREATE, "violated"),
        ("", CREATE, "holds"),
        ("", f"1 set_entry x 0; {CREATE}", "violated"),
        ("", f"{CREATE} =exists", "violated"),
        ("0", f"{CREATE} =exists", "holds"),
        # A delete that may come first explains a create, and one that has not happened does not.
        *(("0", f"1{delete}; {CREATE}", "holds") for delete in (" delete_entry x", " delete_entry x =info")),
        ("0", f"1+ delete_entry x; {CREATE}", "holds"),
        ("0", f"1 delete_entry x =busy; {CREATE}", "violated"),
        # A write at once explains a refusal and a success.
        *(
            ("", f"0+ create_entry x 1; 1 set_entry x 2 ={how}; 0- ={answer}", "holds")
            for how in ("ok", "info")
            for answer in ("ok", "exists")
        ),
        ("0", f"1+ reset_branch; {CREATE}", "holds"),  # after it nothing is asked
        # An indefinite answer says nothing, and may have written.
        ("0", f"{CREATE} =unknown", "untested"),
        ("0", f"{CREATE} =unknown; 1 replace_entry x 2 1", "holds"),
        # A replacement has found what it expects.
        ("0", REPLACE, "holds"),
        ("9", REPLACE, "violated"),
        ("", REPLACE, "violated"),
        ("0", f"{REPLACE} =changed", "violated"),
        ("9", f"{REPLACE} =changed", "holds"),
        ("", f"{REPLACE} =changed", "holds"),
        ("0", f"{REPLACE} =busy", "untested"),
        # Of two creates one was first.
        ("", "0+ create_entry x 1; 1 create_entry x 2; 0- =exists", "holds"),
        ("", f"1 create_entry x 2; {CREATE}", "violated"),
    ],
)
def test_a_conditional_write_has_found_what_it_asks_for(found: str, script: str, expected: str) -> None:
    monitor = conditional_write_saw_absence({b"x": found.encode()} if found else {}, B)
    assert verdict(played(monitor, script).found) == expected


def reads(record: Branch) -> Observed:
    return Observed(kv.Get(b"p", b"b"), None, record, None)


def stages(reply: object = None, path: bytes = b"x") -> Observed:
    return Observed(kv.Set(b"t", path, b""), reply, None, StagedEntry(key=path, identity=b"1", data=b""))


OTHER = branch(B, "r-b:u.1.9", HEAD.commit_id, "r-b:u.1.0")


def attempts(*effects: Observed) -> object:
    return progress.ATTEMPTS.fold(effects)


class TestProgress:
    def test_a_second_try_has_a_reason_or_is_in_vain(self) -> None:
        assert attempts(reads(branch()), stages(), reads(branch())) == ""
        assert attempts(reads(branch()), stages(), reads(OTHER), stages()) == progress.BEATEN
        assert attempts(stages(kv.PredicateFailed()), stages()) == progress.BEATEN
        assert attempts(reads(branch()), stages(), reads(branch()), stages()) == progress.IN_VAIN
        assert attempts(reads(branch()), stages(), reads(OTHER), stages(), reads(OTHER), stages()) == progress.IN_VAIN
        assert attempts(stages(), stages(path=b"y")) == ""

    def test_so_has_a_second_commit_record(self) -> None:
        makes = Observed(kv.Set(b"p", b"c", b""), None, None, commit("m"))
        assert attempts(makes) == ""
        assert attempts(makes, makes) == progress.IN_VAIN
        assert attempts(makes, reads(branch()), reads(OTHER), makes) == progress.BEATEN

    def judged(self, status: Status, met: str, error: Exception | None = None) -> str:
        call = CallView("set_entry", ("r", B), status, None, error, ((progress.ATTEMPTS.name, met),))
        return verdict(list(progress.call_makes_progress.check(Snapshot({}, {}, 0, ((call,),)))))

    @pytest.mark.parametrize("error", [BranchBusy("b"), RefChanged("b"), WriteNotSettled("b")])
    def test_who_gives_up_has_a_reason(self, error: BranchBusy | RefChanged | WriteNotSettled) -> None:
        status = Status.FAIL if error.definite else Status.INFO
        assert self.judged(status, progress.BEATEN, error) == "holds"
        assert self.judged(status, "", error) == "violated"
        assert self.judged(Status.INFO, "", kv.OutcomeUnknown()) == "holds"
        assert self.judged(Status.FAIL, "", PathExists(b"x")) == "holds"

    def test_a_call_that_spins_is_found_while_it_is_under_way(self) -> None:
        assert self.judged(Status.PENDING, progress.IN_VAIN) == "violated"
        assert self.judged(Status.PENDING, progress.BEATEN) == "untested"
