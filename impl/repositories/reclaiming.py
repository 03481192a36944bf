"""Variant ``reclaiming``: `hardened`, whose cleaner also removes what is staged in dead instances, and their objects.

A staging area is found by its token alone, and tokens come and go with the records of branches. An object is found by
its address alone, and a crash may leave it without an entry. Three rules, beside the four of `hardened`:

1. *No token is opened before it is noted.* Who writes a branch record whose open token is new first writes the token,
   with the storage namespace, into the repository's partition. Every write under a token comes after that: its writer
   has read the token in a branch.
2. *An address names its instance*: ``data/<instance>/...``. A listing finds what no entry refers to.
3. *Notes stay.* The cleaner empties the staging areas of all noted tokens, lists and deletes the objects of the
   instance, deletes all records but the notes, and keeps those. A writer that was on its way may stage an entry, put an
   object, or note a token after a run of the cleaner has passed. The record of the instance leads to its partition, the
   notes there lead to tokens and namespace, and the next run finds what came late.

What bounds a note's life: the time in which a write may still arrive. The store promises no such bound, so here a note
stays for ever, as the record does: one key for each token that ever was open, which is one for each commit, reset and
branch. Who knows a bound D (a client gives up after D, no request is repeated after D, and clocks differ by less) may
drop the notes of an instance, and its record, D after its deletion.

`noting` puts rules 1 and 2 under any flow: it sees the effects of the flow, and adds the notes.
"""

from collections.abc import Hashable
from functools import wraps
from typing import Final, Literal

import attrs

from lakeproof.impl.catalog.objects import entry_of
from lakeproof.impl.codec import (
    decode_branch,
    decode_commit,
    decode_repository,
    decode_staged_entry,
)
from lakeproof.impl.committed.reader import Reader
from lakeproof.impl.effects import Env, Ids, KVEffects
from lakeproof.impl.flows import Flow, RepositoryFlows, bind_reading
from lakeproof.impl.repositories import hardened
from lakeproof.impl.repositories.records import read_entry
from lakeproof.model import keys, kv
from lakeproof.model.catalog import DATA_PREFIX, ObjectEntry, decode_object_entry, is_inside, physical_address
from lakeproof.model.identifiers import InstanceUID, StagingToken, StorageNamespace
from lakeproof.model.records import CleanupRecord, Commit, Repository


@attrs.frozen(kw_only=True)
class Reading:
    """How the cleaner finds tokens and objects, and what it keeps. The text is silent: it knows no cleaner of data."""

    tokens: Literal["noted", "of branches"] = "noted"
    """Noted by who opens them; or those that the cleaner reads in the branches that are there."""
    objects: Literal["of the instance", "of entries", "of the namespace"] = "of the instance"
    """Listed by the instance in their address; those that entries, staged and committed, refer to; or all."""
    keeps_notes: bool = True
    """Without it a note goes when its staging area has been emptied."""


AS_WRITTEN: Final = Reading()
FOLLOWS: Final = Reading(tokens="of branches", objects="of entries")
"""Without any change of other flows: from the instance to its branches, their tokens, and the addresses of entries."""
FORGETS: Final = Reading(keeps_notes=False)
"""A negative control: a token whose staging area is empty is forgotten."""
WHOLE_NAMESPACE: Final = Reading(objects="of the namespace")
"""A negative control: the namespace is taken for the deleted repository's own."""


class _Noting(KVEffects):
    """The store, where a token is noted before a branch record that has it open is written.

    repository: the one in which a flow works, as far as the flow has learnt of it.
    """

    def __init__(self, store: KVEffects, repository: Repository | None) -> None:
        self._store = store
        self.repository = repository

    async def perform(self, op: kv.Op) -> object:
        if isinstance(op, kv.Set | kv.SetIf):
            await self._prepare(op)
        reply = await self._store.perform(op)
        if isinstance(op, kv.Get) and op.partition == keys.GRAVELER and isinstance(reply, kv.ValueWithPredicate):
            self.repository = decode_repository(reply.value)
        return reply

    async def _prepare(self, op: kv.Set | kv.SetIf) -> None:
        if op.partition == keys.GRAVELER:
            # A create has read no entry of its own: it is the one that it writes.
            self.repository = decode_repository(op.value)
        elif op.key.startswith(keys.BRANCHES_PREFIX):
            assert self.repository is not None, "only its entry leads to a partition"
            # Also where the token was open before, and is noted: another note changes nothing.
            token = decode_branch(op.value).staging_token
            await self._store.perform(_note(op.partition, token, self.repository.storage_namespace))


def _note(partition: bytes, token: StagingToken, namespace: StorageNamespace) -> kv.Set:
    return kv.Set(partition, keys.NOTED_TOKENS_PREFIX + token.encode(), namespace.encode())


def noting(flow: Flow) -> Flow:
    """The flow, where rules 1 and 2 hold. 1 effect more for each branch record that it writes.

    The repository is the record that the flow is given, or the entry that it has read or written last. An error of the
    store when it notes is an error of the flow: nothing was opened then.
    """

    @wraps(flow)
    async def noting_flow(env: Env, *args: Hashable, **options: Hashable) -> object:
        store = _Noting(env.store, next((arg for arg in args if isinstance(arg, Repository)), None))

        def unique(kind: str, /) -> str:
            fresh = env.ids.unique(kind)
            return fresh if kind != "address" or store.repository is None else address_name(store.repository, fresh)

        return await flow(attrs.evolve(env, ids=Ids(unique=unique), store=store), *args, **options)

    return noting_flow


