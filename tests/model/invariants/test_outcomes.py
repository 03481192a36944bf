"""What an answer means for the records: snapshots that violate it, that satisfy it, and answers that allow both."""

from collections.abc import Hashable
from typing import ClassVar

import attrs
import pytest

from lakeproof.impl.refs.errors import RefChanged
from lakeproof.model import keys, kv
from lakeproof.model.committed import Entry, object_address, write
from lakeproof.model.identifiers import BranchID, CommitID, InstanceUID, StagingToken, TagID
from lakeproof.model.invariants import Eventually, Observer, lifecycle, merges, outcomes
from lakeproof.model.invariants._marks import MARKS, Mark
from lakeproof.model.invariants.merges import HEADS
from lakeproof.model.objects import Objects, StoredObject
from lakeproof.model.records import Branch, CleanupRecord, Commit, Record, Repository, RepositoryState, Tag
from lakeproof.model.snapshot import CallView, Observed, Outcome, Snapshot, Status
from tests.impl.records import REPOSITORY as FOUND
from tests.impl.records import P, held
from tests.model.test_branch_invariants import HEAD, B, branch, commit, verdict

UID = "u"
NEXT = commit("next", HEAD.commit_id)


def seen(*records: Record, calls: tuple[CallView, ...], objects: Objects | None = None) -> Snapshot:
    return Snapshot(store=held(*records), objects=objects or {}, now=0, clients=tuple((call,) for call in calls))


def call(name: str, status: Status, *marks: tuple[Mark, str], value: Hashable = None) -> CallView:
    error = {Status.FAIL: RefChanged("b"), Status.INFO: kv.OutcomeUnknown()}.get(status)
    return CallView(name, ("r", B), status, value, error, ((MARKS.name, frozenset(marks)),))


def judged(invariant: Eventually, snapshot: Snapshot) -> str:
    return verdict(list(invariant.check(snapshot.only(invariant.may_read))))


MADE = [
    ("create_repository", (Mark.ACTIVATED, UID)),
    ("create_branch", (Mark.BORN, "r-b:u.1")),
    ("commit", (Mark.COMMITTED, HEAD.commit_id)),
    ("merge", (Mark.COMMITTED, HEAD.commit_id)),
    ("reset_branch", (Mark.RESET, "r-b:u.1.0")),
    ("update_branch", (Mark.MOVED, f"r-b:u.1.0 to {HEAD.commit_id}")),
]


class TestFailedCallChangedNothing:
    @pytest.mark.parametrize(("name", "mark"), MADE)
    def test_what_has_happened_all_the_same_is_found(self, name: str, mark: tuple[Mark, str]) -> None:
        failed = call(name, Status.FAIL, mark)
        there = seen(FOUND, branch(), HEAD, calls=(failed,))
        assert judged(outcomes.failed_call_changed_nothing, there) == "violated"
        assert judged(outcomes.failed_call_changed_nothing, seen(calls=(failed,))) == "holds"

    @pytest.mark.parametrize(
        ("name", "mark"), [("create_branch", (Mark.BORN, "old")), ("reset_branch", (Mark.RESET, "old"))]
    )
    def test_a_commit_that_has_sealed_its_token_hides_nothing(self, name: str, mark: tuple[Mark, str]) -> None:
        there = seen(FOUND, branch(B, "new", HEAD.commit_id, "old"), HEAD, calls=(call(name, Status.FAIL, mark),))
        assert judged(outcomes.failed_call_changed_nothing, there) == "violated"

    @pytest.mark.parametrize("status", [Status.OK, Status.INFO, Status.CRASHED, Status.PENDING])
    @pytest.mark.parametrize(("name", "mark"), MADE)
    def test_all_other_answers_allow_it(self, name: str, mark: tuple[Mark, str], status: Status) -> None:
        made = seen(FOUND, branch(), HEAD, calls=(call(name, status, mark),))
        assert judged(outcomes.failed_call_changed_nothing, made) == "untested"

    @pytest.mark.parametrize(
        ("name", "mark"), [("delete_repository", (Mark.HID, UID)), ("delete_branch", (Mark.REMOVED, "r-b:u.1"))]
    )
    def test_what_is_gone_counts_unless_another_may_have_removed_it(self, name: str, mark: tuple[Mark, str]) -> None:
        failed = call(name, Status.FAIL, mark)
        assert judged(outcomes.failed_call_changed_nothing, seen(calls=(failed,))) == "violated"
        assert judged(outcomes.failed_call_changed_nothing, seen(FOUND, branch(), HEAD, calls=(failed,))) == "holds"
        both = seen(calls=(failed, call(name, Status.INFO, mark)))
        assert judged(outcomes.failed_call_changed_nothing, both) == "holds"

    def test_what_cannot_be_reached_has_not_happened(self) -> None:
        failed = call("create_repository", Status.FAIL, (Mark.BORN, "r-b:u.1"))
        hidden = attrs.evolve(FOUND, state=RepositoryState.DELETING)
        assert judged(outcomes.failed_call_changed_nothing, seen(branch(), HEAD, calls=(failed,))) == "holds"
        assert judged(outcomes.failed_call_changed_nothing, seen(hidden, branch(), HEAD, calls=(failed,))) == "holds"


