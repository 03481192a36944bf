"""One branch, one operation at a time, in every variant of commit: step by step as the sequential specification has it.

Operations run alone on the real flows. Some are abandoned half-way: then they have taken place or not, and what they
leave behind (sealed tokens, staged entries that were committed, records that nobody names) changes nothing later.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from types import ModuleType
from typing import Any, ClassVar

import attrs
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from lakeproof import Call
from lakeproof.explore.execution import SETUP, Execution, Program, label
from lakeproof.explore.semantics import Cells, apply, patch
from lakeproof.explore.setting import drive_alone, snapshot
from lakeproof.impl.graveler import founding, lock_free, locked, optimistic, reading, resetting, restoring, writing
from lakeproof.impl.refs import branches
from lakeproof.model.branch import BranchState, branch
from lakeproof.model.contents import branch_named, content_of_branch, content_of_commit
from lakeproof.model.identifiers import StagingToken
from lakeproof.model.records import Branch, Commit
from lakeproof.model.snapshot import Status
from lakeproof.scenario import Flow
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY
from stateful_tests.machine import hold, refute

NOW = 1_700_000_000_000_000
MAIN = REPOSITORY.default_branch_id
ON_MAIN = {b"m": b"0"}
SPECIFICATION = branch(BranchState(committed=frozenset(ON_MAIN.items())), {MAIN: ON_MAIN})
FOUNDING = (
    Call(founding.found, REPOSITORY),
    Call(writing.set_entry, REPOSITORY, MAIN, b"m", b"0"),
    Call(lock_free.commit, REPOSITORY, MAIN, "main's"),
    Call(branches.create_branch, REPOSITORY, BRANCH, MAIN),
)

paths = st.sampled_from([b"a", b"a/1", b"a/2", b"m"])
identities = st.sampled_from([b"0", b"1", b"2"])
prefixes = st.sampled_from([b"", b"a", b"a/", b"m", b"z"])
pages = st.sampled_from([0, 1, 2])


class Alone(RuleBasedStateMachine):
    """The variants say how they commit and write, and how a branch is deleted."""

    commit: ClassVar[Sequence[Flow]]
    set_entry: ClassVar[Flow]
    delete_entry: ClassVar[Flow]
    delete_branch: ClassVar[Flow]
    may_stop: ClassVar[bool] = True
    """Whether a committer or writer may stop half-way. Not where it would leave a lock behind."""

    @initialize()
    def begin(self) -> None:
        self.cells: Cells = drive_alone(Program(SETUP, FOUNDING), {}, NOW)[0]
        self.state: Hashable = SPECIFICATION.initial
        self.calls = 0
        self.made: dict[frozenset[tuple[bytes, bytes]], str] = {}

    @rule(path=paths, identity=identities)
    def write(self, path: bytes, identity: bytes) -> None:
        self.perform(type(self).set_entry, path, identity)

    @rule(first=identities, second=identities)
    def write_two(self, first: bytes, second: bytes) -> None:
        self.perform(writing.set_entries, ((b"a/1", first), (b"a/2", second)))

    @rule(path=paths)
    def delete(self, path: bytes) -> None:
        self.perform(type(self).delete_entry, path)

    @rule(path=paths, identity=identities)
    def create(self, path: bytes, identity: bytes) -> None:
        self.perform(writing.create_entry, path, identity)

    @rule(path=paths, identity=identities, expected=identities)
    def replace(self, path: bytes, identity: bytes, expected: bytes) -> None:
        self.perform(writing.replace_entry, path, identity, expected)

    @rule(path=paths)
    def get(self, path: bytes) -> None:
        self.perform(reading.get_entry, path)

    @rule(prefix=prefixes, batch_size=pages)
    def list_all(self, prefix: bytes, batch_size: int) -> None:
        self.perform(reading.list_entries, prefix, batch_size=batch_size)

    @rule(which=st.integers(0, 1), batch_size=pages)
    def commit_all(self, which: int, batch_size: int) -> None:
        flows = type(self).commit
        self.perform(flows[which % len(flows)], f"{self.calls}", batch_size=batch_size)

    @rule(batch_size=pages)
    def reset(self, batch_size: int) -> None:
        self.perform(resetting.reset_branch, batch_size=batch_size)

    @rule(prefix=prefixes, batch_size=pages)
    def reset_prefix(self, prefix: bytes, batch_size: int) -> None:
        self.perform(resetting.reset_prefix, prefix, batch_size=batch_size)

    @rule(path=paths)
    def reset_entry(self, path: bytes) -> None:
        self.perform(resetting.reset_entry, path)

    @rule()
    def drop(self) -> None:
        self.perform(type(self).delete_branch)

    @rule()
    def create_anew(self) -> None:
        self.perform(branches.create_branch, MAIN, tombstones=True)

    @precondition(lambda self: type(self).may_stop)
    @rule(effects=st.integers(1, 12))
    def stop_committing(self, effects: int) -> None:
        self.abandon(effects, type(self).commit[0], f"{self.calls}")

    @precondition(lambda self: type(self).may_stop)
    @rule(effects=st.integers(1, 3), path=paths, identity=identities)
    def stop_writing(self, effects: int, path: bytes, identity: bytes) -> None:
        self.abandon(effects, type(self).set_entry, path, identity)

    def perform(self, flow: Flow, *args: Hashable, **options: Hashable) -> None:
        """Run a flow alone: its result and all that it leaves are what the specification says."""
        call = Call(flow, REPOSITORY, BRANCH, *args, **options)  # type: ignore[arg-type]
        self.cells, (view,) = drive_alone(self._program(call), self.cells, NOW)
        self.state, expected = SPECIFICATION.apply(self.state, call.name, call.args)
        assert view.status is Status.OK or (view.error is not None and SPECIFICATION.is_answer(view.error)), view
        assert SPECIFICATION.result(view) == expected, f"{call}"
        self._compare(self.state)
        if isinstance(view.value, Commit):
            assert isinstance(self.state, BranchState)
            made = self.made.setdefault(self.state.committed, view.value.meta_range_id)
            assert made == view.value.meta_range_id, "equal contents have equal ids"
            assert len(set(self.made.values())) == len(self.made), "different contents have different ids"

    def abandon(self, effects: int, flow: Flow, *args: Hashable) -> None:
        """Run a flow for some effects at most: it has taken place, or it has not."""
        call = Call(flow, REPOSITORY, BRANCH, *args)
        run = Execution(self._program(call))
        for _ in range(effects):
            if run.op is not None:
                reply, writes = apply(self.cells, run.op)
                self.cells = patch(self.cells, writes)
                run.send(reply)
        run.close()
        after, _ = SPECIFICATION.apply(self.state, call.name, call.args)
        try:
            self._compare(after)
        except AssertionError:
            self._compare(self.state)
        else:
            self.state = after

    def _program(self, call: Call) -> Program:
        self.calls += 1
        return Program(label(self.calls), (call,), frozen_now=NOW)

    def _compare(self, state: Hashable) -> None:
        seen = snapshot(self.cells, NOW, ())
        found = branch_named(seen, BRANCH)
        if state is None:
            assert found is None
            return
        assert isinstance(state, BranchState)
        assert found is not None
        assert content_of_branch(seen, found) == state.contents
        assert content_of_commit(seen, found.commit_id) == dict(state.committed)


class LockFree(Alone):
    commit = (lock_free.commit,)
    set_entry = writing.set_entry
    delete_entry = writing.delete_entry
    delete_branch = branches.delete_branch


class Optimistic(Alone):
    commit = (optimistic.commit,)
    set_entry = writing.set_entry
    delete_entry = writing.delete_entry
    delete_branch = branches.delete_branch_by_tombstone


class Locked(Alone):
    commit = (locked.commit,)
    set_entry = locked.set_entry
    delete_entry = locked.delete_entry
    delete_branch = branches.delete_branch
    may_stop = False


class Mixed(Alone):
    """Committers of two variants on one branch: alone, each leaves what the other can go on from."""

    commit = (lock_free.commit, optimistic.commit)
    set_entry = writing.set_entry
    delete_entry = writing.delete_entry
    delete_branch = branches.delete_branch_by_tombstone


@pytest.mark.parametrize("machine", [LockFree, Optimistic, Locked, Mixed])
def test_alone_every_operation_is_that_of_the_specification(machine: type[Alone], run_seed: int) -> None:
    hold(machine, run_seed, runs=15)


def oldest_first(found: Branch) -> tuple[StagingToken, ...]:
    return (*reversed(found.sealed_tokens), found.staging_token)


def open_only(found: Branch) -> tuple[StagingToken, ...]:
    return (found.staging_token,)


async def nothing(*args: object) -> None:
    """Find nothing, or do nothing."""


def unchanged(found: Branch, restoration: StagingToken, staging_token: StagingToken) -> Branch:
    return found


def alone(found: Branch, restoration: StagingToken, staging_token: StagingToken) -> Branch:
    return attrs.evolve(found, staging_token=staging_token, sealed_tokens=(restoration,))


def beneath(found: Branch, restoration: StagingToken, staging_token: StagingToken) -> Branch:
    sealed = (found.staging_token, *found.sealed_tokens, restoration)
    return attrs.evolve(found, staging_token=staging_token, sealed_tokens=sealed)


BUGS: Mapping[str, tuple[ModuleType, str, Callable[..., Any]]] = {  # type: ignore[explicit-any]
    "readers take the oldest token first": (reading, "tokens", oldest_first),
    "readers forget the sealed tokens": (reading, "tokens", open_only),
    "a conditional write looks at the open token only": (writing, "find_sealed", nothing),
    "a reset of a path does nothing": (resetting, "covered", unchanged),
    "a reset of a path resets its neighbours": (resetting, "covered", alone),
    "a restoration lies under what it is to hide": (resetting, "covered", beneath),
    "a reset of a prefix looks at the open token only": (resetting, "tokens", open_only),
    "a path is restored as a deletion": (restoring, "get_committed", nothing),
}


@pytest.mark.parametrize(
    "bug", [pytest.param(bug, marks=[pytest.mark.deep] if at else []) for at, bug in enumerate(BUGS)]
)
def test_a_planted_bug_is_found(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*BUGS[bug])
    with pytest.raises(AssertionError):
        refute(LockFree, runs=1_000)
