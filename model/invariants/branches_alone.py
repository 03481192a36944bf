"""An operation alone, with no other client and no fault, answers what is specified and leaves what is specified.

Each answer is put to `lakeproof.model.sequential`. In the end the store holds just what the specification says: each
branch and each commit with its contents, and nothing else. What is staged is staged for a branch; a branch whose
changes were all committed, or reset with it, has none; there is no lock, and no note.

Source: docs/reference/invariants.md, "Branches and committed data, alone"; M. Herlihy, J. Wing, Linearizability, 1990:
a concurrent object is correct only if its operations are, one after the other.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from lakeproof.model import calls, keys
from lakeproof.model.contents import branches, content_of_branch, content_of_commit
from lakeproof.model.identifiers import CommitID
from lakeproof.model.invariants._base import Afterwards, Finding, Reached, Violation
from lakeproof.model.records import Repository, StagedEntry
from lakeproof.model.sequential import SPECIFIED, Look, Refs, after
from lakeproof.model.snapshot import CallView, Outcome, Snapshot, Status
from lakeproof.model.solo import Misanswered

ALONE_AS_SPECIFIED: Final = Afterwards(
    "alone-as-specified",
    "without other clients and faults, each answer is that of the sequential specification, and in the end the store "
    "holds what it says, and nothing else",
)
NO_LOOKS: Final[Mapping[str, Look]] = MappingProxyType({})
NO_SEALS: Final[Mapping[str, Callable[[calls.Args], str]]] = MappingProxyType({})

Made = tuple[str, calls.Args]
"""A call: its name and arguments."""


def alone_as_specified(
    made: Sequence[Made],
    initial: Refs,
    looks: Mapping[str, Look] = NO_LOOKS,
    *,
    seals: Mapping[str, Callable[[calls.Args], str]] = NO_SEALS,
    drops: bool = True,
) -> Callable[[tuple[Outcome, ...], Snapshot], list[Finding]]:
    """The check of an aftermath of these calls.

    initial: what there is at first. looks: what calls answer, by name, that only look at a branch. seals: calls that
        only seal tokens, as a committer does before it stops, each with the branch. Any other call must succeed, and is
        not judged. drops: whether staged entries are gone once they are committed; without it all are there.
    """

    def check(outcomes: tuple[Outcome, ...], snapshot: Snapshot) -> list[Finding]:
        refs, deleted = initial, False
        for (name, args), outcome in zip(made, outcomes, strict=True):
            call = CallView(name, args, outcome.status, outcome.value, outcome.error)
            if name not in looks and name not in SPECIFIED:
                if outcome.status is not Status.OK:
                    return [Violation(ALONE_AS_SPECIFIED.id, f"{_describe_call(call)}: expected no error")]
                # A committer that stopped after its seal leaves a sealed token, and all contents as they were.
                refs = refs.unsettled(seals[name](args)) if name in seals else refs
                continue
            before = refs
            try:
                refs = after(refs, call, looks)
            except Misanswered as error:
                return [Violation(ALONE_AS_SPECIFIED.id, f"{_describe_call(call)}: {error}")]
            # The delete of a branch leaves its staged entries under a token that no branch names any more.
            deleted = deleted or len(refs.branches) < len(before.branches)
        wrong = [*_records(refs, snapshot), *_find_leftovers(refs, snapshot, drops=drops and not deleted)]
        wrong += [] if drops else _find_dropped(refs, snapshot)
        if wrong:
            return [Violation(ALONE_AS_SPECIFIED.id, f"in the end {wrong[0]}")]
        return [Reached(f"{len(made)} calls answered as specified")]

    return check


def _describe_call(call: CallView) -> str:
    args = ", ".join(repr(arg.repository_id if isinstance(arg, Repository) else arg) for arg in call.args)
    return f"{call.name}({args}) answered {call.error if call.error is not None else call.value!r}"


def found_wrong(refs: Refs, snapshot: Snapshot, *, drops: bool) -> Iterator[str]:
    """In what the store differs from what there should be. drops: whether changes under no branch's token count."""
    yield from _records(refs, snapshot)
    yield from _find_leftovers(refs, snapshot, drops=drops)


def _records(refs: Refs, snapshot: Snapshot) -> Iterator[str]:
    for commit_id, node in refs.commits.items():
        content = content_of_commit(snapshot, CommitID(commit_id))
        if content != dict(node.contents):  # None, where it cannot be read, differs from any contents
            yield f"commit {commit_id[:8]} has {content!r}, expected {dict(node.contents)!r}"
    found = {str(name): branch for (_, name), branch in branches(snapshot).items()}
    if found.keys() != refs.branches.keys():
        yield f"there are the branches {sorted(found)}, expected {sorted(refs.branches)}"
        return
    for name, head in refs.branches.items():
        branch = found[name]
        content = content_of_branch(snapshot, branch)
        if branch.commit_id != head.commit_id:
            yield f"{name} names {branch.commit_id[:8]}, expected {head.commit_id[:8]}"
        elif content != refs.shown(name):
            yield f"{name} has {content!r}, expected {refs.shown(name)!r}"
        # A merge or a revert would refuse such a branch, although nothing is uncommitted on it.
        elif head.clean and branch.sealed_tokens:
            yield f"{name} has no changes, and the sealed tokens {branch.sealed_tokens}"


def _find_leftovers(refs: Refs, snapshot: Snapshot, *, drops: bool) -> Iterator[str]:
    """What is left behind. drops: what is staged under no branch's token, and notes and locks, too."""
    owners = {token: name for (_, name), branch in branches(snapshot).items() for token in branch.tokens}
    clean = {name for name, head in refs.branches.items() if head.clean}
    staged_for = {keys.staging_partition(token): name for token, name in owners.items()}
    for (partition, key), record in snapshot.store.items():
        if isinstance(record, StagedEntry):
            owner = staged_for.get(partition)
            if owner in clean or (owner is None and drops):  # a branch that is not clean may have staged entries
                yield f"a change of {record.key!r} is left, and {owner or 'no branch'} has none"
        elif isinstance(record, bytes) and drops:  # what the key schema does not know: locks and notes
            yield f"{key!r} is left, which is no record"


def _find_dropped(refs: Refs, snapshot: Snapshot) -> Iterator[str]:
    """What was committed and is staged no more."""
    staged = {(record.key, record.identity) for record in snapshot.store.values() if isinstance(record, StagedEntry)}
    for commit_id, node in refs.commits.items():
        # Under any token: where a change was staged, the specification does not say.
        for path, identity in sorted(node.contents - staged):
            yield f"{identity!r} at {path!r}, which {commit_id[:8]} has, is not staged any more"
