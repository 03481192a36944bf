"""Who refers to which object: staged and committed entries, as a snapshot shows them.

An entry refers to the object at its physical address. *Staged* references are those that a branch shows: the newest
change of a path under its tokens. *Committed* ones are those of a commit's metarange. Entries without an address (not
written by a catalog) refer to nothing.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache

import attrs

from lakeproof.model import keys
from lakeproof.model.catalog import DATA_PREFIX, ObjectEntry, decode_object_entry, is_inside, physical_address
from lakeproof.model.commits import ancestors
from lakeproof.model.committed import MalformedObject, decode_meta_range, decode_range, object_address
from lakeproof.model.contents import entries
from lakeproof.model.identifiers import BranchID, CommitID, StagingToken, StorageNamespace
from lakeproof.model.objects import Objects
from lakeproof.model.records import Branch, Commit, Record, Repository, RepositoryState, StagedEntry, Tag
from lakeproof.model.snapshot import Snapshot


@attrs.frozen(cache_hash=True)
class Reference:
    """An entry at a path that refers to an object."""

    path: bytes
    address: str  # physical
    entry: ObjectEntry


@attrs.frozen
class RepositoryView:
    """What a store holds of one repository, sorted out."""

    repository: Repository
    branches: Mapping[BranchID, Branch]
    tags: Mapping[str, Tag]
    commits: Mapping[CommitID, Commit]
    staged: Mapping[StagingToken, Mapping[bytes, StagedEntry]]
    """By token and path; tokens of all repositories."""
    objects: Objects

    @property
    def namespace(self) -> StorageNamespace:
        return self.repository.storage_namespace

    def reachable(self) -> frozenset[CommitID]:
        """The commits that branches and tags lead to, over all parents; those, too, that are missing."""
        # A missing commit is reachable: `committed` reports it.
        heads = [branch.commit_id for branch in self.branches.values()] + [tag.commit_id for tag in self.tags.values()]
        return ancestors(heads, lambda each: self.commits[each].parents if each in self.commits else ())

    def committed(self, commit_id: CommitID) -> tuple[Reference, ...] | None:
        """The references of a commit; None if it, its metarange, or a range of it, is missing or malformed."""
        commit = self.commits.get(commit_id)
        if commit is None:
            return None
        if not commit.meta_range_id:
            return ()
        found: list[Reference] = []
        try:
            for info in decode_meta_range(self._content(commit.meta_range_id)):
                found.extend(_of_range(self.namespace, self._content(info.range_id)))
        except (KeyError, MalformedObject):
            return None
        return tuple(found)

    def _content(self, object_id: str) -> bytes:
        return self.objects[object_address(self.namespace, object_id)].content

    def shown(self, branch_id: BranchID) -> dict[bytes, StagedEntry]:
        """The newest change of each path under the tokens of a branch, tombstones included."""
        branch = self.branches[branch_id]
        found: dict[bytes, StagedEntry] = {}
        # Oldest first: a newer change of a path replaces an older one.
        for token in reversed(branch.tokens):
            found.update(self.staged.get(token, {}))
        return found

    def staged_references(self, branch_id: BranchID) -> tuple[Reference, ...]:
        """What a branch shows of its staged entries."""
        changes = self.shown(branch_id).values()
        return tuple(each for change in changes for each in _of_change(self.namespace, change))

    def visible(self, branch_id: BranchID) -> dict[bytes, Reference]:
        """What a branch shows, by path: its staged references, over the committed ones of paths without a change."""
        changed = self.shown(branch_id)
        committed = self.committed(self.branches[branch_id].commit_id) or ()
        found = {each.path: each for each in committed if each.path not in changed}
        return found | {each.path: each for each in self.staged_references(branch_id)}

    def owned_references(self, branch_id: BranchID) -> tuple[Reference, ...]:
        """All staged entries under the tokens of a branch, also those that a newer one hides."""
        branch = self.branches[branch_id]
        return tuple(
            each
            for token in branch.tokens
            for change in self.staged.get(token, {}).values()
            for each in _of_change(self.namespace, change)
        )

    def data(self) -> set[str]:
        """The addresses of the objects of users in the namespace."""
        # Ranges and metaranges lie in the namespace, too, and are not users' objects.
        prefix = f"{self.namespace}/{DATA_PREFIX}"
        return {address for address in self.objects if address.startswith(prefix)}

    @staticmethod
    def addresses_of(namespace: StorageNamespace, change: StagedEntry) -> tuple[str, ...]:
        """The physical address that a staged change refers to, in a namespace; none of a tombstone."""
        return tuple(each.address for each in _of_change(namespace, change))

    def inside(self, reference: Reference) -> bool:
        """Whether the object is lakeFS' own."""
        return is_inside(self.namespace, reference.address)


def repositories(snapshot: Snapshot) -> list[RepositoryView]:
    """The repositories of a store, each with what is in its partition."""
    return views_of(snapshot, entries(snapshot))


def living(snapshot: Snapshot) -> list[RepositoryView]:
    """The repositories that are no tombstones: their data is to be kept. That of a dead instance has no owner."""
    return [view for view in repositories(snapshot) if view.repository.state is not RepositoryState.DELETED]


def views_of(snapshot: Snapshot, found: Iterable[Repository]) -> list[RepositoryView]:
    """What is in the partitions of these instances, accessible or not."""
    staged: dict[StagingToken, dict[bytes, StagedEntry]] = {}
    by_partition: dict[bytes, list[Record]] = {}
    for (partition, _), record in snapshot.store.items():
        if isinstance(record, StagedEntry):
            # By the partition: staged entries lie under their token, and not under their repository.
            staged.setdefault(StagingToken(partition.decode("utf-8", "replace")), {})[record.key] = record
        elif not isinstance(record, bytes | Repository):
            by_partition.setdefault(partition, []).append(record)
    views = []
    for repository in found:
        partition = keys.repository_partition(repository.repository_id, repository.instance_uid)
        # By instance, and not by id: what a former instance has left has no view.
        own = by_partition.get(partition, [])
        views.append(
            RepositoryView(
                repository,
                {record.branch_id: record for record in own if isinstance(record, Branch) and record.commit_id},
                {record.tag_id: record for record in own if isinstance(record, Tag)},
                {record.commit_id: record for record in own if isinstance(record, Commit)},
                staged,
                snapshot.objects,
            )
        )
    return views


@lru_cache(1 << 14)
def _of_range(namespace: StorageNamespace, content: bytes) -> tuple[Reference, ...]:
    return tuple(
        Reference(entry.path, physical_address(namespace, found), found)
        for entry in decode_range(content)
        # Empty data decode to an entry without an address: scenarios without objects stage such entries.
        if (found := decode_object_entry(entry.data)).address
    )


@lru_cache(1 << 14)
def _of_change(namespace: StorageNamespace, change: StagedEntry) -> tuple[Reference, ...]:
    if change.data is None:
        return ()
    found = decode_object_entry(change.data)
    return (Reference(change.key, physical_address(namespace, found), found),) if found.address else ()
