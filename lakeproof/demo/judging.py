"""The invariants of the search, over what has really happened.

The monitors of entries look at one path at a time, so they are run for each folder by itself: that demands just as much
(it is tested), and costs little, because each knows a few paths only. Time is cut into rounds. Between two rounds
nobody is in the middle of anything: the stores are held against what was promised, and all monitors start afresh, with
what is there now taken for having just been written. So nothing that a later round ought to know is forgotten.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Final

import attrs

from lakeproof.demo.clients import BRANCH, BULK, REPOSITORY, Settings, folder_of
from lakeproof.demo.watching import BRANCH_KEY, PARTITION, World, is_commit
from lakeproof.impl.refs.branches import is_tombstone
from lakeproof.model import keys, kv
from lakeproof.model.committed import Entry, object_address, write
from lakeproof.model.contents import content_of_branch, content_of_commit
from lakeproof.model.identifiers import CommitID, MetaRangeID
from lakeproof.model.invariants import Finding, Monitor, Violation, entries, refs
from lakeproof.model.objects import StoredObject
from lakeproof.model.records import Branch, Commit, Record, StagedEntry
from lakeproof.model.snapshot import CallView, Event, Invoked, Returned, Snapshot, Status

BEFORE: Final = -1
"""The client that has written what a round begins with."""
UNREADABLE: Final = MetaRangeID("unreadable")


@attrs.define
class Tally:
    """What is known of one invariant."""

    id: str
    meaning: str
    expected: str = "holds"
    reason: str = ""
    reached: int = 0
    """How often it was tested."""
    evidence: list[str] = attrs.field(factory=list)

    @property
    def verdict(self) -> str:
        if self.evidence:
            return "violated"
        return "holds" if self.reached else "inconclusive"

    @property
    def unexpected(self) -> bool:
        return bool(self.evidence) and self.expected == "holds"


@attrs.define
class Running:
    """A monitor and its state; none after a violation."""

    monitor: Monitor
    state: Hashable = None

    def __attrs_post_init__(self) -> None:
        self.state = self.monitor.initial

    def feed(self, event: Event) -> Iterator[Finding]:
        if self.state is None:
            return
        self.state, found = self.monitor.advance(self.state, event)
        yield from found
        if any(isinstance(finding, Violation) for finding in found):
            self.state = None

    def end(self, snapshot: Snapshot) -> Iterator[Finding]:
        if self.state is not None and self.monitor.at_end is not None:
            yield from self.monitor.at_end(self.state, snapshot)


@attrs.define
class Folder:
    """The monitors of one folder."""

    name: bytes
    monitors: tuple[Monitor, ...]
    running: list[Running] = attrs.field(factory=list)
    commits: bool = True
    """Whether commits are still held against it."""

    def start(self, paths: Sequence[bytes], content: Mapping[bytes, bytes]) -> None:
        """Begin a round: all paths are as if just written, or just deleted."""
        self.running = [Running(monitor) for monitor in self.monitors]
        for event in just_written(paths, content):
            for running in self.running:
                for _ in running.feed(event):
                    raise AssertionError(f"{running.monitor.id} has something to say of {event!r}")

    def feed(self, event: Event) -> Iterator[tuple[str, Finding]]:
        for running in self.running:
            yield from ((running.monitor.id, finding) for finding in running.feed(event))

    def end(self, snapshot: Snapshot) -> Iterator[tuple[str, Finding]]:
        for running in self.running:
            yield from ((running.monitor.id, finding) for finding in running.end(snapshot))


def just_written(paths: Sequence[bytes], content: Mapping[bytes, bytes]) -> Iterator[Event]:
    """A write or a delete of each path, one after the other, by nobody."""
    for index, path in enumerate(paths):
        found = content.get(path)
        name = "delete_entry" if found is None else "set_entry"
        args = (REPOSITORY, str(BRANCH), path) if found is None else (REPOSITORY, str(BRANCH), path, found)
        yield Invoked(BEFORE, index, name, args)
        yield Returned(BEFORE, index, CallView(name, args, Status.OK))


def folders_of(event: Event) -> Iterator[bytes]:
    """The folders that a call is about; none if it is about all of them."""
    name, args = (event.name, event.args) if isinstance(event, Invoked) else (event.call.name, event.call.args)
    match name, args:
        case "set_entries", (_, _, tuple(several)):
            yield from sorted({folder_of(path) for path, _ in several})
        case (("set_entry" | "delete_entry" | "get_entry" | "list_entries"), (_, _, bytes(path), *_)):
            yield folder_of(path)


@attrs.define
class Projector:
    """A snapshot as it looks from one folder: the branch, what is staged in the folder, and commits rewritten with
    the folder's entries only."""

    snapshot: Snapshot
    branch: Branch
    commits: dict[CommitID, Commit]
    _committed: dict[CommitID, dict[bytes, list[Entry]] | None] = attrs.field(factory=dict)
    _staged: dict[bytes, dict[kv.Address, Record | bytes]] = attrs.field(factory=dict)

    def __attrs_post_init__(self) -> None:
        for commit_id in self.commits:
            found = content_of_commit(self.snapshot, commit_id)
            self._committed[commit_id] = None if found is None else _by_folder(found)
        tokens = (self.branch.staging_token, *self.branch.sealed_tokens)
        partitions = {keys.staging_partition(token) for token in tokens}
        for address, record in self.snapshot.store.items():
            if isinstance(record, StagedEntry) and address[0] in partitions:
                self._staged.setdefault(folder_of(record.key), {})[address] = record

    def on(self, folder: bytes) -> Snapshot:
        store: dict[kv.Address, Record | bytes] = {(PARTITION, BRANCH_KEY): self.branch}
        objects: dict[str, StoredObject] = {}
        for commit_id, commit in self.commits.items():
            found = self._committed[commit_id]
            if found is None:
                meta_range_id = UNREADABLE
            else:
                written = write(found.get(folder, []))
                meta_range_id = written.meta_range_id
                for object_id, content in written.objects.items():
                    objects[object_address(REPOSITORY.storage_namespace, object_id)] = StoredObject(content)
            store[PARTITION, keys.commit_key(commit_id)] = attrs.evolve(commit, meta_range_id=meta_range_id)
        return Snapshot(store=store | self._staged.get(folder, {}), objects=objects, now=0, clients=())


