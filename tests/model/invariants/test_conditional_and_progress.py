"""Conditional writes and attempts: histories that violate their promise, that satisfy it, and that allow both."""

import pytest

from lakeproof.impl.refs.errors import WriteNotSettled
from lakeproof.model import kv
from lakeproof.model.errors import BranchBusy, EntryChanged, PathExists, RefChanged
from lakeproof.model.invariants import Monitor, progress
from lakeproof.model.invariants.conditional import conditional_write_saw_absence
from lakeproof.model.records import Branch, StagedEntry
from lakeproof.model.snapshot import CallView, Observed, Snapshot, Status
from tests.model.test_branch_invariants import HEAD, B, History, branch, commit, verdict


def monitor(**initial: bytes) -> Monitor:
    return conditional_write_saw_absence({path.encode(): value for path, value in initial.items()}, B)


def created(history: History, status: Status = Status.OK, error: Exception | None = None) -> str:
    return verdict(history.ends(0, status, error=error).found)


class TestConditionalWrites:
    def begun(self, **initial: bytes) -> History:
        return History(monitor(**initial)).begins(0, "create_entry", b"x", b"1")

    def test_a_create_where_the_path_never_was_absent(self) -> None:
        assert created(self.begun(x=b"0")) == "violated"
        assert created(self.begun()) == "holds"
        written = History(monitor()).does(1, "set_entry", b"x", b"0").begins(0, "create_entry", b"x", b"1")
        assert created(written) == "violated"

    def test_a_refusal_where_the_path_always_was_absent(self) -> None:
        assert created(self.begun(), Status.FAIL, PathExists(b"x")) == "violated"
        assert created(self.begun(x=b"0"), Status.FAIL, PathExists(b"x")) == "holds"

    @pytest.mark.parametrize("status", [Status.OK, Status.INFO, None])
    def test_a_delete_that_may_come_first_explains_a_create(self, status: Status | None) -> None:
        history = History(monitor(x=b"0")).begins(1, "delete_entry", b"x")
        if status is not None:
            history.ends(1, status)
        assert created(history.begins(0, "create_entry", b"x", b"1")) == "holds"

    def test_a_delete_that_has_not_happened_explains_nothing(self) -> None:
        history = History(monitor(x=b"0")).begins(1, "delete_entry", b"x").ends(1, Status.FAIL, error=BranchBusy("b"))
        assert created(history.begins(0, "create_entry", b"x", b"1")) == "violated"

    @pytest.mark.parametrize("status", [Status.OK, Status.INFO])
    def test_a_write_at_once_explains_a_refusal_and_a_success(self, status: Status) -> None:
        for answer, error in ((Status.OK, None), (Status.FAIL, PathExists(b"x"))):
            history = self.begun().begins(1, "set_entry", b"x", b"2").ends(1, status)
            assert created(history, answer, error) == "holds"

    def test_after_a_reset_or_a_merge_nothing_is_asked(self) -> None:
        history = History(monitor(x=b"0")).begins(1, "reset_branch").begins(0, "create_entry", b"x", b"1")
        assert created(history) == "holds"

    def test_an_indefinite_answer_says_nothing_and_may_have_written(self) -> None:
        history = self.begun(x=b"0").ends(0, Status.INFO, error=kv.OutcomeUnknown())
        assert verdict(history.found) == "untested"
        history.begins(1, "replace_entry", b"x", b"2", b"1").ends(1)
        assert verdict(history.found) == "holds"

    def test_a_replacement_has_found_what_it_expects(self) -> None:
        def replaced(status: Status, error: Exception | None = None, **initial: bytes) -> str:
            return created(History(monitor(**initial)).begins(0, "replace_entry", b"x", b"1", b"0"), status, error)

        assert replaced(Status.OK, x=b"0") == "holds"
        assert replaced(Status.OK, x=b"9") == "violated"
        assert replaced(Status.OK) == "violated"
        assert replaced(Status.FAIL, EntryChanged(b"x"), x=b"0") == "violated"
        assert replaced(Status.FAIL, EntryChanged(b"x"), x=b"9") == "holds"
        assert replaced(Status.FAIL, EntryChanged(b"x")) == "holds"
        assert replaced(Status.FAIL, BranchBusy("b"), x=b"0") == "untested"

    def test_of_two_creates_one_was_first(self) -> None:
        both = self.begun().begins(1, "create_entry", b"x", b"2").ends(1)
        assert created(both, Status.FAIL, PathExists(b"x")) == "holds"
        after = History(monitor()).does(1, "create_entry", b"x", b"2").begins(0, "create_entry", b"x", b"1")
        assert verdict(after.ends(0).found) == "violated"


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
