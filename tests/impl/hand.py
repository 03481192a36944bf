"""Flows of a branch, driven by hand, step by step, over one store."""

from typing import Any

import attrs

from lakeproof import Call
from lakeproof.explore.execution import Execution, Program
from lakeproof.explore.semantics import Cells, apply, patch
from lakeproof.explore.setting import snapshot
from lakeproof.impl.effects import Effect, Now
from lakeproof.impl.graveler import founding
from lakeproof.impl.refs import branches
from lakeproof.model.contents import branch_named, content_of_branch
from lakeproof.model.records import Branch
from lakeproof.model.snapshot import Snapshot
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY

NOW = 1_700_000_000_000_000


class Running:
    """A flow on its way."""

    def __init__(self, hand: "Hand", call: Call, label: str) -> None:
        self._hand = hand
        self._run = Execution(Program(label, (call,), frozen_now=NOW))

    @property
    def op(self) -> Effect | None:
        """What it is about to do; None at its end."""
        return self._run.op

    def step(self, times: int = 1) -> "Running":
        """Perform its next effects."""
        for _ in range(times):
            assert self.op is not None, "the flow has ended"
            reply: object = NOW
            if not isinstance(self.op, Now):
                reply, writes = apply(self._hand.cells, self.op)
                self._hand.cells = patch(self._hand.cells, writes)
            self._run.send(reply)
        return self

    def until(self, kind: type, key: bytes | None = None) -> "Running":
        """Go on up to, and not including, an effect of a kind, on a key."""
        while not (isinstance(self.op, kind) and (key is None or getattr(self.op, "key", None) == key)):
            self.step()
        return self

    def finish(self) -> Any:  # type: ignore[explicit-any]  # whatever the flow returns
        """Its result. Raises what the flow raises."""
        while self.op is not None:
            self.step()
        ended = self._run.finished[-1]
        if ended.error is not None:
            raise ended.error
        return ended.value


@attrs.define
class Hand:
    """A repository with a branch ``b``, and who works on it."""

    cells: Cells = attrs.field(factory=dict)
    started: int = 0

    @classmethod
    def founded(cls) -> "Hand":
        hand = cls()
        hand.run(founding.found)
        hand.run(branches.create_branch, BRANCH, REPOSITORY.default_branch_id)
        return hand

    def start(self, flow: Any, *args: Any, **options: Any) -> Running:  # type: ignore[explicit-any]
        """A flow before its first effect; the repository goes without saying."""
        self.started += 1
        return Running(self, Call(flow, REPOSITORY, *args, **options), f"q{self.started}_")

    def run(self, flow: Any, *args: Any, **options: Any) -> Any:  # type: ignore[explicit-any]
        """A flow alone, from start to end."""
        return self.start(flow, *args, **options).finish()

    def snapshot(self) -> Snapshot:
        return snapshot(self.cells, NOW, ())

    def branch(self, branch_id: str = BRANCH) -> Branch:
        found = branch_named(self.snapshot(), branch_id)
        assert found is not None
        return found

    def content(self, branch_id: str = BRANCH) -> dict[bytes, bytes]:
        """Paths to identities: staged over committed."""
        found = content_of_branch(self.snapshot(), self.branch(branch_id))
        assert found is not None
        return found
