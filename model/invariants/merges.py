"""What the commits of merges and reverts contain.

A merge takes each path from the source if the source has changed it since the common ancestor, else from the
destination. A path that both have changed is left out: which of them wins is for the caller's strategy to say. A revert
gives each path that a commit has changed its former value, where the head still has the commit's. Source: the
operations of lakeFS' ``pkg/graveler`` ("Merge", "Revert").
"""

from collections.abc import Hashable, Iterator
from typing import Final, cast

from lakeproof.model import calls
from lakeproof.model.calls import Role
from lakeproof.model.contents import Contents, commit_named, content_of_commit, merge_paths
from lakeproof.model.identifiers import CommitID
from lakeproof.model.invariants._base import Finding, Observer, Reached, Reads, Violation, eventually
from lakeproof.model.invariants._marks import line_of
from lakeproof.model.records import Branch, Commit, StagedEntry, Tag
from lakeproof.model.snapshot import CallView, Observed, Snapshot, Status

READS: Final = frozenset({Reads.STORE, Reads.OBJECTS, Reads.CLIENTS})


def _base(snapshot: Snapshot, one: CommitID, other: CommitID) -> CommitID | None:
    common = line_of(snapshot, one) & line_of(snapshot, other)
    known = [commit for each in common if (commit := commit_named(snapshot, each)) is not None]
    # The rule of the flow: the highest generation, and of several the lowest id.
    return min(known, key=lambda commit: (-commit.generation, commit.commit_id)).commit_id if known else None


def _find_wrong(base: Contents, source: Contents, destination: Contents, made: Contents) -> str | None:
    """What is at a path and should not be. In a conflict, either side may win; a path that no side has, has nothing."""
    expected = merge_paths(base, source, destination)
    # Also paths that only the new commit has: it may have invented one.
    for path in sorted({*base, *source, *destination, *made}):
        may = [expected[path]] if path in expected else [source.get(path), destination.get(path)]
        if made.get(path) not in may:
            return f"{made.get(path)!r} at {path!r}; expected {' or '.join(map(repr, may))}"
    return None


def _heads(seen: tuple[Observed, ...]) -> Hashable:
    """What each branch and tag led to when the call read it."""
    read = [each.read for each in seen if isinstance(each.read, Branch | Tag)]
    return frozenset((each.branch_id if isinstance(each, Branch) else each.tag_id, each.commit_id) for each in read)


HEADS: Final = Observer("heads", _heads)


def _named_by(call: CallView, role: Role) -> frozenset[Hashable]:
    """The commits that a ref among the arguments led to when the call read it; a commit leads to itself."""
    ref, read = call.arguments[role], cast("frozenset[tuple[str, CommitID]] | None", call.saw(HEADS.name))
    return frozenset([ref, *(commit_id for name, commit_id in read or () if name == ref)])


@eventually(
    "the commit that a merge returned holds what its source has changed, over what its destination had",
    reads=READS,
    observers=(HEADS,),
)
def merge_is_effective(snapshot: Snapshot) -> Iterator[Finding]:
    for call in snapshot.calls(calls.MERGE):
        made = call.value
        if call.status is not Status.OK or not isinstance(made, Commit):
            continue
        shown = f"merge returned commit {made.commit_id[:8]}"
        if len(made.parents) != 2:
            yield Violation("merge-is-effective", f"{shown}, which has {len(made.parents)} parents")
            continue
        ours, theirs = made.parents
        # Right contents of wrong parents would pass below: a merge of another commit than the one that was named.
        if ours not in _named_by(call, Role.BRANCH) or theirs not in _named_by(call, Role.TARGET):
            evidence = f"{shown}, of {ours[:8]} and {theirs[:8]}, and not of what the call has named and read"
            yield Violation("merge-is-effective", evidence)
            continue
        base_id = _base(snapshot, ours, theirs)
        # ``or ours`` only keeps the list whole: without a common ancestor it is a violation below.
        contents = [content_of_commit(snapshot, each) for each in (base_id or ours, theirs, ours, made.commit_id)]
        base, source, destination, found = contents
        if base_id is None or base is None or source is None or destination is None or found is None:
            yield Violation("merge-is-effective", f"{shown}; it, a parent or the common ancestor cannot be read")
            continue
        wrong = _find_wrong(base, source, destination, found)
        if wrong is None:
            yield Reached(f"{shown}, which combines its parents")
        else:
            yield Violation("merge-is-effective", f"{shown}, which has {wrong}")


def _undoes(snapshot: Snapshot, undone: Commit, head: Contents, found: Contents) -> bool:
    if not undone.parents:
        return False
    after, before = (content_of_commit(snapshot, each) for each in (undone.commit_id, undone.parents[0]))
    if after is None or before is None:
        return False
    # A revert is a merge of the commit's parent, with the commit itself as the base.
    return _find_wrong(after, before, head, found) is None


@eventually(
    "the commit that a revert returned is its parent without what the commit that it names has changed",
    reads=READS,
    observers=(HEADS,),
)
def revert_is_effective(snapshot: Snapshot) -> Iterator[Finding]:
    for call in snapshot.calls(calls.REVERT):
        made = call.value
        if call.status is not Status.OK or not isinstance(made, Commit):
            continue
        shown = f"revert returned commit {made.commit_id[:8]}"
        head = content_of_commit(snapshot, made.parents[0]) if made.parents else None
        found = content_of_commit(snapshot, made.commit_id)
        if head is None or found is None:
            yield Violation("revert-is-effective", f"{shown}; it or its parent cannot be read")
            continue
        named = _named_by(call, Role.TARGET)
        commits = [each for each in snapshot.store.values() if isinstance(each, Commit) and each.commit_id in named]
        # A branch may have moved while the call read it: each commit that the ref led to then is a right one.
        if any(_undoes(snapshot, each, head, found) for each in commits):
            yield Reached(f"{shown}, which undoes the commit that it names")
        else:
            yield Violation("revert-is-effective", f"{shown}, which does not undo {call.arguments[Role.TARGET]}")


def _sealed_tokens(seen: tuple[Observed, ...]) -> Hashable:
    """The tokens that were sealed on the branch when the call last read it: its destination, which it reads first."""
    read = [each.read for each in seen if isinstance(each.read, Branch)]
    # The source may be a branch as well, and may be read last: its sealed tokens do not matter.
    return next((found.sealed_tokens for found in reversed(read) if found.branch_id == read[0].branch_id), ())


@eventually(
    "a merge or a revert does not succeed over changes of its branch that a committer has sealed and not "
    "committed; checked where nothing is written meanwhile, and no staged entry is dropped",
    reads=frozenset({Reads.STORE, Reads.CLIENTS}),
    observers=(Observer("sealed", _sealed_tokens),),
)
def merge_refuses_changes(snapshot: Snapshot) -> Iterator[Finding]:
    name = "merge-refuses-changes"
    staged = {
        partition.decode("utf-8", "replace")
        for (partition, _), record in snapshot.store.items()
        if isinstance(record, StagedEntry)
    }
    for call in snapshot.calls(calls.MERGE, calls.REVERT):
        tokens = call.saw("sealed")
        over = [token for token in tokens if token in staged] if isinstance(tokens, tuple) else []
        if over and call.status is Status.OK:
            yield Violation(
                name, f"{call.name} succeeded over changes that are sealed under {over[0]}, and not committed"
            )
        elif over and call.done:
            yield Reached(f"{call.name} was refused: changes are sealed, and not committed")
