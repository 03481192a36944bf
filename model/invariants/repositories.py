"""The repository invariants.

An *instance* is one life of a repository id; its unique identifier names it. An *accessible* repository is one whose
entry is ``active``. Source: the "repositories" rows of the invariants in docs/reference/invariants.md, and
repository-operations-error-handling.md, "Decision".

Example: a delete has read the entry of instance 1. Another delete and a create come between. Then the first one removes
the entry of instance 2, for which no delete was begun.

>>> at, more = (keys.GRAVELER, b"repos/r"), {"storage_namespace": "", "default_branch_id": "main", "creation_date": 0}
>>> before = Snapshot({at: Repository(repository_id="r", instance_uid="2", **more)}, {}, 0, ())
>>> delete = CallView(name="delete_repository", args=("r",), status=Status.PENDING, observed=(("target", "1"),))
>>> step = Transition(0, delete, kv.Delete(*at), None, before, Snapshot({}, {}, 0, ()))
>>> for each in delete_spares_successor.check(step): print(each.evidence)
a delete that had found instance 1 removed or hid r (active, instance 2)
"""

from collections.abc import Hashable, Iterator
from typing import Final

from lakeproof.model import calls, keys, kv
from lakeproof.model.calls import Role
from lakeproof.model.contents import entries
from lakeproof.model.identifiers import InstanceUID
from lakeproof.model.invariants._base import (
    STORE,
    STORE_AND_CLIENTS,
    Afterwards,
    Finding,
    Monitor,
    Observer,
    Reached,
    Violation,
    always,
    eventually,
    on_step,
)
from lakeproof.model.records import Branch, CleanupRecord, Commit, Record, Repository, RepositoryState, Tag
from lakeproof.model.snapshot import CallView, Event, Invoked, Observed, Outcome, Snapshot, Status, Transition

CREATING: Final = (calls.CREATE_REPOSITORY, calls.CREATE_BARE_REPOSITORY)
JOBS: Final = (calls.BACKGROUND_JOB, calls.MARK, calls.SWEEP, calls.RESTORE_REFS)
USING: Final = frozenset(kind for kind in calls.KINDS.values() if Role.REPOSITORY in kind.roles) - {
    *(*CREATING, *JOBS, calls.DELETE_REPOSITORY)
}
"""Operations that reach a repository when they succeed."""


def _target(seen: tuple[Observed, ...]) -> Hashable:
    """The instance in the first repository entry that a call has read."""
    # The first one: what the call has decided on, whatever it reads later.
    for effect in seen:
        if isinstance(effect.read, Repository):
            return effect.read.instance_uid
    return None


TARGET = Observer("target", _target)


def instance_of_token(partition: bytes) -> InstanceUID | None:
    """The instance that a staging token was made for: ``<repository>-<branch>:<instance>.<rest>``. None: no token."""
    # The last colon: what follows it in a token, instance and rest, has none.
    _, colon, rest = partition.decode("utf-8", "replace").rpartition(":")
    uid, dot, _ = rest.partition(".")
    return InstanceUID(uid) if colon and dot and uid else None


def owner(record: Record | bytes) -> InstanceUID | None:
    """The instance that a record was made for; None if it does not say."""
    match record:
        case Repository():
            return record.instance_uid
        case Commit():
            return InstanceUID(dict(record.metadata).get("instance", "")) or None
        case Branch():
            return instance_of_token(record.staging_token.encode())
        case Tag():  # of an initial commit: "c.<instance>"
            prefix, dot, uid = record.commit_id.partition(".")
            return InstanceUID(uid) if prefix == "c" and dot and uid else None
    return None


def owner_at(snapshot: Snapshot, address: kv.Address) -> InstanceUID | None:
    """The instance of what is at an address. A branch, commit or tag that does not say is of the instance that its
    partition names, by its uid or by its creation date: what users have committed and tagged."""
    record = snapshot.store[address]
    parsed = keys.parse(*address) if isinstance(record, Branch | Commit | Tag) else None
    whose = owner(record)
    if whose is not None or parsed is None or parsed.instance is None:
        return whose
    repository_id, named = parsed.instance
    same = [entry for entry in entries(snapshot) if entry.repository_id == repository_id]
    # Some variants name the partition by the creation date, which identifies the instance only through its entry.
    dated = (entry.instance_uid for entry in same if str(entry.creation_date) == named)
    return named if any(entry.instance_uid == named for entry in same) else next(dated, named)


