"""Flows keep to their variant's table: whatever comes one after the other, and wherever each stops half-way."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from types import ModuleType
from typing import Final

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.impl.codec import decode_repository
from lakeproof.impl.effects import Env
from lakeproof.impl.live import live_env, run
from lakeproof.impl.repositories import hardened, kv3, naive, step1, step2
from lakeproof.impl.repositories.errors import RepositoryError
from lakeproof.impl.stores import MemoryStore
from lakeproof.impl.stores.base import Answer
from lakeproof.model import keys, kv
from lakeproof.model.identifiers import RepositoryID
from tools.pages.lifecycle import TABLES, State, state_of

Flow = Callable[[Env, RepositoryID], Coroutine[object, object, object]]
Pair = tuple[State, State]
Action = tuple[str, int]
"""A flow, or "wait", and after how many effects on the store its client crashes."""

R: Final = RepositoryID("r")
VARIANTS: Final[Mapping[str, ModuleType]] = {
    "naive": naive,
    "kv3": kv3,
    "step1": step1,
    "step2": step2,
    "hardened": hardened,
}
FLOWS: Final = ("create_repository", "create_bare_repository", "get_repository", "delete_repository", "clean")
WHOLE: Final = 99  # more effects than any flow has

actions = st.lists(
    st.tuples(st.sampled_from([*FLOWS, "wait"]), st.one_of(st.just(WHOLE), st.integers(0, 7))), max_size=8
)


class Crash(Exception):
    """The client stops here."""


class Watched(MemoryStore):
    """Notes how the entry changes. Crashes its client after ``left`` operations."""

    def __init__(self) -> None:
        super().__init__()
        self.left = 0
        self.changes: list[Pair] = []

    def entry(self) -> State:
        value = self.contents().get((keys.GRAVELER, keys.repository_key(R)))
        return state_of(None if value is None else decode_repository(value))

    async def apply(self, op: kv.Op) -> Answer:
        if self.left == 0:
            raise Crash
        self.left -= 1
        before, writes = self.entry(), op.partition == keys.GRAVELER and not isinstance(op, kv.Get | kv.ScanBatch)
        answer = await super().apply(op)
        if writes:
            self.changes.append((before, self.entry()))
        return answer


def changes(variant: str, todo: Sequence[Action]) -> list[Pair]:
    """How the entry changes when these flows run one after the other."""
    store, now = Watched(), 0

    def clock() -> int:
        return now

    async def main() -> None:
        nonlocal now
        for name, effects in todo:
            if name == "wait":
                now += step2.INITIAL_TIMEOUT
                continue
            flow: Flow | None = getattr(VARIANTS[variant], name, None)
            if flow is None:
                continue
            store.left = effects
            coroutine = flow(live_env()) if name == "clean" else flow(live_env(), R)  # type: ignore[call-arg]
            try:
                await run(coroutine, store, clock=clock)
            except (RepositoryError, Crash):
                continue

    trio.run(main)
    return store.changes


def allowed(variant: str) -> set[Pair]:
    return {(before, after) for (before, _), after in TABLES[variant].items()}


@pytest.mark.parametrize("variant", VARIANTS)
@given(todo=actions)
def test_no_flow_leaves_its_table(variant: str, todo: list[Action]) -> None:
    assert set(changes(variant, todo)) <= allowed(variant)


CREATE, BARE, GET, DELETE, CLEAN = ((name, WHOLE) for name in FLOWS)
WAIT = ("wait", 0)
CLAIM = ("create_repository", 2)  # in step2 and hardened: stops after the entry, before the branch
MARK = ("delete_repository", 2)  # in step1 and step2: stops before the entry is removed

TOURS: Final[Mapping[str, Sequence[Action]]] = {
    "naive": [CREATE, DELETE],
    "kv3": [CREATE, DELETE],
    "step1": [CREATE, MARK, DELETE],
    "step2": [CREATE, DELETE, BARE, MARK, DELETE, CLAIM, DELETE, CLAIM, WAIT, GET, DELETE],
    "hardened": [CREATE, DELETE, CLAIM, DELETE, CLAIM, WAIT, CREATE, DELETE, ("create_repository", 3), WAIT, CLEAN],
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_arrow_of_a_table_is_taken_by_some_flow(variant: str) -> None:
    assert set(changes(variant, TOURS[variant])) == allowed(variant)


def test_a_flow_that_leaves_its_table_would_be_noticed() -> None:
    assert not set(changes("hardened", TOURS["hardened"])) <= allowed("step2")
    assert not set(changes("step2", TOURS["step2"])) <= allowed("hardened")