class TestMarks:
    """What a call has left, as the observer folds it."""

    KEY = keys.branch_key(BranchID(B))

    def left(self, *effects: Observed, observer: Observer = MARKS) -> object:
        return observer.fold(effects)

    def writes(self, written: Branch | Repository | Commit, reply: object = None) -> Observed:
        return Observed(kv.SetIf(P, self.KEY, b"", None), reply, None, written)

    def reads(self, read: Branch | Repository) -> Observed:
        return Observed(kv.Get(P, self.KEY), None, read, None)

    def test_a_write_that_was_refused_leaves_none_and_one_that_was_reported_as_failed_leaves_one(self) -> None:
        assert self.left(self.writes(branch(), kv.Refused())) == frozenset()
        for reply in (None, kv.PredicateFailed(), kv.OutcomeUnknown()):
            assert self.left(self.writes(branch(), reply)) == {(Mark.BORN, "r-b:u.1")}

    def test_a_commit_a_seal_and_a_reset_are_told_apart(self) -> None:
        sealed = branch(B, "r-b:u.1.9", HEAD.commit_id, "r-b:u.1.0")
        reset = branch(B, "r-b:u.1.9")
        moved = branch(B, "r-b:u.1.0", NEXT.commit_id)
        assert self.left(self.reads(branch()), self.writes(sealed)) == frozenset()
        assert self.left(self.reads(branch()), self.writes(reset)) == {(Mark.RESET, "r-b:u.1.9")}
        made = self.left(self.reads(branch()), self.writes(NEXT), self.writes(moved))
        assert made == {(Mark.COMMITTED, NEXT.commit_id)}

    def test_who_hides_what_was_not_active_hides_nothing(self) -> None:
        dying = attrs.evolve(FOUND, state=RepositoryState.DELETING)
        initial = attrs.evolve(FOUND, state=RepositoryState.INITIAL)
        assert self.left(self.reads(FOUND), self.writes(dying)) == {(Mark.HID, UID)}
        assert self.left(self.reads(initial), self.writes(dying)) == frozenset()
        assert self.left(self.writes(initial)) == frozenset()
        assert self.left(self.writes(initial), self.writes(FOUND)) == {(Mark.ACTIVATED, UID)}

    def test_deletes_of_records(self) -> None:
        entry = Observed(kv.Delete(keys.GRAVELER, b"x"), None, None, None)
        record = Observed(kv.Delete(P, self.KEY), None, None, None)
        assert self.left(self.reads(FOUND), entry) == {(Mark.HID, UID)}
        assert self.left(self.reads(branch()), record) == {(Mark.REMOVED, "r-b:u.1")}
        gone = attrs.evolve(branch(), commit_id=CommitID(""))
        assert self.left(self.reads(branch()), self.writes(gone)) == {(Mark.REMOVED, "r-b:u.1")}


def holding(message: str, content: dict[bytes, bytes], *parents: Commit) -> tuple[Commit, dict[str, StoredObject]]:
    entries = [Entry(path=path, identity=value, data=b"") for path, value in sorted(content.items())]
    written = write(entries)
    made = commit(message, *(parent.commit_id for parent in parents), metarange=written.meta_range_id)
    generation = 1 + max((parent.generation for parent in parents), default=0)
    objects = {object_address("mem://r", name): StoredObject(value) for name, value in written.objects.items()}
    return attrs.evolve(made, generation=generation), objects


