"""Every invariant of branches and entries: a history that violates it, and one that tests and satisfies it."""

from collections.abc import Hashable, Iterable

import pytest

from lakeproof.model import keys, kv
from lakeproof.model.commits import with_content_id
from lakeproof.model.committed import Entry
from lakeproof.model.errors import BranchBusy, PathNotFound
from lakeproof.model.identifiers import BranchID, CommitID, MetaRangeID, StagingToken
from lakeproof.model.invariants import Finding, Monitor, Reached, Violation, entries, refs
from lakeproof.model.invariants.entries import read_is_legal, write_is_kept_beside
from lakeproof.model.records import Branch, Commit, Record, StagedEntry, Tag
from lakeproof.model.snapshot import CallView, Event, Invoked, Outcome, Returned, Snapshot, Status, Transition

P = b"r-u"
REPOSITORY = "r"
B = "b"


def commit(message: str, *parents: str, metarange: str = "") -> Commit:
    return with_content_id(
        Commit(
            commit_id=CommitID(""),
            committer="",
            message=message,
            creation_date=0,
            meta_range_id=MetaRangeID(metarange),
            parents=tuple(map(CommitID, parents)),
        )
    )


HEAD = commit("head")


def branch(name: str = B, token: str = "r-b:u.1.0", head: str = HEAD.commit_id, *sealed: str) -> Branch:
    return Branch(
        branch_id=BranchID(name),
        commit_id=CommitID(head),
        staging_token=StagingToken(token),
        sealed_tokens=tuple(map(StagingToken, sealed)),
    )


def snapshot(*records: Record, staged: dict[bytes, bytes] | None = None, token: str = "r-b:u.1.0") -> Snapshot:
    store: dict[kv.Address, Record | bytes] = {}
    for record in records:
        match record:
            case Branch():
                store[P, keys.branch_key(record.branch_id)] = record
            case Commit():
                store[P, keys.commit_key(record.commit_id)] = record
            case Tag():
                store[P, keys.tag_key(record.tag_id)] = record
    for path, identity in (staged or {}).items():
        entry = StagedEntry(key=path, identity=identity, data=b"")
        store[keys.staging_partition(StagingToken(token)), keys.staged_key(path)] = entry
    return Snapshot(store=store, objects={}, now=0, clients=())


class History:
    """Invocations and returns, as a monitor hears them."""

    def __init__(self, monitor: Monitor) -> None:
        self.monitor, self.state, self.found = monitor, monitor.initial, list[Finding]()
        self._calls: dict[int, tuple[int, str, tuple[Hashable, ...]]] = {}

    def hear(self, event: Event) -> None:
        self.state, findings = self.monitor.advance(self.state, event)
        self.found += findings

    def begins(self, client: int, name: str, *args: Hashable) -> "History":
        index = self._calls[client][0] + 1 if client in self._calls else 0
        self._calls[client] = (index, name, (REPOSITORY, B, *args))
        self.hear(Invoked(client, index, name, self._calls[client][2]))
        return self

    def ends(
        self,
        client: int,
        status: Status = Status.OK,
        value: Hashable = None,
        error: Exception | None = None,
        **saw: Hashable,
    ) -> "History":
        index, name, args = self._calls[client]
        view = CallView(name, args, status, value, error, tuple(saw.items()))
        self.hear(Returned(client, index, view))
        return self

    def does(self, client: int, name: str, *args: Hashable, value: Hashable = None) -> "History":
        return self.begins(client, name, *args).ends(client, value=value)

    def at_end(self, seen: Snapshot) -> list[Finding]:
        assert self.monitor.at_end is not None
        return list(self.monitor.at_end(self.state, seen))


def verdict(findings: Iterable[Finding]) -> str:
    kinds = set(map(type, findings))
    return "violated" if Violation in kinds else "holds" if Reached in kinds else "untested"


def judged(monitor: Monitor, events: Iterable[Event]) -> str:
    """The verdict after a sequence of events."""
    state, found = monitor.initial, list[Finding]()
    for event in events:
        state, findings = monitor.advance(state, event)
        found += findings
    return verdict(found)


