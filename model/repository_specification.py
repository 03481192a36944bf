"""The sequential specification of repositories with all that is in them: the answers to a single client.

`replay_calls` takes calls one after the other. Each must answer with the error that the state calls for, by class, or
with just the record that the specification has; what a call mints, a later call must return. `find_differences` looks
what a store has, and the state that the calls lead to has not, or the other way round.

Example: a repository is created and deleted; then a second delete is acknowledged, which it must not be.

>>> entry = {"storage_namespace": "", "default_branch_id": "main", "creation_date": 0, "instance_uid": "u"}
>>> made = Repository(repository_id="r", **entry)
>>> created = CallView(name="create_repository", args=("r",), status=Status.OK, value=made)
>>> deleted = CallView(name="delete_repository", args=("r",), status=Status.OK)
>>> found = replay_calls(Living(rules=Rules(), now=0), [created])
>>> found.standing("r").name, dict(found.branches)  # None: no call has returned the branch yet
('ACTIVE', {('u', 'main'): None})
>>> try: replay_calls(found, [deleted, deleted])
... except Misanswered as error: print(error)
delete_repository(r) answered None; alone it answers RepositoryNotFound

Calls are those of `lakeproof.impl.repositories`. Where an id is neither free nor in use, and in what they leave of a
deleted repository, variants differ: `Rules`. Source: repository-operations-error-handling.md, "Solution", the flows of
each step and "Trash Cleaner"; graveler-on-kv.md, "Deleting a Repository".
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import pairwise
from types import MappingProxyType
from typing import Final

import attrs

from lakeproof.model import calls, keys
from lakeproof.model.calls import Kind, Role
from lakeproof.model.errors import BranchExists, BranchNotFound, NotUnique, RepositoryNotFound, TagExists
from lakeproof.model.identifiers import BranchID, CommitID, InstanceUID, RepositoryID, TagID
from lakeproof.model.records import Branch, CleanupRecord, Record, Repository, RepositoryState, Tag
from lakeproof.model.snapshot import CallView, Snapshot, Status
from lakeproof.model.solo import ANY, Misanswered, expect

CLAIM_LASTS: Final = 120_000_000
"""Microseconds: "declared failed after two minutes"."""


class Standing(Enum):
    """How it stands with an id."""

    FREE = "free"
    CLAIMED = "claimed"
    """Its creator has not confirmed it, and has time left."""
    ABANDONED = "abandoned"
    """Its creator has not confirmed it for two minutes."""
    DELETING = "deleting"
    ACTIVE = "active"


class Leaves(Enum):
    """What a delete leaves of a repository."""

    NOTHING = "nothing"
    A_RECORD = "a record"
    """One record and the entities, until the cleaner has run."""
    A_TOMBSTONE = "a tombstone"
    """The entry as a tombstone; the record, which is there from the creation on; the entities, until the cleaner has
    run."""


@attrs.frozen(kw_only=True)
class Rules:
    """What a variant answers where an id is neither free nor in use. What is not named is done."""

    leaves: Leaves = Leaves.NOTHING
    refuses: Mapping[tuple[Kind, Standing], type[Exception]] = MappingProxyType({})
    """Beside what all variants refuse: see `_REFUSED`. `GET_REPOSITORY` stands for all that reach the repository."""
    settles: frozenset[Kind] = frozenset()
    """The calls that find out what has become of one write without an answer: they do not answer indefinitely."""
    declares: frozenset[Kind] = frozenset()
    """The calls that turn an abandoned claim into a repository that is being deleted."""


_REFUSED: Final[Mapping[tuple[Kind, Standing], type[Exception]]] = {
    (calls.GET_REPOSITORY, Standing.FREE): RepositoryNotFound,
    (calls.DELETE_REPOSITORY, Standing.FREE): RepositoryNotFound,
    (calls.CREATE_REPOSITORY, Standing.ACTIVE): NotUnique,
}
_CREATING: Final = (calls.CREATE_REPOSITORY, calls.CREATE_BARE_REPOSITORY)


@attrs.frozen(kw_only=True)
class Living:
    """All repositories, and what is left of those that were. ``now``: the clock, microseconds."""

    rules: Rules
    now: int
    entries: Mapping[RepositoryID, Repository] = MappingProxyType({})
    branches: Mapping[tuple[InstanceUID, BranchID], Branch | None] = MappingProxyType({})
    """None: it is there, and no call has returned it yet."""
    tags: Mapping[tuple[InstanceUID, TagID], Tag] = MappingProxyType({})
    dead: frozenset[InstanceUID] = frozenset()
    """Instances that the cleaner is to see to."""
    noted: frozenset[tuple[RepositoryID, InstanceUID]] = frozenset()
    """Instances that have a record."""
    named: frozenset[CommitID] = frozenset()
    """The commits that calls have named for a branch: no call checks that they are there."""

    def standing(self, repository_id: RepositoryID) -> Standing:
        """How it stands with an id."""
        entry = self.entries.get(repository_id)
        if entry is None or entry.state is RepositoryState.DELETED:
            return Standing.FREE
        if entry.state is RepositoryState.INITIAL:
            return Standing.CLAIMED if self.now - entry.creation_date < CLAIM_LASTS else Standing.ABANDONED
        return Standing.ACTIVE if entry.state is RepositoryState.ACTIVE else Standing.DELETING

    def with_entry(self, entry: Repository) -> "Living":
        """With an entry of this id, in place of another."""
        return attrs.evolve(self, entries={**self.entries, entry.repository_id: entry})


class Unsettled(Exception):
    """The state is unknown: the specification allows several."""


def replay_calls(state: Living, made: Sequence[CallView]) -> Living:
    """The state after these calls of one client.

    Raises:
        Misanswered: names the call, its answer, and what was expected.
        Unsettled: a call has answered indefinitely, and may.
    """
    for call in made:
        # The specification follows one state. A call in doubt leaves two, and the scenario is not judged.
        if call.status is Status.INFO and call.kind not in state.rules.settles:
            raise Unsettled(f"{call.name} answered {call.error!r}")
        state = _after(state, call)
    return state


def _after(state: Living, call: CallView) -> Living:
    kind = call.kind
    if kind is None and isinstance(call.value, Repository):  # what a scenario has put there by itself
        return _put_there(state, call.value)
    if kind is calls.LIST_REPOSITORIES:
        shown = (entry for _, entry in sorted(state.entries.items()) if entry.state is RepositoryState.ACTIVE)
        expect(call, value=tuple(shown))
        return state
    if kind is calls.CLEAN:
        return _apply_cleanup(state, call)
    repository_id = RepositoryID(str(call.args[0]))
    standing = state.standing(repository_id)
    # Rules name three kinds: all calls that reach a repository are refused alike.
    family = kind if kind is calls.DELETE_REPOSITORY else calls.CREATE_REPOSITORY if kind in _CREATING else _REACHING
    refusal = {**_REFUSED, **state.rules.refuses}.get((family, standing))
    # Also where the call is refused then: to find out that the claim has run out is what changes the entry.
    if standing is Standing.ABANDONED and family in state.rules.declares:
        state = state.with_entry(attrs.evolve(state.entries[repository_id], state=RepositoryState.DELETING))
    if refusal is not None:
        expect(call, error=refusal.__name__)
        return state
    if family is calls.DELETE_REPOSITORY:
        expect(call, value=None)
        return _add_deleted(state, state.entries[repository_id])
    return _apply_create(state, call) if family is calls.CREATE_REPOSITORY else _within(state, call, repository_id)


_REACHING: Final = calls.GET_REPOSITORY


def _put_there(state: Living, entry: Repository) -> Living:
    found = _add_instance(state, entry)
    if entry.state is RepositoryState.DELETED:  # its delete has stopped, and the entry is gone
        return _add_note(found, entry)
    found = found.with_entry(entry)
    return _add_note(found, entry) if state.rules.leaves is Leaves.A_TOMBSTONE else found


def _apply_create(state: Living, call: CallView) -> Living:
    expect(call)
    made = call.value
    bare = call.kind is calls.CREATE_BARE_REPOSITORY
    if not isinstance(made, Repository) or made.repository_id != call.arguments[Role.REPOSITORY]:
        raise Misanswered(f"{call.name} returned {made!r}; expected the repository")
    plain = (made.state, made.bare, made.creation_date)
    if plain != (RepositoryState.ACTIVE, bare, state.now):
        raise Misanswered(f"{call.name} returned {plain}; expected an active one, bare={bare}, of {state.now}")
    old = state.entries.get(made.repository_id)
    # A claim or a tombstone was replaced: its instance can only be reached by the cleaner now.
    if old is not None:
        state = attrs.evolve(state, dead=state.dead | {old.instance_uid})
    state = state.with_entry(made)
    if state.rules.leaves is Leaves.A_TOMBSTONE:
        state = _add_note(state, made)
    return state if bare else _add_instance(state, made)


def _add_instance(state: Living, made: Repository) -> Living:
    return attrs.evolve(state, branches={**state.branches, (made.instance_uid, made.default_branch_id): None})


def _add_note(state: Living, made: Repository) -> Living:
    return attrs.evolve(state, noted=state.noted | {(made.repository_id, made.instance_uid)})


def _add_deleted(state: Living, entry: Repository) -> Living:
    if state.rules.leaves is Leaves.A_TOMBSTONE:
        state = state.with_entry(attrs.evolve(entry, state=RepositoryState.DELETED))
    else:
        kept = {name: each for name, each in state.entries.items() if name != entry.repository_id}
        state = attrs.evolve(state, entries=kept)
    if state.rules.leaves is Leaves.NOTHING:
        return _clear_records(state, frozenset({entry.instance_uid}))
    return attrs.evolve(_add_note(state, entry), dead=state.dead | {entry.instance_uid})


def _clear_records(state: Living, uids: frozenset[InstanceUID]) -> Living:
    return attrs.evolve(
        state,
        branches={at: each for at, each in state.branches.items() if at[0] not in uids},
        tags={at: each for at, each in state.tags.items() if at[0] not in uids},
    )


def _apply_cleanup(state: Living, call: CallView) -> Living:
    if state.rules.leaves is not Leaves.A_TOMBSTONE:
        expect(call, value=len(state.noted))  # the records are the cleaner's list of work
        return attrs.evolve(_clear_records(state, frozenset(uid for _, uid in state.noted)), noted=frozenset())
    # The cleaner of this variant declares an abandoned claim deleted, and empties it in the same run.
    for repository_id, entry in tuple(state.entries.items()):
        if state.standing(repository_id) is Standing.ABANDONED:
            state = _add_deleted(state, entry)
    # A record is there from the creation on: alone it says nothing.
    expect(call, value=len({uid for _, uid in state.noted} & state.dead))
    return _clear_records(state, state.dead)


def _within(state: Living, call: CallView, repository_id: RepositoryID) -> Living:
    """An operation in a repository that is there."""
    entry = state.entries[repository_id]
    main = entry.instance_uid, entry.default_branch_id
    if call.kind is calls.GET_REPOSITORY:
        expect(call, value=entry)
    elif call.kind is None:  # a scenario's own call: a branch at a commit that it names
        return _branch_at(state, call, entry)
    # A bare repository: both begin at the default branch, which is not there.
    elif call.kind in (calls.CREATE_BRANCH, calls.CREATE_TAG) and main not in state.branches:
        expect(call, error=BranchNotFound.__name__)
    elif call.kind is calls.CREATE_TAG:
        return _apply_tag(state, call, entry)
    else:
        return _on_branch(state, call, (entry.instance_uid, BranchID(call.arguments.branch_id)), main)
    return state


def _branch_at(state: Living, call: CallView, entry: Repository) -> Living:
    expect(call)
    branch_id, commit_id = BranchID(str(call.args[1])), CommitID(str(call.args[2]))
    if not isinstance(call.value, Branch) or (call.value.branch_id, call.value.commit_id) != (branch_id, commit_id):
        raise Misanswered(f"{call.name} returned {call.value!r}; expected branch {branch_id} at {commit_id}")
    there = {**state.branches, (entry.instance_uid, branch_id): call.value}
    return attrs.evolve(state, branches=there, named=state.named | {commit_id})


def _on_branch(
    state: Living, call: CallView, at: tuple[InstanceUID, BranchID], main: tuple[InstanceUID, BranchID]
) -> Living:
    there = at in state.branches
    if call.kind is calls.DELETE_BRANCH:
        if at == main:
            expect(call, error="DefaultBranch")
            return state
        expect(call, value=None)
        return attrs.evolve(state, branches={key: each for key, each in state.branches.items() if key != at})
    # A create is refused where the branch is there, any other call where it is not.
    if there is (call.kind is calls.CREATE_BRANCH):
        expect(call, error=(BranchExists if there else BranchNotFound).__name__)
        return state
    known = state.branches.get(at)
    expect(call, value=ANY if known is None else known)  # the first call that returns a branch decides what it is
    if not isinstance(call.value, Branch) or call.value.branch_id != at[1]:
        raise Misanswered(f"{call.name} returned {call.value!r}; expected branch {at[1]}")
    return attrs.evolve(state, branches={**state.branches, at: call.value})


def _apply_tag(state: Living, call: CallView, entry: Repository) -> Living:
    at = entry.instance_uid, TagID(str(call.arguments[Role.TAG]))
    if at in state.tags:
        expect(call, error=TagExists.__name__)
        return state
    expect(call)
    if not isinstance(call.value, Tag) or call.value.tag_id != at[1]:
        raise Misanswered(f"{call.name} returned {call.value!r}; expected tag {at[1]}")
    return attrs.evolve(state, tags={**state.tags, at: call.value})


Owner = Callable[[Record | bytes], InstanceUID | None]
_Place = tuple[InstanceUID | None, bytes]
"""Whose an entity is, and its key."""


def find_differences(state: Living, snapshot: Snapshot, owner: Owner) -> Iterator[str]:
    """In what a store differs from the state. owner: whose a record is."""
    wanted: dict[tuple[bytes, bytes], object] = {
        (keys.GRAVELER, keys.repository_key(name)): entry for name, entry in state.entries.items()
    }
    for name, uid in state.noted:
        note = CleanupRecord(repository_id=name, instance_uid=uid)
        wanted[keys.DELETED, keys.cleanup_key(name, uid)] = note
    entities: dict[_Place, Record | bytes] = {}
    for (partition, key), stored in snapshot.store.items():
        if partition not in (keys.GRAVELER, keys.DELETED):
            # By owner and key, and not by partition: variants differ in where they keep what belongs to an instance.
            entities[owner(stored), key] = stored
        elif wanted.get((partition, key)) != stored:
            yield f"{key.decode()} holds {stored!r}; expected {wanted.get((partition, key))!r}"
    yield from (f"{key.decode()} is missing" for partition, key in wanted.keys() - snapshot.store.keys())
    yield from _differ(_entities(state, entities), entities)


def _entities(state: Living, found: Mapping[_Place, Record | bytes]) -> dict[_Place, Record | None]:
    """The entities that there are to be, by owner and key; None: whatever it says."""
    wanted: dict[_Place, Record | None] = {}
    for (uid, branch_id), branch in state.branches.items():
        wanted[uid, keys.branch_key(branch_id)] = branch
        stored = found.get((uid, keys.branch_key(branch_id)))
        # An initial commit is made by the creation: its content is not specified, only that it is there.
        if isinstance(stored, Branch) and stored.commit_id not in state.named:
            wanted[uid, keys.commit_key(stored.commit_id)] = None
    for (uid, tag_id), tag in state.tags.items():
        wanted[uid, keys.tag_key(tag_id)] = tag
    return wanted


def _differ(
    wanted: Mapping[_Place, Record | None],
    found: Mapping[_Place, Record | bytes],
) -> Iterator[str]:
    for at, stored in found.items():
        if at not in wanted:
            yield f"{at[1].decode()} of instance {at[0]} is left behind"
        elif wanted[at] not in (None, stored):
            yield f"{at[1].decode()} holds {stored!r}; expected {wanted[at]!r}"
    for at in wanted:
        if at not in found:
            yield f"{at[1].decode()} of instance {at[0]} is missing"
    # Branches of an instance are all created at its initial commit: two would mean that a creation ran twice.
    commits = sorted((str(uid), key) for uid, key in wanted if key.startswith(keys.COMMITS_PREFIX))
    for (uid, first), (other, second) in pairwise(commits):
        if uid == other:
            yield f"{first.decode()} and {second.decode()} of instance {uid}: expected one initial commit"
