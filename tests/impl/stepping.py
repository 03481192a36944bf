"""Drives flows by hand over the sequential specification of the store."""

from collections.abc import Callable, Coroutine, Mapping
from typing import Generic, TypeVar

import attrs

from lakeproof.impl.codec import decode_at, encode
from lakeproof.impl.effects import Env, Now
from lakeproof.model import keys, kv
from lakeproof.model.identifiers import RepositoryID
from lakeproof.model.records import Record, Repository, RepositoryState

T = TypeVar("T")
Flow = Callable[..., Coroutine[object, object, T]]  # type: ignore[explicit-any]  # flows take what they like after env

R = RepositoryID("r")
START = 1_700_000_000_000_000
NAMES = {kv.Get: "get", kv.Set: "set", kv.SetIf: "set_if", kv.Delete: "delete", kv.DeleteIf: "delete_if"}


@attrs.define
class Bench:
    """A store, a clock, and the effects of the flow that was started last."""

    store: dict[kv.Address, bytes] = attrs.field(factory=dict)
    now: int = START
    story: list[str] = attrs.field(factory=list)
    """Effects on the store, as "operation key"; scans as "scan partition"."""
    minted: int = 0

    def begin(
        self,
        flow: Flow[T],
        *args: object,
        told: Mapping[int, kv.KVError] | None = None,
        **options: object,
    ) -> "Running[T]":
        """Start a flow; it stands before its first effect.

        ``told``: by number of the effect (from 0), what the flow is told instead of the truth. The effect takes place
        all the same, unless it is `kv.Refused` or `kv.ScanInterrupted`.
        """
        self.story = []
        return Running(self, flow(Env.with_unique(self._unique), *args, **options), told or {})

    def run(
        self,
        flow: Flow[T],
        *args: object,
        told: Mapping[int, kv.KVError] | None = None,
        **options: object,
    ) -> T:
        """The result of a flow. Raises what the flow raises."""
        return self.begin(flow, *args, told=told, **options).finish()

    def crash(self, effects: int, flow: Flow[T], *args: object, **options: object) -> None:
        """Run a flow for some effects, and abandon it."""
        running = self.begin(flow, *args, told=None, **options)
        running.go(effects)
        running.coroutine.close()

    def record(self, partition: bytes, key: bytes) -> Record | None:
        """What is stored at an address."""
        value = self.store.get((partition, key))
        return None if value is None else decode_at(partition, key, value)

    def entry(self) -> Repository | None:
        """The entry of repository "r"."""
        found = self.record(keys.GRAVELER, keys.repository_key(R))
        assert found is None or isinstance(found, Repository)
        return found

    def set_state(self, state: RepositoryState) -> None:
        """Change the state in the entry of "r"."""
        entry = self.entry()
        assert entry is not None
        self.store[keys.GRAVELER, keys.repository_key(R)] = encode(attrs.evolve(entry, state=state))

    def addresses(self) -> list[str]:
        """All that is stored, as "partition key"."""
        return sorted(f"{partition.decode()} {key.decode()}" for partition, key in self.store)

    def perform(self, op: object, told: kv.KVError | None) -> object:
        """One effect: its reply, or what the flow is told instead."""
        if isinstance(op, Now):
            return self.now
        assert isinstance(op, kv.Op)
        if isinstance(op, kv.ScanBatch):
            self.story.append(f"scan {op.partition.decode()}")
        else:
            self.story.append(f"{NAMES[type(op)]} {op.key.decode()}")
        if isinstance(told, kv.Refused | kv.ScanInterrupted):
            return told
        store, reply = kv.step(self.store, op)
        self.store = dict(store)
        return reply if told is None else told

    def _unique(self, kind: str) -> str:
        self.minted += 1
        return f"u{self.minted}"


class Running(Generic[T]):
    """A flow under way."""

    def __init__(self, bench: Bench, coroutine: Coroutine[object, object, T], told: Mapping[int, kv.KVError]) -> None:
        self.bench = bench
        self.coroutine = coroutine
        self.told = told
        self.effects = 0
        self.reply: object = None
        self.result: list[T] = []

    def go(self, effects: int) -> None:
        """Perform so many effects on the store; the flow must not end before."""
        for _ in range(effects):
            assert self._step(), f"the flow ended after {self.effects} effects"

    def finish(self) -> T:
        """Run to the end. Raises what the flow raises."""
        while self._step():
            pass
        return self.result[0]

    def _step(self) -> bool:
        while True:
            try:
                op = self.coroutine.send(self.reply)
            except StopIteration as stop:
                self.result.append(stop.value)
                return False
            if not isinstance(op, Now):
                self.reply = self.bench.perform(op, self.told.get(self.effects))
                self.effects += 1
                return True
            self.reply = self.bench.now