EMPTY = snapshot(branch(), HEAD)
HAS_X = snapshot(branch(), HEAD, staged={b"x": b"1"})
HAS_2 = snapshot(branch(), HEAD, staged={b"x": b"2"})


class TestWriteIsKept:
    def test_there_or_lost(self) -> None:
        written = History(entries.acknowledged_write_is_kept).does(0, "set_entry", b"x", b"1")
        assert verdict(written.at_end(HAS_X)) == "holds"
        assert verdict(written.at_end(EMPTY)) == "violated"
        assert verdict(written.at_end(HAS_2)) == "violated"
        assert verdict(written.at_end(snapshot(HEAD))) == "violated"

    def test_an_earlier_write_excuses_nothing_and_a_later_one_everything(self) -> None:
        ordered = (
            History(entries.acknowledged_write_is_kept)
            .does(0, "set_entry", b"x", b"1")
            .does(1, "set_entry", b"x", b"2")
        )
        assert verdict(ordered.at_end(HAS_X)) == "violated"
        assert verdict(ordered.at_end(HAS_2)) == "holds"

    def test_of_two_at_once_either_may_stay(self) -> None:
        both = History(entries.acknowledged_write_is_kept).begins(0, "set_entry", b"x", b"1")
        both.begins(1, "set_entry", b"x", b"2").ends(0).ends(1)
        assert verdict(both.at_end(HAS_X)) == verdict(both.at_end(HAS_2)) == "untested"

    @pytest.mark.parametrize(("status", "expected"), [(Status.FAIL, "violated"), (Status.INFO, "untested")])
    def test_a_refused_reset_excuses_nothing_and_a_doubtful_one_everything(self, status: Status, expected: str) -> None:
        history = History(entries.acknowledged_write_is_kept).does(0, "set_entry", b"x", b"1")
        history.begins(1, "reset_branch").ends(1, status)
        assert verdict(history.at_end(EMPTY)) == expected

    def test_nothing_is_demanded_of_what_was_not_acknowledged(self) -> None:
        for status in (Status.FAIL, Status.INFO):
            history = History(entries.acknowledged_write_is_kept).begins(0, "set_entry", b"x", b"1").ends(0, status)
            assert verdict(history.at_end(EMPTY)) == "untested"
        crashed = History(entries.acknowledged_write_is_kept).begins(0, "set_entry", b"x", b"1")
        assert verdict(crashed.at_end(EMPTY)) == "untested"

    def test_a_crashed_reset_excuses(self) -> None:
        history = History(entries.acknowledged_write_is_kept).does(0, "set_entry", b"x", b"1").begins(1, "reset_branch")
        assert verdict(history.at_end(EMPTY)) == "untested"

    def test_a_merge_excuses_unless_it_is_known_to_spare(self) -> None:
        for monitor, expected in (
            (entries.acknowledged_write_is_kept, "untested"),
            (write_is_kept_beside("merge"), "violated"),
        ):
            history = History(monitor).does(0, "set_entry", b"x", b"1").does(1, "merge", "main", "m")
            assert verdict(history.at_end(EMPTY)) == expected

    def test_another_path_or_a_prefix_that_misses_excuses_nothing(self) -> None:
        history = History(entries.acknowledged_write_is_kept).does(0, "set_entry", b"x", b"1")
        history.does(1, "set_entry", b"xy", b"2").does(2, "reset_prefix", b"y").does(3, "reset_entry", b"xy")
        assert verdict(history.at_end(EMPTY)) == "violated"
        assert verdict(history.does(1, "reset_prefix", b"").at_end(EMPTY)) == "untested"


def test_a_delete_stays_deleted() -> None:
    history = (
        History(entries.acknowledged_delete_is_kept).does(0, "set_entry", b"x", b"1").does(0, "delete_entry", b"x")
    )
    assert verdict(history.at_end(EMPTY)) == "holds"
    assert verdict(history.at_end(HAS_X)) == "violated"


