"""A key-value store and an object store in which dumps and restores move by hand, effect by effect."""

from collections.abc import Coroutine
from typing import Any, Final, TypeVar

import attrs

from lakeproof.impl.codec import decode_branch, encode
from lakeproof.impl.live import live_env
from lakeproof.impl.refs.dump import RefsDump, dump_refs, restore_refs
from lakeproof.impl.refs.dump_format import without_tokens
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model import kv, objects
from lakeproof.model.identifiers import InstanceUID, RepositoryID
from lakeproof.model.records import Record, Repository
from tests.impl.refs.watched import REPOSITORY, address

T = TypeVar("T")
Flow = Coroutine[Any, Any, T]  # type: ignore[explicit-any]

TARGET: Final = attrs.evolve(
    REPOSITORY, repository_id=RepositoryID("copy"), instance_uid=InstanceUID("v"), bare=True
)  # fmt: skip


@attrs.define
class Bench:
    """A key-value store and an object store; flows move by hand."""

    store: kv.Store
    lake: objects.Objects = attrs.field(factory=dict)
    ops: list[object] = attrs.field(factory=list)

    def step(self, flow: Flow[T], reply: object) -> tuple[object, bool]:
        """Move a flow to its next effect and perform that. The reply, or the result; and whether the flow is over."""
        try:
            op = flow.send(reply)
        except StopIteration as stop:
            return stop.value, True
        self.ops.append(op)
        if isinstance(op, kv.Op):
            self.store, answer = kv.step(self.store, op)
            return answer, False
        assert isinstance(op, objects.Op)
        self.lake, found = objects.step(self.lake, op)
        return found, False

    def run(self, flow: Flow[T]) -> T:
        self.ops, found, over = [], None, False
        while not over:
            found, over = self.step(flow, found)
        return found  # type: ignore[return-value]

    def crash(self, flow: Flow[T], effects: int) -> bool:
        """Whether the flow was over before so many effects."""
        self.ops, found, over = [], None, False
        for _ in range(effects):
            found, over = self.step(flow, found)
            if over:
                return True
        flow.close()
        return False

    def dump(self, repository: Repository = REPOSITORY, **options: object) -> RefsDump:
        return self.run(dump_refs(live_env(), repository, **options))  # type: ignore[arg-type]

    def restore(self, dump: RefsDump, **options: object) -> None:
        self.run(restore_refs(live_env(), TARGET, dump, **options))  # type: ignore[arg-type]

    def refs(self, repository: Repository) -> dict[bytes, bytes]:
        """All values of a repository's partition by key, branches without tokens."""
        found = {key: value for (partition, key), value in self.store.items() if partition == uid_partition(repository)}
        return {
            key: encode(without_tokens(decode_branch(value))) if key.startswith(b"branches/") else value
            for key, value in found.items()
        }


def bench(*records: Record) -> Bench:
    return Bench({address(record): encode(record) for record in records})