def _by_folder(content: dict[bytes, bytes]) -> dict[bytes, list[Entry]]:
    found: dict[bytes, list[Entry]] = {}
    for path in sorted(content):
        found.setdefault(folder_of(path), []).append(Entry(path=path, identity=content[path], data=b""))
    return found


@attrs.define
class Judge:
    """Hears what has happened, round by round, and keeps a tally."""

    settings: Settings
    world: World
    tallies: dict[str, Tally] = attrs.field(init=False)
    rounds: int = 0
    judged: int = 0
    """Events."""
    _folders: dict[bytes, Folder] = attrs.field(factory=dict)
    _progress: Running | None = None

    def __attrs_post_init__(self) -> None:
        settings = self.settings
        monitors = [entries.acknowledged_write_is_kept, entries.acknowledged_delete_is_kept]
        if settings.committers:
            monitors.append(entries.commit_is_causal)
        if settings.readers:
            monitors.append(entries.read_is_legal({}, BRANCH))
        if settings.variant == "locked":  # nobody else refuses a write
            monitors.append(entries.refused_write_is_absent)
        told = [(monitor.id, monitor.meaning) for monitor in monitors]
        told += [(always.id, always.meaning) for always in (refs.head_exists, refs.token_has_one_owner)]
        if settings.committers:
            told.append((refs.commits_form_one_line.id, refs.commits_form_one_line.meaning))
        if settings.committers > 1 and settings.variant != "locked":  # nobody is beaten who holds a lock
            self._progress = Running(refs.commit_makes_progress)
            told.append((refs.commit_makes_progress.id, refs.commit_makes_progress.meaning))
        self.tallies = {name: Tally(name, meaning) for name, meaning in told}
        if settings.variant == "optimistic" and self._progress is not None:
            progress = self.tallies[refs.commit_makes_progress.id]
            progress.expected = "violated"
            progress.reason = "who is beaten seals anew, which beats the other: nothing bounds how often"
        for name in settings.folder_names:
            self._folders[name] = Folder(name, tuple(monitors))
            self._folders[name].start(settings.names_in(name), {})
        for name in settings.bulk_names:
            self._folders[name] = Folder(name, tuple(monitors))
            self._folders[name].start((), {})

    def end_round(self, *, last: bool = False) -> None:
        """Judge what was recorded since the last round ended, and the stores as they are. Nobody is in the middle of
        anything, or who is has crashed; so it must be the last round."""
        events, self.world.events = self.world.events, []
        self.judged += len(events)
        self.rounds += 1
        for event in events:
            self._hear(event)
        moved, self.world.heads.findings = self.world.heads.findings, []
        self._note((refs.commits_form_one_line.id, finding) for finding in moved)
        snapshot = self.world.snapshot()
        for always in (refs.head_exists, refs.token_has_one_owner):
            self._note((always.id, finding) for finding in always.check(snapshot))
        branch = snapshot.store.get((PARTITION, BRANCH_KEY))
        if not isinstance(branch, Branch) or is_tombstone(branch):
            self._note([(refs.head_exists.id, Violation(refs.head_exists.id, f"branch {BRANCH} is gone"))])
            return
        self._end_folders(snapshot, branch, [commit for event in events if (commit := is_commit(event))], last=last)
        if last and self._progress is not None:
            self._note((refs.commit_makes_progress.id, finding) for finding in self._progress.end(snapshot))

    def _hear(self, event: Event) -> None:
        names = list(folders_of(event))
        if names:
            for name in names:
                self._note(self._folders[name].feed(event))
            return
        for folder in self._folders.values():
            if folder.commits:
                self._note(folder.feed(event))
        if self._progress is not None:
            self._note((refs.commit_makes_progress.id, finding) for finding in self._progress.feed(event))

    def _end_folders(self, snapshot: Snapshot, branch: Branch, made: Iterable[Commit], *, last: bool) -> None:
        known = {commit.commit_id: commit for commit in made}
        head = snapshot.store.get((PARTITION, keys.commit_key(branch.commit_id)))
        if isinstance(head, Commit):
            known[head.commit_id] = head
        projector = Projector(snapshot, branch, known)
        content = _by_folder(content_of_branch(snapshot, branch) or {})
        for name, folder in self._folders.items():
            hot = not name.startswith(BULK)
            if hot or last or self.rounds == 1:
                self._note(folder.end(projector.on(name)))
                found = {entry.path: entry.identity for entry in content.get(name, [])}
                folder.start(self.settings.names_in(name) if hot else tuple(found), found)
                folder.commits = hot  # what is committed in bulk changes no more: it is looked at again at the end

    def _note(self, findings: Iterable[tuple[str, Finding]]) -> None:
        for name, finding in findings:
            tally = self.tallies[name]
            if isinstance(finding, Violation):
                tally.evidence.append(finding.evidence)
            else:
                tally.reached += 1