def test_a_refused_write_is_absent() -> None:
    history = History(entries.refused_write_is_absent).begins(0, "create_entry", b"x", b"1").ends(0, Status.FAIL)
    assert verdict(history.at_end(EMPTY)) == "holds"
    assert verdict(history.at_end(HAS_X)) == "violated"


def test_a_commit_holds_what_was_acknowledged_before_it() -> None:
    empty = commit("m", HEAD.commit_id)
    history = History(entries.commit_is_causal).does(0, "set_entry", b"x", b"1").does(1, "commit", "m", value=empty)
    assert verdict(history.at_end(snapshot(branch(), HEAD, empty))) == "violated"
    assert verdict(history.at_end(snapshot(branch(), HEAD))) == "violated", "a commit that cannot be read holds nothing"
    deleted = History(entries.commit_is_causal).does(0, "delete_entry", b"x").does(1, "commit", "m", value=empty)
    assert verdict(deleted.at_end(snapshot(branch(), HEAD, empty))) == "holds"
    during = (
        History(entries.commit_is_causal).begins(1, "commit", "m").does(0, "set_entry", b"x", b"1").ends(1, value=empty)
    )
    assert verdict(during.at_end(snapshot(branch(), HEAD, empty))) == "untested"
    reset = History(entries.commit_is_causal).does(0, "set_entry", b"x", b"1").begins(1, "commit", "m")
    reset.does(2, "reset_branch").ends(1, value=empty)
    assert verdict(reset.at_end(snapshot(branch(), HEAD, empty))) == "untested"


def read(identity: bytes) -> Entry:
    return Entry(path=b"x", identity=identity, data=b"")


class TestReads:
    def history(self) -> History:
        return History(read_is_legal({}, B))

    def test_a_value_from_the_future_or_from_nowhere(self) -> None:
        assert verdict(self.history().does(0, "get_entry", b"x", value=read(b"1")).found) == "violated"
        early = self.history().begins(0, "get_entry", b"x").begins(1, "set_entry", b"x", b"1").ends(0, value=read(b"1"))
        assert verdict(early.found) == "holds"

    def test_a_value_that_was_overwritten_before_the_read_began(self) -> None:
        twice = self.history().does(1, "set_entry", b"x", b"1").does(1, "set_entry", b"x", b"2")
        assert verdict(twice.begins(0, "get_entry", b"x").ends(0, value=read(b"1")).found) == "violated"
        assert verdict(self._after_two().ends(0, value=read(b"2")).found) == "holds"

    def _after_two(self) -> History:
        return (
            self.history()
            .does(1, "set_entry", b"x", b"1")
            .does(1, "set_entry", b"x", b"2")
            .begins(0, "get_entry", b"x")
        )

    def test_absence_after_an_acknowledged_write(self) -> None:
        history = self.history().does(1, "set_entry", b"x", b"1").begins(0, "get_entry", b"x")
        assert verdict(history.ends(0, Status.FAIL, error=PathNotFound()).found) == "violated"

    def test_a_refused_write_is_never_read_and_a_doubtful_one_may_be(self) -> None:
        for status, expected in ((Status.FAIL, "violated"), (Status.INFO, "holds")):
            history = self.history().begins(1, "set_entry", b"x", b"1").ends(1, status)
            history.begins(0, "get_entry", b"x").ends(0, value=read(b"1"))
            assert verdict(history.found) == expected

    def test_listings_are_judged_path_by_path(self) -> None:
        history = self.history().does(1, "set_entry", b"x", b"1").begins(0, "list_entries")
        assert verdict(history.ends(0, value=()).found) == "violated"
        fine = self.history().does(1, "set_entry", b"x", b"1").begins(0, "list_entries").ends(0, value=(read(b"1"),))
        assert verdict(fine.found) == "holds"


def test_a_new_branch_has_nothing_of_the_old_one() -> None:
    history = History(entries.branch_starts_clean).does(0, "set_entry", b"x", b"1").does(1, "delete_branch")
    history.does(1, "create_branch", "main")
    assert verdict(history.at_end(EMPTY)) == "holds"
    assert verdict(history.at_end(HAS_X)) == "violated"