def accessible(snapshot: Snapshot) -> Iterator[Repository]:
    """The repositories that can be reached."""
    return (entry for entry in entries(snapshot) if entry.state is RepositoryState.ACTIVE)


def leads(snapshot: Snapshot) -> frozenset[InstanceUID]:
    """The instances that an entry, in any state, or a cleanup record names."""
    noted = {each.instance_uid for each in snapshot.store.values() if isinstance(each, CleanupRecord)}
    return frozenset(noted | {entry.instance_uid for entry in entries(snapshot)})


def partitions(repository: Repository) -> tuple[bytes, ...]:
    """Where the entities of a repository are looked for: in the partition of its instance; in that of its id, which
    only the naive variant uses; and in that of its creation date, where the date stands for the identifier."""
    name, uid, created = repository.repository_id, repository.instance_uid, InstanceUID(str(repository.creation_date))
    return keys.repository_partition(name, uid), keys.naive_partition(name), keys.repository_partition(name, created)


def _claims(name: str, op: object) -> bool:
    puts = any(part == keys.GRAVELER and value is not None for part, _, value in kv.writes_of(op))
    return puts and calls.kind_of(name) in CREATING


@on_step(
    "of overlapping creates of an id at most one succeeds; none succeeds while the repository exists", watches=_claims
)
def create_is_unique(transition: Transition) -> Iterator[Finding]:
    before = {entry.repository_id: entry for entry in entries(transition.before)}
    after = {entry.repository_id: entry for entry in entries(transition.after)}
    for repository_id, entry in after.items():
        old = before.get(repository_id)
        # A free id, or no new instance: a claim that becomes active is not a second create.
        if old is None or old.instance_uid == entry.instance_uid:
            refused = isinstance(transition.reply, kv.PredicateFailed)
            if refused and old is not None:
                yield Reached(f"a create of {repository_id} found {_describe_entry(old)} and was refused")
            continue
        if old.state is RepositoryState.ACTIVE:  # claims and tombstones may be replaced
            evidence = f"{_describe_entry(entry)} took the place of {_describe_entry(old)}, which was accessible"
            yield Violation("create-is-unique", evidence)


@always("an accessible repository (unless bare) has its default branch, and that branch's commit, in its own partition")
def active_is_complete(snapshot: Snapshot) -> Iterator[Finding]:
    for repository in accessible(snapshot):
        if repository.bare:  # it begins without any branch
            continue
        lacks = _lacks(snapshot, repository)
        if lacks:
            yield Violation("active-is-complete", f"{_describe_entry(repository)} is accessible and lacks {lacks}")
        else:
            yield Reached(f"{_describe_entry(repository)} is accessible and complete")


def _lacks(snapshot: Snapshot, repository: Repository) -> str:
    # The partition of a repository r-1 without a uid would be that of the instance 1 of r.
    others = {partitions(each)[0] for each in entries(snapshot) if each.repository_id != repository.repository_id}
    # The first partition that has the branch: the commit must be in the same one.
    for partition in [each for each in partitions(repository) if each not in others]:
        branch = snapshot.store.get((partition, keys.branch_key(repository.default_branch_id)))
        if isinstance(branch, Branch):
            commit = snapshot.store.get((partition, keys.commit_key(branch.commit_id)))
            return "" if isinstance(commit, Commit) else f"the commit {branch.commit_id} of its default branch"
    return f"its default branch {repository.default_branch_id}"


@always("nothing reachable through an accessible repository belongs to another instance, past or failed")
def no_reachable_zombie(snapshot: Snapshot) -> Iterator[Finding]:
    for repository in accessible(snapshot):
        reachable = partitions(repository)
        for (partition, key), record in snapshot.store.items():
            for whose in _owners(record) if partition in reachable else ():
                if whose == repository.instance_uid:
                    yield Reached(f"{key.decode()} belongs to {_describe_entry(repository)}")
                else:
                    yield Violation(
                        "no-reachable-zombie",
                        f"{key.decode()} belongs to instance {whose} and is reachable through "
                        f"{_describe_entry(repository)}",
                    )


def _owners(record: Record | bytes) -> Iterator[InstanceUID]:
    """The instances that a record names. A branch shows what is under its sealed tokens, too."""
    if (whose := owner(record)) is not None:  # a record that does not say is no evidence
        yield whose
    for token in record.sealed_tokens if isinstance(record, Branch) else ():
        if (former := instance_of_token(token.encode())) not in (None, whose):
            yield former