class TestMerges:
    BASE, OF_BASE = holding("base", {b"x": b"0", b"y": b"0"})
    OURS, OF_OURS = holding("ours", {b"x": b"1", b"y": b"0"}, BASE)
    THEIRS, OF_THEIRS = holding("theirs", {b"x": b"0", b"z": b"2"}, BASE)

    BOTH, OF_BOTH = holding("both", {b"x": b"3", b"z": b"2"}, BASE)  # in conflict with ours at x
    HELD: ClassVar = {**OF_BASE, **OF_OURS, **OF_THEIRS, **OF_BOTH}

    def judge(
        self, invariant: Eventually, made: Commit, objects: dict[str, StoredObject], named: str = "main", *read: Record
    ) -> str:
        found = HEADS.fold(tuple(Observed(None, None, each, None) for each in (self.MINE, *read)))
        name = invariant.id.partition("-")[0]
        calls = (CallView(name, ("r", B, named, "M"), Status.OK, made, observed=((HEADS.name, found),)),)
        records = (self.BASE, self.OURS, self.THEIRS, self.BOTH, made)
        return judged(invariant, seen(*records, calls=calls, objects=self.HELD | objects))

    MINE = attrs.evolve(branch(), commit_id=OURS.commit_id)
    MAIN = attrs.evolve(branch(), branch_id=BranchID("main"), commit_id=THEIRS.commit_id)
    TAG = Tag(tag_id=TagID("main"), commit_id=THEIRS.commit_id)

    @pytest.mark.parametrize(
        ("content", "expected"),
        [
            ({b"x": b"1", b"z": b"2"}, "holds"),
            ({b"x": b"1", b"y": b"0", b"z": b"2"}, "violated"),  # deleted by the source
            ({b"x": b"1", b"y": b"0"}, "violated"),
            ({b"x": b"0", b"z": b"2"}, "violated"),
            ({b"x": b"1", b"z": b"2", b"new": b"3"}, "violated"),  # nobody has it
        ],
    )
    def test_a_merge_holds_what_both_sides_have_changed(self, content: dict[bytes, bytes], expected: str) -> None:
        made, objects = holding("merge", content, self.OURS, self.THEIRS)
        assert self.judge(merges.merge_is_effective, made, objects, "main", self.MAIN) == expected
        alone = attrs.evolve(made, parents=made.parents[:1])
        assert self.judge(merges.merge_is_effective, alone, objects, "main", self.MAIN) == "violated"

    @pytest.mark.parametrize(("value", "expected"), [(b"1", "holds"), (b"3", "holds"), (b"0", "violated")])
    def test_in_a_conflict_either_side_may_win_and_nothing_else(self, value: bytes, expected: str) -> None:
        made, objects = holding("merge", {b"x": value, b"z": b"2"}, self.OURS, self.BOTH)
        assert self.judge(merges.merge_is_effective, made, objects, self.BOTH.commit_id) == expected

    @pytest.mark.parametrize(
        ("named", "read", "expected"),
        [
            ("main", (MAIN,), "holds"),
            ("main", (TAG,), "holds"),
            (THEIRS.commit_id, (), "holds"),
            ("main", (attrs.evolve(MAIN, commit_id=BASE.commit_id),), "violated"),
            (B, (), "violated"),
        ],
    )
    def test_what_was_merged_is_what_the_call_has_named(
        self, named: str, read: tuple[Record, ...], expected: str
    ) -> None:
        made, objects = holding("merge", {b"x": b"1", b"z": b"2"}, self.OURS, self.THEIRS)
        assert self.judge(merges.merge_is_effective, made, objects, named, *read) == expected
        made, objects = holding("merge", {b"x": b"0", b"z": b"2"}, self.BASE, self.THEIRS)  # the branch is at ours
        assert self.judge(merges.merge_is_effective, made, objects, named, *read) == "violated"

    @pytest.mark.parametrize(
        ("named", "content", "expected"),
        [
            (B, {b"x": b"0", b"y": b"0"}, "holds"),
            (OURS.commit_id, {b"x": b"0", b"y": b"0"}, "holds"),
            (B, {b"x": b"0", b"y": b"0", b"new": b"3"}, "violated"),
            (THEIRS.commit_id, {b"x": b"0", b"y": b"0"}, "violated"),  # it undoes another one
        ],
    )
    def test_a_revert_undoes_the_commit_that_it_names(
        self, named: str, content: dict[bytes, bytes], expected: str
    ) -> None:
        made, objects = holding("revert", content, self.OURS)
        assert self.judge(merges.revert_is_effective, made, objects, named) == expected