def test_heads_exist() -> None:
    tag = Tag(tag_id="t", commit_id=HEAD.commit_id)  # type: ignore[arg-type]
    assert verdict(refs.head_exists.check(snapshot(branch(), tag, HEAD))) == "holds"
    assert verdict(refs.head_exists.check(snapshot(branch()))) == "violated"
    assert verdict(refs.head_exists.check(snapshot(tag))) == "violated"


def test_a_token_has_one_owner_open_or_sealed() -> None:
    other = branch("c", "r-c:u.2.0")
    assert verdict(refs.token_has_one_owner.check(snapshot(branch(), other, HEAD))) == "holds"
    for shared in (branch("c", "r-b:u.1.0"), branch("c", "r-c:u.2.0", HEAD.commit_id, "r-b:u.1.0")):
        assert verdict(refs.token_has_one_owner.check(snapshot(branch(), shared, HEAD))) == "violated"


def moved(before: Branch | None, after: Branch, *commits: Commit) -> Transition:
    key = keys.branch_key(BranchID(B))
    return Transition(
        client=0,
        call=CallView("commit", (REPOSITORY, B, "m"), Status.PENDING),
        op=kv.Set(P, key, b""),
        reply=None,
        before=snapshot(*([before] if before else []), HEAD, *commits),
        after=snapshot(after, HEAD, *commits),
    )


def test_commits_form_one_line() -> None:
    on_it, beside = commit("on", HEAD.commit_id), commit("beside", "another")
    check = refs.commits_form_one_line.check
    assert verdict(list(check(moved(branch(), branch(head=on_it.commit_id), on_it)))) == "holds"
    assert verdict(list(check(moved(branch(), branch(head=beside.commit_id), beside)))) == "violated"
    assert verdict(list(check(moved(None, branch(head=on_it.commit_id), on_it)))) == "violated"
    assert verdict(list(check(moved(branch(), branch(token="r-b:u.1.1"))))) == "untested"


def test_a_delete_takes_only_the_branch_that_it_found() -> None:
    there, gone = snapshot(branch(token="r-b:u.2.0"), HEAD), snapshot(HEAD)
    for found, after, expected in (
        ("r-b:u.1", gone, "violated"),
        ("r-b:u.1", there, "holds"),
        ("r-b:u.2", gone, "untested"),
    ):
        call = CallView("delete_branch", (REPOSITORY, B), Status.PENDING, observed=(("birth", found),))
        op = kv.Delete(P, keys.branch_key(BranchID(B)))
        transition = Transition(client=0, call=call, op=op, reply=None, before=there, after=after)
        assert verdict(refs.branch_delete_spares_successor.check(transition)) == expected


def test_a_committer_combines_anew_at_most_once_per_concurrent_operation() -> None:
    for recombined, expected in ((1, "holds"), (2, "violated")):
        history = History(refs.commit_makes_progress).begins(0, "commit", "a").begins(1, "commit", "b")
        history.ends(1, effort=(0, 0)).ends(0, effort=(recombined, recombined))
        assert verdict(history.found) == expected
    alone = History(refs.commit_makes_progress).begins(0, "commit", "a").ends(0, effort=(1, 1))
    assert verdict(alone.found) == "violated"


def test_somebody_finishes() -> None:
    history = History(refs.commit_makes_progress).begins(0, "commit", "a").begins(1, "commit", "b")
    history.ends(1, Status.FAIL, error=BranchBusy())
    assert verdict(history.at_end(EMPTY)) == "violated"
    history.ends(0, effort=(0, 0))
    assert verdict(history.at_end(EMPTY)) == "untested"


def test_a_branch_stays_committable() -> None:
    assert verdict(refs.branch_stays_committable((Outcome(Status.OK),), EMPTY)) == "holds"
    assert verdict(refs.branch_stays_committable((Outcome(Status.FAIL, error=BranchBusy()),), EMPTY)) == "violated"