async def clean(env: Env, *, reading: Reading = AS_WRITTEN, batch_size: int = 0) -> int:
    """`hardened.clean`, which empties the staging areas and deletes the objects of dead instances, too.

    2 effects for each record, and for each dead instance a scan, a scan of each of its tokens, a listing for each
    namespace, and 1 effect for each record, each staged entry and each object.
    """
    return await hardened.clean_each(env, lambda record: _Emptying(env, record, reading, batch_size).run(), batch_size)


@attrs.frozen
class _Emptying:
    """One run through one dead instance."""

    env: Env
    record: CleanupRecord
    reading: Reading
    batch_size: int

    async def run(self) -> None:
        """Staging areas, then objects, then records; notes are kept."""
        partition = keys.repository_partition(self.record.repository_id, self.record.instance_uid)
        spaces: set[StorageNamespace] = set()
        # Notes written meanwhile are met, or left to the next run.
        async for found in self.env.store.scan(partition, batch_size=self.batch_size):
            if found.key.startswith(keys.NOTED_TOKENS_PREFIX):
                space = StorageNamespace(found.value.decode())
                spaces.add(space)
                await self._drop(StagingToken(found.key.removeprefix(keys.NOTED_TOKENS_PREFIX).decode()), space)
                if self.reading.keeps_notes:
                    continue
            else:
                await self._follow(partition, found)
            # Last: until then the record leads to what a crash would leave.
            await self.env.store.delete(partition, found.key)
        prefix = DATA_PREFIX if self.reading.objects == "of the namespace" else address_prefix(self.record.instance_uid)
        # Also what no entry refers to: an upload that crashed before it staged.
        for space in sorted(spaces):
            async for head in self.env.objects.list(f"{space}/{prefix}", self.batch_size):
                await self.env.objects.delete(head.address)

    async def _drop(self, token: StagingToken, space: StorageNamespace) -> None:
        """Delete what is staged under a token; before an entry, its object, where objects are found by entries."""
        partition = keys.staging_partition(token)
        async for found in self.env.store.scan(partition, keys.STAGED_PREFIX, self.batch_size):
            # The object first: its entry is the only way to it.
            await self._delete_object(entry_of(decode_staged_entry(found.value)), space)
            await self.env.store.delete(partition, found.key)

    async def _delete_object(self, entry: ObjectEntry | None, space: StorageNamespace) -> None:
        if entry is None or self.reading.objects != "of entries":
            return
        address = physical_address(space, entry)
        if is_inside(space, address):
            await self.env.objects.delete(address)

    async def _follow(self, partition: bytes, found: kv.Entry) -> None:
        """What a branch or a commit leads to, where tokens are those of branches and objects those of entries."""
        if self.reading.tokens != "of branches":
            return
        space = await self._namespace()
        if found.key.startswith(keys.BRANCHES_PREFIX):
            for token in decode_branch(found.value).tokens:
                # Noted by the cleaner itself: once the branch is deleted, nothing else leads to entries that come late.
                await self.env.store.perform(_note(partition, token, space))
                await self._drop(token, space)
        elif found.key.startswith(keys.COMMITS_PREFIX):
            await self._delete_committed(decode_commit(found.value), space)

    async def _delete_committed(self, commit: Commit, space: StorageNamespace) -> None:
        reader = Reader(self.env, space)
        async for entry in reader.entries(await reader.meta_range(commit.meta_range_id)):
            await self._delete_object(decode_object_entry(entry.data), space)

    async def _namespace(self) -> StorageNamespace:
        """Of the id's entry: a cleanup record names none."""
        found = await read_entry(self.env, self.record.repository_id)
        assert found is not None, "an entry is never removed"
        return found[0].storage_namespace


def address_name(repository: Repository, name: str) -> str:
    """The name of an address, which begins with the instance."""
    return f"{repository.instance_uid}/{name}"


def address_prefix(instance_uid: InstanceUID) -> str:
    """Where the objects of an instance lie, relative to the namespace."""
    return f"{DATA_PREFIX}{instance_uid}/"


# fmt: off
FLOWS = RepositoryFlows(
    create_repository=noting(hardened.create_repository),
    create_bare_repository=noting(hardened.create_bare_repository), delete_repository=hardened.delete_repository,
    get_repository=hardened.get_repository, list_repositories=hardened.list_repositories,
    create_branch=noting(hardened.FLOWS.create_branch), get_branch=hardened.FLOWS.get_branch,
    delete_branch=hardened.FLOWS.delete_branch, create_tag=hardened.FLOWS.create_tag, clean=clean)
FOLLOWING = bind_reading(attrs.evolve(hardened.FLOWS, clean=clean), reading=FOLLOWS)
FORGETTING = bind_reading(FLOWS, reading=FORGETS)
EMPTYING_NAMESPACES = bind_reading(FLOWS, reading=WHOLE_NAMESPACE)
