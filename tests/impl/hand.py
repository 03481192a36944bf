"""The one stepper of these tests: flows go effect by effect, by hand, over the sequential specifications of the stores.

A flow is any coroutine that asks for effects; it is told what the specifications answer, or what a test says instead.
"""

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Generic, Self, TypeVar

import attrs

from lakeproof.designs.branch_designs import BRANCH, REPOSITORY
from lakeproof.impl.effects import Effect, Env, Now
from lakeproof.impl.graveler import initialisation
from lakeproof.impl.refs import branches
from lakeproof.model import kv
from lakeproof.model.contents import branch_named, content_of_branch
from lakeproof.model.records import Branch, Record
from lakeproof.model.snapshot import Snapshot
from lakeproof.search.semantics import Cells, apply, patch
from lakeproof.search.setup import snapshot
from tests.impl.records import stored

T = TypeVar("T")
Flow = Coroutine[Any, Any, T]  # type: ignore[explicit-any]

NOW = 1_700_000_000_000_000


class Running(Generic[T]):
    """A flow on its way, before an effect or at its end."""

    def __init__(self, hand: "Hand", flow: Flow[T], told: Mapping[int, kv.KVError]) -> None:
        self._hand = hand
        self._flow = flow
        self._told = told
        self._done = 0
        self._ended: Callable[[], T]
        self.op: Effect | None = None
        """What it is about to do; None at its end."""
        self._send(None)

    def _send(self, reply: object) -> None:
        try:
            self.op = self._flow.send(reply)
            while isinstance(self.op, Now):
                self.op = self._flow.send(self._hand.now)
        except StopIteration as stop:
            self.op, value = None, stop.value
            self._ended = lambda: value
        except Exception as error:  # noqa: BLE001  # whatever the flow raises: `finish` raises it
            self.op, raised = None, error

            def ended() -> T:
                raise raised

            self._ended = ended

    def step(self, times: int = 1) -> "Running[T]":
        """Perform its next effects."""
        for _ in range(times):
            assert self.op is not None, "the flow has ended"
            self._send(self._hand.perform(self.op, self._told.get(self._done)))
            self._done += 1
        return self

    def until(self, kind: type) -> "Running[T]":
        """Go on up to, and not including, an effect of a kind."""
        while not isinstance(self.op, kind):
            self.step()
        return self

    def finish(self) -> T:
        """Its result. Raises what the flow raises."""
        while self.op is not None:
            self.step()
        return self._ended()


@attrs.define
class Hand:
    """The stores, a clock that stands still (a look at it is no step), and the effects of all flows so far."""

    cells: Cells = attrs.field(factory=dict)
    now: int = NOW
    ops: list[Effect] = attrs.field(factory=list)
    minted: int = 0

    @classmethod
    def holding(cls, *records: Record) -> Self:
        """With these in the key-value store."""
        return cls({("kv", *at): value for at, value in stored(*records).items()})

    @classmethod
    def founded(cls) -> "Hand":
        """With a repository that has a branch ``b``."""
        hand = cls()
        hand.run(initialisation.init_repository)
        hand.run(branches.create_branch, BRANCH, REPOSITORY.default_branch_id)
        return hand

    @property
    def env(self) -> Env:
        return Env.with_unique(self._unique)

    def _unique(self, kind: str) -> str:
        self.minted += 1
        return f"u{self.minted}"

    def perform(self, op: Effect, told: kv.KVError | None = None) -> object:
        """The answer to an effect. told: the answer instead; the effect takes place all the same, unless it is
        `kv.Refused` or `kv.ScanInterrupted`."""
        self.ops.append(op)
        if isinstance(told, kv.Refused | kv.ScanInterrupted):
            return told
        reply, writes = apply(self.cells, op)
        self.cells = patch(self.cells, writes)
        return reply if told is None else told

    def begin(self, flow: Flow[T], told: Mapping[int, kv.KVError] | None = None) -> Running[T]:
        """A flow before its first effect. told: answers by number of the effect, from 0; see `perform`."""
        return Running(self, flow, told or {})

    def do(self, flow: Flow[T], told: Mapping[int, kv.KVError] | None = None) -> T:
        """The result of a flow, whose effects are then all of `ops`. Raises what it raises."""
        self.ops = []
        return self.begin(flow, told).finish()

    def start(self, flow: Any, *args: Any, **options: Any) -> Running[Any]:  # type: ignore[explicit-any]
        """A flow of the repository, before its first effect."""
        return self.begin(flow(self.env, REPOSITORY, *args, **options))

    def run(self, flow: Any, *args: Any, **options: Any) -> Any:  # type: ignore[explicit-any]
        """A flow of the repository alone, from start to end."""
        return self.start(flow, *args, **options).finish()

    def snapshot(self) -> Snapshot:
        return snapshot(self.cells, self.now, ())

    def branch(self, branch_id: str = BRANCH) -> Branch:
        found = branch_named(self.snapshot(), branch_id)
        assert found is not None
        return found

    def content(self, branch_id: str = BRANCH) -> dict[bytes, bytes]:
        """Paths to identities: staged over committed."""
        found = content_of_branch(self.snapshot(), self.branch(branch_id))
        assert found is not None
        return found
