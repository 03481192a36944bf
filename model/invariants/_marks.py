"""What a call has left of its own in the records that others can reach: the ghost by which its effect is recognised.

A *mark* is a kind of effect and an identifier that one call alone can have brought, or taken away. A write that was
refused leaves none. One that was reported as failed may have taken place: it leaves one.
"""

from collections.abc import Hashable, Iterator
from enum import Enum
from typing import Final, cast

from lakeproof.model import keys, kv
from lakeproof.model.commits import ancestors
from lakeproof.model.contents import branches, commit_named
from lakeproof.model.identifiers import CommitID, StagingToken
from lakeproof.model.invariants._base import Observer
from lakeproof.model.invariants.repositories import accessible, partitions
from lakeproof.model.records import Branch, Commit, Repository, RepositoryState
from lakeproof.model.snapshot import CallView, Observed, Snapshot


class Mark(Enum):
    """The value: what a call that left it has done."""

    ACTIVATED = "made active"
    """A repository of this instance."""
    HID = "hid or removed"
    """The repository of this instance, which it had found active."""
    COMMITTED = "put on a branch"
    """The commit of this id."""
    BORN = "created"
    """The branch of this birth."""
    REMOVED = "removed"
    """The branch of this birth."""
    MOVED = "moved"
    """The branch with this staging token, to this commit."""
    RESET = "reset"
    """A branch, which got this staging token."""


Marks = frozenset[tuple[Mark, str]]


def _lineage(token: StagingToken) -> str:
    """What all tokens of a branch have in common, and those of others of its name only where tokens have a birth."""
    return token.rpartition(".")[0]  # a seal gives the branch another last part


def birth(token: StagingToken) -> str:
    """What tells branches of one name apart: a token is ``<repository>-<branch>:<instance>.<birth>.<unique>``. A token
    of the repository flows has no birth (``<instance>.<unique>``), and stands for itself."""
    lineage = _lineage(token)
    # Behind the last colon: a repository or branch id may contain dots.
    return lineage if "." in lineage.rpartition(":")[2] else token


def _marks(seen: tuple[Observed, ...]) -> Hashable:
    found: set[tuple[Mark, str]] = set()
    branches: dict[bytes, Branch] = {}
    instance = ""
    accessible = False
    made: set[CommitID] = set()
    for each in seen:
        # Only a get: a scan reads many branches, and says nothing of which one the call will write.
        if isinstance(each.read, Branch) and isinstance(each.op, kv.Get):
            branches[each.op.key] = each.read
        elif isinstance(each.read, Repository):
            instance = each.read.instance_uid
            accessible = each.read.state is RepositoryState.ACTIVE
        if isinstance(each.reply, kv.Refused):  # refused before it was done: no mark
            continue
        match each.op, each.written:
            # Also after a failed predicate: a retrying client library may report one that its own first attempt has
            # caused.
            case kv.Set() | kv.SetIf(), Commit():
                made.add(each.written.commit_id)
            case kv.Set() | kv.SetIf(), Repository():
                found.update(_of_repository(each.written, accessible=accessible))
            case kv.Set(_, key) | kv.SetIf(_, key), Branch():
                found.update(_of_branch(each.written, branches.get(key), made))
            # A delete says no instance: it is that of the entry which the call has read.
            case ((kv.Delete(keys.GRAVELER, _) | kv.DeleteIf(keys.GRAVELER, _)), _) if accessible:
                found.add((Mark.HID, instance))
            case ((kv.Delete(_, key) | kv.DeleteIf(_, key)), _) if key in branches:
                found.add((Mark.REMOVED, birth(branches[key].staging_token)))
            case kv.Transact(), _:
                raise TypeError("marks: the records of a transact are not observed; use an operation on one key")
    return frozenset(found)


def _describe_move(branch: Branch) -> str:
    return f"{branch.staging_token} to {branch.commit_id}"


def _of_repository(written: Repository, *, accessible: bool) -> Iterator[tuple[Mark, str]]:
    """accessible: whether the entry that was read was: there is nothing to hide of one that was not."""
    # INITIAL leaves no mark: a claim that is given up again can be reached by no call.
    if written.state is RepositoryState.ACTIVE:
        yield Mark.ACTIVATED, written.instance_uid
    elif written.state is not RepositoryState.INITIAL and accessible:
        yield Mark.HID, written.instance_uid


def _of_branch(written: Branch, before: Branch | None, made: set[CommitID]) -> Iterator[tuple[Mark, str]]:
    if not written.commit_id:  # a tombstone
        yield Mark.REMOVED, birth(written.staging_token)
    # In this order: a commit may also replace the token, and is then no reset.
    elif written.commit_id in made:
        yield Mark.COMMITTED, written.commit_id
    elif before is None or _lineage(written.staging_token) != _lineage(before.staging_token):
        yield Mark.BORN, birth(written.staging_token)
    elif written.staging_token != before.staging_token and written.sealed_tokens != before.tokens:
        yield Mark.RESET, written.staging_token  # a seal keeps all tokens
    elif written.staging_token == before.staging_token and written.commit_id != before.commit_id:
        yield Mark.MOVED, _describe_move(written)


MARKS: Final = Observer("marks", _marks)


def marks(call: CallView) -> Marks:
    """What a call has left, in a scenario with the observer `MARKS`."""
    found = call.saw(MARKS.name)
    return frozenset() if found is None else cast("Marks", found)


def line_of(snapshot: Snapshot, head: CommitID) -> frozenset[CommitID]:
    """The commits that a commit leads to, itself too, over all parents."""

    def parents(commit_id: CommitID) -> tuple[CommitID, ...]:
        commit = commit_named(snapshot, commit_id)
        return () if commit is None else commit.parents

    return ancestors([head], parents)


def present(snapshot: Snapshot) -> Marks:
    """The marks of all that can be reached through an active repository. HID and REMOVED stand for what is there, and
    so was not removed."""
    found: set[tuple[Mark, str]] = set()
    reachable: set[bytes] = set()
    for entry in accessible(snapshot):
        found.update({(Mark.ACTIVATED, entry.instance_uid), (Mark.HID, entry.instance_uid)})
        reachable.update(partitions(entry))
    for (partition, _), branch in branches(snapshot).items():
        if partition not in reachable:
            continue
        for born in map(birth, branch.tokens):  # a seal has replaced the first token
            found.update({(Mark.BORN, born), (Mark.REMOVED, born)})
        found.update((Mark.COMMITTED, each) for each in line_of(snapshot, branch.commit_id))
        # Also sealed ones: a commit that follows the reset seals the token that the reset had made.
        found.update((Mark.RESET, token) for token in branch.tokens)
        found.add((Mark.MOVED, _describe_move(branch)))
    return frozenset(found)


TAKEN_AWAY: Final = frozenset({Mark.HID, Mark.REMOVED})
"""Marks of what is not there any more when a call has left them."""
SHARED: Final = TAKEN_AWAY | {Mark.MOVED}
"""Marks of what several calls may have done: it counts for one alone if no other call has left the same."""