def _advance_deleted(state: Hashable, event: Event) -> tuple[Hashable, tuple[Finding, ...]]:
    """State: the instances whose deletion was acknowledged, and for each reader under way those of its beginning."""
    assert isinstance(state, tuple)
    gone, readers = state
    if isinstance(event, Invoked):
        # What had been acknowledged when the reader began is what it must not reach; a later delete may overlap it.
        if event.kind in USING and gone:
            readers = readers | {((event.client, event.index), gone)}
        return (gone, readers), ()
    call = event.call
    if call.kind is calls.DELETE_REPOSITORY and call.status is Status.OK and call.saw("target") is not None:
        # By instance: a later create of the same id may be reached.
        return (gone | {call.saw("target")}, readers), ()
    if call.kind not in USING:
        return state, ()
    # Not by client alone: a reader that has crashed never returns, and its client may have begun another one since.
    ended = (event.client, event.index)
    known: frozenset[Hashable] = dict(readers).get(ended, frozenset())
    after = (gone, readers - {(ended, known)})
    if not known:
        return after, ()
    if call.status is Status.OK and call.saw("target") in known:
        evidence = (
            f"{_render_call(call)} succeeded on instance {call.saw('target')}, whose deletion had been acknowledged"
        )
        return after, (Violation("deleted-is-inaccessible", evidence),)
    return after, (Reached(f"{_render_call(call)} began after an acknowledged delete"),)


deleted_is_inaccessible = Monitor(
    id="deleted-is-inaccessible",
    meaning="after a delete has succeeded and until a new create, no operation reaches the repository or its entities",
    initial=(frozenset(), frozenset()),
    advance=_advance_deleted,
    observers=(TARGET,),
)


def _deletes(name: str, op: object) -> bool:
    return calls.kind_of(name) is calls.DELETE_REPOSITORY and (isinstance(op, kv.Get) or bool(kv.writes_of(op)))


@on_step(
    "a delete never removes, hides or damages a repository created after the one it targeted",
    watches=_deletes,
    observers=(TARGET,),
)
def delete_spares_successor(transition: Transition) -> Iterator[Finding]:
    target = transition.call.saw("target")
    if target is None:
        return
    # A successor's claim counts, too: a create that is under way would lose what it has written.
    in_use = {entry.instance_uid: entry for entry in entries(transition.before) if entry.state in IN_USE}
    for address, record in transition.before.store.items():
        successor = in_use.get(owner_at(transition.before, address) or InstanceUID(""))
        if successor is None or successor.instance_uid == target:
            continue
        if transition.after.store.get(address) == record:  # this effect left it as it was
            if isinstance(record, Repository):
                yield Reached(f"a delete of instance {target} left {_describe_entry(record)} alone")
            continue
        what = "" if isinstance(record, Repository) else f"{address[1].decode()} of "
        evidence = f"a delete that had found instance {target} removed or hid {what}{_describe_entry(successor)}"
        yield Violation("delete-spares-successor", evidence)


IN_USE: Final = (RepositoryState.ACTIVE, RepositoryState.INITIAL)


@eventually(
    "at quiescence, a create that returned success has happened, unless undone by a later delete",
    reads=STORE_AND_CLIENTS,
    observers=(TARGET,),
)
def create_is_effective(snapshot: Snapshot) -> Iterator[Finding]:
    present = {entry.instance_uid for entry in accessible(snapshot)}
    # Any delete that has found the instance, however it ended: in doubt, it may have taken effect; and after a false
    # predicate failure it answers with a definite error, although it has.
    undone = {call.saw("target") for call in snapshot.calls(calls.DELETE_REPOSITORY)}
    for call in snapshot.calls(*CREATING):
        if call.status is not Status.OK or not isinstance(call.value, Repository):
            continue
        if call.value.instance_uid in present | undone:
            yield Reached(
                f"{_render_call(call)} succeeded, and instance {call.value.instance_uid} is there or was deleted"
            )
        else:
            which = f"instance {call.value.instance_uid}, which no call deleted and no call can reach"
            evidence = f"{_render_call(call)} returned {which}"
            yield Violation("create-is-effective", evidence)