class TestLifecycle:
    @pytest.mark.parametrize("state", list(RepositoryState))
    def test_get_shows_what_is_active_and_nothing_else(self, state: RepositoryState) -> None:
        shown = seen(calls=(call("get_repository", Status.OK, value=attrs.evolve(FOUND, state=state)),))
        expected = "holds" if state is RepositoryState.ACTIVE else "violated"
        assert verdict(list(lifecycle.get_shows_active_only.check(shown))) == expected

    def test_a_get_that_failed_shows_nothing(self) -> None:
        for status in (Status.FAIL, Status.INFO):
            shown = seen(calls=(call("get_repository", status),))
            assert verdict(list(lifecycle.get_shows_active_only.check(shown))) == "untested"

    def test_the_cleaner_leaves_nothing_of_a_dead_instance_that_has_a_record(self) -> None:
        token = StagingToken("r-b:u.1")  # of a branch of the instance "u"
        of_it = attrs.evolve(branch(), staging_token=token)
        record = CleanupRecord(repository_id=FOUND.repository_id, instance_uid=FOUND.instance_uid)
        newer = attrs.evolve(FOUND, instance_uid=InstanceUID("v"))
        claimed = attrs.evolve(FOUND, state=RepositoryState.INITIAL)

        def cleaned(*records: Record, status: Status = Status.OK) -> str:
            return verdict(lifecycle.superseded_is_cleaned((Outcome(status),), seen(*records, calls=())))

        assert cleaned(newer, record, of_it) == "violated"
        assert cleaned(attrs.evolve(FOUND, state=RepositoryState.DELETED), record, of_it) == "violated"
        assert cleaned(record, of_it) == "violated"
        assert cleaned(newer, record) == "holds"
        assert cleaned(FOUND, record, of_it) == "holds"
        assert cleaned(claimed, record, of_it) == "holds"  # a claim that has not run out
        assert cleaned(newer, of_it) == "holds"  # nothing leads to it: `garbage-is-reclaimable`
        assert cleaned(newer, record, status=Status.FAIL) == "violated"
        dropped = attrs.evolve(seen(newer, of_it, calls=()), before=seen(newer, record, of_it, calls=()))
        assert verdict(lifecycle.superseded_is_cleaned((Outcome(Status.OK),), dropped)) == "violated"


class TestUpdates:
    MOVED = (Mark.MOVED, f"r-b:u.1.0 to {HEAD.commit_id}")

    def test_what_another_call_has_moved_to_the_same_commit_is_not_held_against_one_that_failed(self) -> None:
        failed, done = call("update_branch", Status.FAIL, self.MOVED), call("update_branch", Status.OK, self.MOVED)
        there = seen(FOUND, branch(), HEAD, calls=(failed, done))
        assert judged(outcomes.failed_call_changed_nothing, there) == "holds"

    @pytest.mark.parametrize("there", [(), (attrs.evolve(branch(), commit_id=CommitID("other")),)])
    def test_one_that_is_elsewhere_is_found_unless_another_call_may_have_moved_it(
        self, there: tuple[Branch, ...]
    ) -> None:
        moved = call("update_branch", Status.OK, value=branch())
        assert judged(outcomes.branch_update_is_effective, seen(FOUND, *there, HEAD, calls=(moved,))) == "violated"
        for other in ("delete_branch", "create_branch", "update_branch"):
            excused = seen(FOUND, *there, HEAD, calls=(moved, call(other, Status.INFO)))
            assert judged(outcomes.branch_update_is_effective, excused) == "untested"
            elsewhere = attrs.evolve(call(other, Status.INFO), args=("r", "main"))
            unexcused = seen(FOUND, *there, HEAD, calls=(moved, elsewhere))
            assert judged(outcomes.branch_update_is_effective, unexcused) == "violated"

    def test_a_call_that_reads_another_branch_too_moves_the_one_that_it_writes(self) -> None:
        main = attrs.evolve(branch(), branch_id=BranchID("main"), staging_token=StagingToken("r-main:u.0.0"))
        before = attrs.evolve(branch(), commit_id=NEXT.commit_id)
        write = kv.SetIf(P, keys.branch_key(BranchID(B)), b"", b"")
        read = kv.Get(P, keys.branch_key(BranchID(B)))
        other = kv.Get(P, keys.branch_key(BranchID("main")))
        effects = (Observed(read, None, before, None), Observed(other, None, main, None))
        found: Hashable = frozenset({self.MOVED})
        assert MARKS.fold((*effects, Observed(write, None, None, branch()))) == found
