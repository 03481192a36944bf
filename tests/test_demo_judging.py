"""The demo's judge: folder by folder as strict as all at once, and damage is found."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import ClassVar

import attrs
import pytest
import trio

from lakeproof.demo.clients import BRANCH, REPOSITORY, folder_of
from lakeproof.demo.judging import Folder, Judge, Projector, Running, folders_of, just_written
from lakeproof.demo.running import Demo
from lakeproof.demo.watching import BRANCH_KEY, PARTITION
from lakeproof.impl.codec import encode
from lakeproof.impl.refs.errors import PathNotFound
from lakeproof.model import keys, kv
from lakeproof.model.contents import branch_named, content_of_branch, content_of_commit
from lakeproof.model.identifiers import CommitID
from lakeproof.model.invariants import Finding, Monitor, Violation, entries
from lakeproof.model.records import Commit
from lakeproof.model.snapshot import CallView, Event, Invoked, Returned, Snapshot, Status
from tests.demo_runs import LOSING, SMALL, branch_of, done, small, verdicts


class TestDamage:
    """What somebody else does to the store between two rounds is found."""

    def judged_after(self, damage: kv.Op, demo: Demo) -> dict[str, str]:
        """The verdicts after somebody else did this to the store, and one more round without any calls."""

        async def spoil() -> None:
            await demo.world.store.apply(damage)

        trio.run(spoil)
        demo.judge.end_round(last=True)
        return {name: verdict for name, verdict in verdicts(demo).items() if verdict == "violated"}

    def test_a_staged_entry_that_vanishes_is_missed(self) -> None:
        demo = done(attrs.evolve(SMALL, committers=0, seconds=0.5))
        [token] = {branch.staging_token for branch in [branch_of(demo)]}
        partition = keys.staging_partition(token)
        key = next(
            at[1]
            for at, record in demo.world.snapshot().store.items()
            if at[0] == partition and getattr(record, "data", None) is not None and not at[1].startswith(b"key/bulk")
        )
        assert self.judged_after(kv.Delete(partition, key), demo) == {"acknowledged-write-is-kept": "violated"}

    def test_so_is_one_of_the_bulk_which_nobody_touches(self) -> None:
        demo = done(attrs.evolve(SMALL, committers=0, seconds=0.5))
        partition = keys.staging_partition(branch_of(demo).staging_token)
        damage = kv.Delete(partition, keys.staged_key(b"bulk001/02"))
        assert self.judged_after(damage, demo) == {"acknowledged-write-is-kept": "violated"}

    def test_a_head_that_leads_nowhere_is_found(self) -> None:
        demo = done(attrs.evolve(SMALL, seconds=0.5))
        astray = encode(attrs.evolve(branch_of(demo), commit_id=CommitID("nowhere")))
        found = self.judged_after(kv.Set(PARTITION, BRANCH_KEY, astray), demo)
        assert {"head-exists", "acknowledged-write-is-kept"} <= found.keys()

    def test_a_branch_that_is_gone_is_found(self) -> None:
        demo = done(attrs.evolve(SMALL, seconds=0.5))
        assert self.judged_after(kv.Delete(PARTITION, BRANCH_KEY), demo) == {"head-exists": "violated"}

    def test_a_commit_that_overrides_another_is_found(self) -> None:
        demo = done(attrs.evolve(SMALL, seconds=0.5))
        before = branch_of(demo)
        first = next(
            record
            for record in demo.world.snapshot().store.values()
            if isinstance(record, Commit) and not record.parents
        )

        async def move() -> None:
            op = kv.Set(PARTITION, BRANCH_KEY, b"")
            after = attrs.evolve(before, commit_id=first.commit_id)
            await demo.world.heads.moved(op, before, after, demo.world.store)

        trio.run(move)
        demo.judge.end_round(last=True)
        assert verdicts(demo)["commits-form-one-line"] == "violated"


class Whole(Judge):
    """Judges each round a second time, with all paths in one."""

    agreed: ClassVar[int] = 0
    paths: tuple[bytes, ...] = ()
    content: Mapping[bytes, bytes] = MappingProxyType({})

    def end_round(self, *, last: bool = False) -> None:
        events, before = list(self.world.events), {name: len(t.evidence) for name, t in self.tallies.items()}
        paths, content = self.paths, self.content
        super().end_round(last=last)
        snapshot = self.world.snapshot()
        for monitor in MONITORS:
            found = whole(monitor, paths, content, events, snapshot)
            mine = self.tallies[monitor.id].evidence[before[monitor.id] :]
            if monitor.id == "read-is-legal":  # it stops at the first one
                assert bool(found) == bool(mine), monitor.id
                assert set(found) <= set(mine)
            else:
                assert sorted(found) == sorted(mine), monitor.id
            Whole.agreed += len(found)
        branch = branch_named(snapshot, BRANCH)
        assert branch is not None
        self.content = content_of_branch(snapshot, branch) or {}
        hot = [path for folder in self.settings.folder_names for path in self.settings.names_in(folder)]
        self.paths = tuple(sorted({*hot, *self.content}))


MONITORS = (
    entries.acknowledged_write_is_kept,
    entries.acknowledged_delete_is_kept,
    entries.commit_is_causal,
    entries.read_is_legal({}, BRANCH),
)


def whole(
    monitor: Monitor, paths: Iterable[bytes], content: Mapping[bytes, bytes], events: list[Event], snapshot: Snapshot
) -> list[str]:
    """The evidence that a monitor has of a round, if it sees everything at once."""
    running = Running(monitor)
    findings: list[Finding] = []
    for event in (*just_written(tuple(paths), content), *events):
        findings += running.feed(event)
    findings += running.end(snapshot)
    return [finding.evidence for finding in findings if isinstance(finding, Violation)]


class TestFolders:
    """Folder by folder is as strict as all at once."""

    def test_both_ways_find_the_same_where_entries_get_lost(self) -> None:
        Whole.agreed = 0
        for seed in range(4):
            if not Whole.agreed:
                settings = attrs.evolve(LOSING, seed=seed, folders=25, calls_per_second=200.0, jitter_seconds=0.02)
                demo = Demo(settings)
                demo.judge = Whole(settings, demo.world)
                done(settings, demo)
        assert Whole.agreed

    def test_both_ways_find_nothing_where_all_is_well(self) -> None:
        Whole.agreed = 0
        settings = attrs.evolve(SMALL, folders=3, paths=3, bulk_folders=2, seconds=0.6, writers=20)
        demo = Demo(settings)
        demo.judge = Whole(settings, demo.world)
        done(settings, demo)
        assert not Whole.agreed

    def test_a_projection_shows_just_what_the_whole_has_in_the_folder(self) -> None:
        demo = small()
        snapshot, branch = demo.world.snapshot(), branch_of(demo)
        commits = {record.commit_id: record for record in snapshot.store.values() if isinstance(record, Commit)}
        projector = Projector(snapshot, branch, commits)
        seen: dict[bytes, bytes] = {}
        committed: dict[CommitID, dict[bytes, bytes]] = {commit_id: {} for commit_id in commits}
        for folder in (*SMALL.folder_names, *SMALL.bulk_names):
            part = projector.on(folder)
            content = content_of_branch(part, branch)
            assert content is not None
            assert {folder_of(path) for path in content} <= {folder}
            seen |= content
            for commit_id in commits:
                committed[commit_id] |= content_of_commit(part, commit_id) or {}
        assert seen == content_of_branch(snapshot, branch)
        assert committed == {commit_id: content_of_commit(snapshot, commit_id) for commit_id in commits}

    def test_a_commit_that_cannot_be_read_cannot_be_read_in_a_projection(self) -> None:
        demo = small()
        snapshot, branch = demo.world.snapshot(), branch_of(demo)
        head = snapshot.store[PARTITION, keys.commit_key(branch.commit_id)]
        assert isinstance(head, Commit)
        projector = Projector(attrs.evolve(snapshot, objects={}), branch, {head.commit_id: head})
        assert content_of_commit(projector.on(b"f000"), head.commit_id) is None

    @pytest.mark.parametrize(
        ("name", "args", "folders"),
        [
            ("set_entry", (REPOSITORY, "main", b"a/x", b"1"), [b"a"]),
            ("delete_entry", (REPOSITORY, "main", b"a/x"), [b"a"]),
            ("get_entry", (REPOSITORY, "main", b"b/x"), [b"b"]),
            ("list_entries", (REPOSITORY, "main", b"b/"), [b"b"]),
            ("set_entries", (REPOSITORY, "main", ((b"b/x", b"1"), (b"a/x", b"2"))), [b"a", b"b"]),
            ("commit", (REPOSITORY, "main", "message"), []),
        ],
    )
    def test_a_call_is_about_its_folders(self, name: str, args: tuple[object, ...], folders: list[bytes]) -> None:
        invoked = Invoked(0, 0, name, args)
        returned = Returned(0, 0, CallView(name, args, Status.OK))
        assert list(folders_of(invoked)) == list(folders_of(returned)) == folders

    def test_after_a_violation_a_monitor_says_no_more(self) -> None:
        folder = Folder(b"a", (entries.read_is_legal({}, BRANCH),))
        folder.start([b"a/x"], {b"a/x": b"1"})
        [(_, finding)] = [each for index in range(2) for event in stale_read(index) for each in folder.feed(event)]
        assert isinstance(finding, Violation)


def stale_read(index: int) -> list[Event]:
    """A read that finds nothing at a/x."""
    args = (REPOSITORY, str(BRANCH), b"a/x")
    view = CallView("get_entry", args, Status.FAIL, error=PathNotFound(b"a/x"))
    return [Invoked(0, index, "get_entry", args), Returned(0, index, view)]
