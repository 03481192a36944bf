"""What a deleted repository leaves behind beside its records: staged entries, and the objects of users.

Staged entries lie in the partition of their staging token, which no scan of a repository shows; objects lie in the
storage namespace, which all instances of an id share. So a cleaner finds an entry only by its token, and an object only
by an entry, or by an address that names the instance (``data/<instance>/...``). Metaranges and ranges are not judged:
their address is their content, and instances of one namespace share them.

Example: x is staged on main of the instance u1, which has no entry any more. Only a cleanup record leads to its branch,
the branch to the token, and the token to x.

>>> instance_of_token(b"r-main:u1.t"), instance_of_address("mem://r/data/u1/a"), instance_of_address("mem://r/data/a")
('u1', 'u1', None)
>>> main = Branch(branch_id="main", commit_id="c", staging_token="r-main:u1.t")
>>> x = StagedEntry(key=b"x", identity=b"1", data=b"")
>>> store = {(b"r-u1", b"branches/main"): main, (b"r-main:u1.t", b"key/x"): x}
>>> dict(left_behind(Snapshot(store, {}, 0, ())).staged)
{(b'r-main:u1.t', b'key/x'): False}
>>> note = {(keys.DELETED, b"repo/r/u1"): CleanupRecord(repository_id="r", instance_uid="u1")}
>>> dict(left_behind(Snapshot(store | note, {}, 0, ())).staged)
{(b'r-main:u1.t', b'key/x'): True}

Source: graveler-on-kv.md, "Deleting a Repository"; hard-delete-uncommitted-data.md, "5. No Copies", "Delete - repo".
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

import attrs

from lakeproof.model import calls, keys, kv, objects
from lakeproof.model.catalog import DATA_PREFIX
from lakeproof.model.contents import entries
from lakeproof.model.identifiers import BranchID, InstanceUID, RepositoryID, StorageNamespace
from lakeproof.model.invariants._base import (
    STORES,
    Afterwards,
    Eventually,
    Finding,
    Reached,
    Violation,
    eventually,
    on_step,
)
from lakeproof.model.invariants.repositories import accessible, instance_of_token, partitions
from lakeproof.model.records import Branch, CleanupRecord, Record, Repository, RepositoryState, StagedEntry
from lakeproof.model.references import RepositoryView, repositories, views_of
from lakeproof.model.snapshot import Outcome, Snapshot, Status, Transition

_DATA: Final = f"/{DATA_PREFIX}"


def instance_of_address(address: str) -> InstanceUID | None:
    """The instance that a physical address names: ``<namespace>/data/<instance>/<rest>``, or a staging token in the
    place of the instance. None where it names none. A namespace may have a folder ``data``, too."""
    _, _, relative = address.rpartition(_DATA)
    first, slash, rest = relative.partition("/")
    if not slash or not first or not rest:
        return None
    return instance_of_token(first.encode()) or InstanceUID(first)


@attrs.frozen
class Left:
    """Of one snapshot, what belongs to no accessible repository, and what of it a cleaner can find."""

    staged: Mapping[kv.Address, bool]
    """Staged entries; whether a branch or a note of a known instance names their token."""
    data: Mapping[str, bool]
    """Objects of users, by physical address; whether a known instance leads to them."""


def left_behind(snapshot: Snapshot) -> Left:
    """What is left of instances that are not accessible.

    An instance is *known* by a repository entry, in any state, or by a cleanup record. An object is known by its
    address, or by an entry, staged or committed, of a known instance. One that nothing refers to and whose address
    names no instance counts as left behind only where no accessible repository has its namespace.
    """
    live = {entry.instance_uid for entry in accessible(snapshot)}
    known = _known_instances(snapshot)
    # A chain that a cleaner can follow: from entry or record to the partition, to a branch or a note, to the token.
    tokens = _tokens(snapshot, {partition for each in known for partition in partitions(each)})
    staged = {
        at: at[0] in tokens
        for at, record in snapshot.store.items()
        # What is staged under an old token of a live instance is the concern of its background job.
        if isinstance(record, StagedEntry) and (uid := instance_of_token(at[0])) is not None and uid not in live
    }
    return Left(staged, _data_left(snapshot, known, live, staged))


def _known_instances(snapshot: Snapshot) -> list[Repository]:
    """The known instances. A cleanup record says no namespace: it is that of its id's entry; where there is none, any
    in which there are objects."""
    # Where the entry has gone, so has the namespace: each one that has objects is tried.
    found = {entry.instance_uid: entry for entry in entries(snapshot)}
    spaces = {entry.repository_id: [entry.storage_namespace] for entry in found.values()}
    seen = sorted({StorageNamespace(each.rpartition(_DATA)[0]) for each in snapshot.objects if _DATA in each})
    recorded = [record for record in snapshot.store.values() if isinstance(record, CleanupRecord)]
    gone = [
        _deleted_repository(record.repository_id, record.instance_uid, space)
        for record in recorded
        if record.instance_uid not in found
        for space in spaces.get(record.repository_id) or seen or [StorageNamespace("")]
    ]
    return [*found.values(), *gone]


def _deleted_repository(repository_id: RepositoryID, uid: InstanceUID, space: StorageNamespace) -> Repository:
    return Repository(
        repository_id=repository_id,
        storage_namespace=space,
        default_branch_id=BranchID("main"),
        creation_date=0,
        state=RepositoryState.DELETED,
        instance_uid=uid,
    )


def _tokens(snapshot: Snapshot, within: set[bytes]) -> set[bytes]:
    """The tokens that branches and notes in these partitions name."""
    found: set[bytes] = set()
    for (partition, key), record in snapshot.store.items():
        if partition not in within:
            continue
        if isinstance(record, Branch):
            found.update(token.encode() for token in record.tokens)
        elif key.startswith(keys.NOTED_TOKENS_PREFIX):
            found.add(key.removeprefix(keys.NOTED_TOKENS_PREFIX))  # the token is in the key, whatever the note says
    return found


def _data_left(
    snapshot: Snapshot, known: list[Repository], live: set[InstanceUID], staged: Mapping[kv.Address, bool]
) -> dict[str, bool]:
    data = [address for address in snapshot.objects if _DATA in address]
    if not data:  # the views below decode every commit
        return {}
    views = views_of(snapshot, known)
    used, led = set[str](), set[str]()
    for view in views:
        (used if view.repository.instance_uid in live else led).update(_referenced_addresses(view))
    occupied = {view.namespace for view in views if view.repository.instance_uid in live}
    spaces = sorted({address.rpartition(_DATA)[0] for address in data})
    for at, found in staged.items():
        record = snapshot.store[at]
        assert isinstance(record, StagedEntry)
        if found:
            led |= {each for space in spaces for each in RepositoryView.addresses_of(StorageNamespace(space), record)}
    left: dict[str, bool] = {}
    for address in data:
        uid = instance_of_address(address)
        if address in used or uid in live:  # an accessible repository answers for it
            continue
        # An address that names its instance needs no entry: a cleaner can list by prefix.
        named = any(uid == each.instance_uid for each in known)
        if named or address in led:
            left[address] = True
        # In an accessible repository's namespace it may be that one's garbage, unless a lost entry refers to it.
        elif uid is not None or address.rpartition(_DATA)[0] not in occupied or _is_lost(snapshot, address, staged):
            left[address] = False
    return left


def _referenced_addresses(view: RepositoryView) -> Iterator[str]:
    """All that the entries of an instance refer to, staged under any token of a branch, or committed."""
    for branch_id in view.branches:
        yield from (each.address for each in view.owned_references(branch_id))
    for commit_id in view.commits:
        yield from (each.address for each in view.committed(commit_id) or ())


def _is_lost(snapshot: Snapshot, address: str, staged: Mapping[kv.Address, bool]) -> bool:
    """Whether an entry that nothing leads to refers to an object."""
    space = StorageNamespace(address.rpartition(_DATA)[0])
    lost: list[Record | bytes] = [snapshot.store[at] for at, found in staged.items() if not found]
    return any(address in RepositoryView.addresses_of(space, each) for each in lost if isinstance(each, StagedEntry))


@eventually(
    "at quiescence, each staged entry and each object of a repository that was deleted can still be found: "
    "from the repository's entry or cleanup record, over a branch or a note that names the staging token, and over an "
    "entry that refers to the object, or an address that names the instance",
    reads=STORES,
)
def deleted_data_is_reclaimable(snapshot: Snapshot) -> Iterator[Finding]:
    name, left = "deleted-data-is-reclaimable", left_behind(snapshot)
    yield from _staged_entries(name, left)
    yield from _objects(name, left)
    # A deletion that leaves nothing is a situation, too: without it the verdict would be inconclusive.
    if not left.staged and not left.data and not list(accessible(snapshot)):
        yield Reached("the repository is not there, and nothing of its data is")


def _staged_entries(name: str, left: Left) -> Iterator[Finding]:
    for (partition, key), found in sorted(left.staged.items()):
        what = f"{key.decode('utf-8', 'replace')} is staged under {partition.decode()}, whose repository is not there"
        if found:
            yield Reached(f"{what}, and the token is known")
        else:
            yield Violation(name, f"{what}, and no branch and no note names the token")


def _objects(name: str, left: Left) -> Iterator[Finding]:
    for address, found in sorted(left.data.items()):
        if found:
            yield Reached(f"{address} is left of a repository that is not there, and can be found")
        else:
            yield Violation(name, f"{address} is left of a repository that is not there, and nothing leads to it")


def _of_a_kind(name: str, what: str, judge: Callable[[str, Left], Iterator[Finding]]) -> Eventually:
    def check(snapshot: Snapshot) -> Iterator[Finding]:
        yield from judge(name, left_behind(snapshot))
        yield Reached(f"each {what} that is left can be found")

    meaning = f"at quiescence, each {what} of a repository that was deleted can still be found"
    return Eventually(id=name, meaning=meaning, check=check, reads=STORES)


OF_A_KIND: Final[Mapping[str, Eventually]] = {
    name: _of_a_kind(name, what, judge)
    for name, what, judge in (
        ("staged-entries-are-reclaimable", "staged entry", _staged_entries),
        ("objects-are-reclaimable", "object", _objects),
    )
}
"""The narrower sisters of `deleted-data-is-reclaimable`, by id."""

DELETED_DATA_IS_RECLAIMED: Final = Afterwards(
    "deleted-data-is-reclaimed",
    "after one more run of the cleaner no staged entry and no object of a deleted repository is left",
)


def deleted_data_is_reclaimed(outcomes: tuple[Outcome, ...], snapshot: Snapshot) -> list[Finding]:
    """Aftermath of one run of the cleaner, when claims have run out."""
    last = outcomes[-1]
    if last.status is not Status.OK:
        return [Violation(DELETED_DATA_IS_RECLAIMED.id, f"the cleaner fails with {last.error!r}")]
    left = left_behind(snapshot)
    for partition, key in sorted(left.staged):
        what = f"{key.decode('utf-8', 'replace')} under {partition.decode()}"
        return [Violation(DELETED_DATA_IS_RECLAIMED.id, f"the cleaner left {what}, whose repository is not there")]
    for address in sorted(left.data):
        return [Violation(DELETED_DATA_IS_RECLAIMED.id, f"the cleaner left {address}, whose repository is not there")]
    return [Reached("the cleaner left no data of a deleted repository")]


def _deletes(name: str, op: object) -> bool:
    removes = isinstance(op, objects.DeleteObject) or any(value is None for _, _, value in kv.writes_of(op))
    return removes and calls.kind_of(name) in (calls.CLEAN, calls.DELETE_REPOSITORY)


@on_step(
    "neither the deletion of a repository nor the cleaner deletes a staged entry of an accessible repository, "
    "or an object that an entry of one refers to",
    watches=_deletes,
)
def deletion_spares_live_data(transition: Transition) -> Iterator[Finding]:
    name, before, after = "deletion-spares-live-data", transition.before, transition.after
    live = {entry.instance_uid for entry in accessible(before)}
    for partition, key in sorted(before.store.keys() - after.store.keys()):
        if not isinstance(before.store[partition, key], StagedEntry):
            continue
        uid = instance_of_token(partition)
        if uid in live:
            yield Violation(name, f"{key.decode()} under {partition.decode()} was deleted, of instance {uid}")
        else:
            yield Reached(f"a staged entry of instance {uid} was deleted")
    # Not what the effect asks for: a condition may have refused it.
    for address in sorted(before.objects.keys() - after.objects.keys()):
        users = [view for view in repositories(before) if view.repository.instance_uid in live]
        whose = [view.repository.instance_uid for view in users if address in set(_referenced_addresses(view))]
        if whose:
            yield Violation(name, f"{address} was deleted, and an entry of instance {whose[0]} refers to it")
        else:
            yield Reached(f"{address} was deleted, and no accessible repository refers to it")