@eventually(
    "at quiescence, a delete that returned success has happened: its instance cannot be reached",
    reads=STORE_AND_CLIENTS,
    observers=(TARGET,),
)
def delete_is_effective(snapshot: Snapshot) -> Iterator[Finding]:
    present = {entry.instance_uid: entry for entry in accessible(snapshot)}
    for call in snapshot.calls(calls.DELETE_REPOSITORY):
        target = call.saw("target")
        if call.status is not Status.OK or not isinstance(target, str):
            continue
        if InstanceUID(target) in present:
            yield Violation(
                "delete-is-effective", f"{_render_call(call)} succeeded, and instance {target} is accessible"
            )
        else:
            yield Reached(f"{_render_call(call)} succeeded, and instance {target} is gone")


@always("listing never shows what get would refuse", reads=STORE_AND_CLIENTS)
def list_shows_active_only(snapshot: Snapshot) -> Iterator[Finding]:
    for call in snapshot.calls(calls.LIST_REPOSITORIES):
        if call.status is not Status.OK or not isinstance(call.value, tuple):
            continue
        for entry in call.value:
            if entry.state is not RepositoryState.ACTIVE:
                yield Violation("list-shows-active-only", f"{_render_call(call)} shows {_describe_entry(entry)}")
            else:
                yield Reached(f"{_render_call(call)} shows {_describe_entry(entry)}")


@eventually("every unreachable entity can still be found by the cleaner", reads=STORE)
def garbage_is_reclaimable(snapshot: Snapshot) -> Iterator[Finding]:
    known, live = leads(snapshot), {entry.instance_uid for entry in accessible(snapshot)}
    for partition, key in snapshot.store:
        # Entries and cleanup records are leads, and no entities.
        whose = owner_at(snapshot, (partition, key)) if partition not in (keys.GRAVELER, keys.DELETED) else None
        if whose is None or whose in live:
            continue
        if whose in known:
            yield Reached(f"{key.decode()} of instance {whose} is garbage and can be found")
        else:
            what = f"{partition.decode()} {key.decode()}"
            yield Violation("garbage-is-reclaimable", f"{what} is garbage that no entry and no record leads to")


def _cleans(name: str, op: object) -> bool:
    return calls.kind_of(name) is calls.CLEAN and bool(kv.writes_of(op))


@on_step("the cleaner never deletes an entity of an accessible repository", watches=_cleans)
def cleaner_spares_live(transition: Transition) -> Iterator[Finding]:
    live = {repository.instance_uid: repository for repository in accessible(transition.before)}
    # Not what the effect asks for: the key may be absent, and the effect may be refused.
    for address in sorted(transition.before.store.keys() - transition.after.store.keys()):
        whose = owner_at(transition.before, address)
        if whose in live:
            yield Violation(
                "cleaner-spares-live", f"the cleaner deleted {address[1].decode()} of {_describe_entry(live[whose])}"
            )
        else:
            yield Reached(f"the cleaner deleted {address[1].decode()} of instance {whose}")


ID_BECOMES_REUSABLE: Final = Afterwards(
    "id-becomes-reusable", "retrying the delete until it succeeds frees the id, whatever crashed before"
)


def id_becomes_reusable(outcomes: tuple[Outcome, ...], snapshot: Snapshot) -> list[Finding]:
    """Aftermath of some deletes and then one create: the create must succeed."""
    last = outcomes[-1]  # the create; a delete before it may answer that there is nothing left to delete
    if last.status is Status.OK:
        return [Reached("after the deletes the id could be used again")]
    left = ", ".join(_describe_entry(entry) for entry in entries(snapshot)) or "no entry"
    evidence = f"after {len(outcomes) - 1} deletes create failed with {last.error!r}: {left}"
    return [Violation(ID_BECOMES_REUSABLE.id, evidence)]


ALL = (
    create_is_unique,
    active_is_complete,
    no_reachable_zombie,
    deleted_is_inaccessible,
    delete_spares_successor,
    create_is_effective,
    delete_is_effective,
    list_shows_active_only,
    garbage_is_reclaimable,
    cleaner_spares_live,
)
"""All repository invariants but the aftermath, in the order of the design."""


def _describe_entry(entry: Repository) -> str:
    return f"{entry.repository_id} ({entry.state.name.lower()}, instance {entry.instance_uid})"


def _render_call(call: CallView) -> str:
    return f"{call.name}({', '.join(map(str, call.args))})"
