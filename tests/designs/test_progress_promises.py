"""What must happen at last, of the real flows of designs, without a bound on tries: theorems and refutations.

Each case says what the text lets us expect, before it is searched. Rivals that go on for ever are loops around flows of
the designs, too.
"""

from collections.abc import Sequence
from typing import Final

import attrs
import pytest

from lakeproof import Call, Env, Faults, LeadsTo, Scenario, Snapshot, Terminates
from lakeproof.designs.branch_designs import BRANCH, FOUNDED, REPOSITORY
from lakeproof.impl.codec import decode_branch
from lakeproof.impl.graveler import lock_free, locked, optimistic, resets, writes
from lakeproof.impl.repositories import hardened, step1
from lakeproof.impl.repositories.errors import NotUnique, RepositoryDeleting, RepositoryNotFound
from lakeproof.model import keys, kv
from lakeproof.model.identifiers import InstanceUID, RepositoryID
from lakeproof.model.invariants import Fairness
from lakeproof.scenario import NO_UNHANDLED_EXCEPTION, Flow
from lakeproof.search.faults import Mode, Move
from lakeproof.search.replay import record, replay
from lakeproof.search.search import Limits, search
from lakeproof.search.setup import prepare
from lakeproof.search.world import World

R: Final = RepositoryID("r")
OPTIMISTIC: Final = optimistic.Reading(tries=None, seals=False, drops=False)
LOCK_FREE: Final = lock_free.Reading(tries=None, drops=False)
LOCKED: Final = locked.Reading(tries=None)
WRITES: Final = writes.Reading(tries=None)
CRASH: Final = Faults(crashes=1)


async def reset_for_ever(env: Env) -> None:
    while True:
        await resets.reset_branch(env, REPOSITORY, BRANCH)


async def read_for_ever(env: Env) -> None:
    while True:
        try:
            await step1.get_repository(env, R)
        except (RepositoryNotFound, RepositoryDeleting):
            continue


async def clean_for_ever(env: Env) -> None:
    while True:
        await hardened.clean(env)


async def recreate(env: Env, design: str, *, deletes: bool = True) -> None:
    """Delete and create, until the create succeeds."""
    flows = step1 if design == "step1" else hardened
    while True:
        try:
            await flows.create_repository(env, R)
        except NotUnique:
            try:
                if deletes:
                    await flows.delete_repository(env, R)
                else:
                    await flows.get_repository(env, R)
            except (RepositoryNotFound, RepositoryDeleting):
                continue
        else:
            return


def commits(flow: Flow, reading: object, message: str = "one") -> Call:
    return Call(flow, REPOSITORY, BRANCH, message, reading=reading)


def write() -> Call:
    return Call(writes.set_entry, REPOSITORY, BRANCH, b"x", b"1", reading=WRITES)


def _left(seen: Snapshot) -> bool:
    """A repository is deleted, and something of it is left."""
    return _deleted(seen) and not _emptied(seen)


OF_SETUP: Final = keys.repository_partition(R, InstanceUID("s1"))


def _deleted(seen: Snapshot) -> bool:
    return any("DELETED" in repr(found) for found in seen.store.values())


def _emptied(seen: Snapshot) -> bool:
    return all(partition != OF_SETUP for partition, _ in seen.store)


@attrs.frozen
class Case:
    """``ends``: the call that must end. None: what the cleaner must do."""

    clients: Sequence[Call]
    ends: Flow | None
    fairness: Fairness
    holds: bool
    setup: Sequence[Call] = FOUNDED
    faults: Faults = attrs.field(factory=Faults)

    def scenario(self) -> Scenario:
        promise = (
            LeadsTo(_left, _emptied, id="promise", meaning="", fairness=self.fairness)
            if self.ends is None
            else Terminates(self.ends, id="promise", fairness=self.fairness)
        )
        clients = [[call] for call in self.clients]
        return Scenario(name="x", setup=self.setup, clients=clients, faults=self.faults, invariants=[promise])


CREATED: Final = [Call(hardened.create_repository, R)]
CREATED_1: Final = [Call(step1.create_repository, R)]
OPT, FREE, LOCK = optimistic.commit, lock_free.commit, locked.commit

CASES = {
    # "In case a commit fails to finish due to another commit beating it to the finish line, a retry should be
    # attempted": who beats a commit has succeeded. Two of them end, however unfair the schedule is.
    "optimistic commits end among themselves": Case(
        [commits(OPT, OPTIMISTIC), commits(OPT, OPTIMISTIC, "other")], OPT, "none", True
    ),
    "lock-free commits end among themselves": Case(
        [commits(FREE, LOCK_FREE), commits(FREE, LOCK_FREE, "other")], FREE, "none", True
    ),
    # The `SetIf` is on the branch, which a reset changes, too: whoever resets again and again beats one for ever.
    "one optimistic commit may starve": Case([commits(OPT, OPTIMISTIC), Call(reset_for_ever)], OPT, "weak", False),
    # The lock-free commit seals first, but ends with the same `SetIf`.
    "one lock-free commit may starve": Case([commits(FREE, LOCK_FREE), Call(reset_for_ever)], FREE, "weak", False),
    # A writer takes no lock. It starts over only where a commit has opened another token meanwhile.
    "a writer does not wait for a committer": Case(
        [write(), commits(OPT, attrs.evolve(OPTIMISTIC, seals=True))], writes.set_entry, "none", True
    ),
    # With a lock per branch "to prevent staging during commits", it does wait,
    "under a lock, commits end if nobody is left out": Case(
        [commits(LOCK, LOCKED), commits(LOCK, LOCKED, "other")], LOCK, "weak", True
    ),
    # for a holder that is slow,
    "under a lock, a slow holder stops the others": Case(
        [commits(LOCK, LOCKED), commits(LOCK, LOCKED, "other")], LOCK, "none", False
    ),
    # and for ever for one that has crashed.
    "under a lock, a crashed holder stops the others": Case(
        [commits(LOCK, LOCKED), commits(LOCK, LOCKED, "other")], LOCK, "weak", False, faults=CRASH
    ),
    # The cleaner runs again and again over all records of instances: it gets to each that is dead, while others read.
    "the cleaner gets to what is deleted": Case(
        [Call(hardened.delete_repository, R), Call(clean_for_ever), Call(read_for_ever)], None, "weak", True, CREATED
    ),
    "a cleaner that never runs gets to nothing": Case(
        [Call(hardened.delete_repository, R), Call(clean_for_ever), Call(read_for_ever)], None, "none", False, CREATED
    ),
    # A delete continues what another one has left: whatever has crashed, the id is free at last, while others read.
    "step 1: the id becomes reusable": Case(
        [Call(step1.delete_repository, R), Call(recreate, "step1"), Call(read_for_ever)],
        recreate, "weak", True, CREATED_1, CRASH,
    ),
    # Who only creates waits for ever for a delete that has crashed: the text has no other way out than another delete.
    "step 1: without another delete it does not": Case(
        [Call(step1.delete_repository, R), Call(recreate, "step1", deletes=False), Call(read_for_ever)],
        recreate, "weak", False, CREATED_1, CRASH,
    ),
    "hardened: the id becomes reusable": Case(
        [Call(hardened.delete_repository, R), Call(recreate, "hardened"), Call(read_for_ever)],
        recreate, "weak", True, CREATED, CRASH,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_promises_of_progress(name: str) -> None:
    scenario = CASES[name].scenario()
    result = search(scenario, Limits(states_max=20_000))
    (found,) = [finding for finding in result.findings if finding.id == "promise"]
    assert found.verdict == ("holds" if CASES[name].holds else "violated"), result.stopped
    if found.counterexample is not None:  # the flows follow it, twice round
        loop = found.counterexample.loop
        assert loop is not None
        trace = record(scenario, "promise", found.counterexample.moves, version="0", loop=loop)
        assert replay(trace, scenario).steps == len(found.counterexample.moves)


def _finishes(world: World, client: int) -> bool:
    """Whether a commit is about to put its commit on the branch: a record without sealed tokens."""
    op = world.clients[client].op
    return isinstance(op, kv.SetIf) and op.key == keys.branch_key(BRANCH) and not decode_branch(op.value).sealed_tokens


def test_commits_that_seal_again_may_defeat_each_other_for_ever() -> None:
    """Each retry seals anew, which changes the branch under the other one. No lasso: each seal leaves a token more."""
    reading = attrs.evolve(OPTIMISTIC, seals=True)
    clients = [[commits(OPT, reading)], [commits(OPT, reading, "other")]]
    expect = {NO_UNHANDLED_EXCEPTION: "holds"}
    world = World(prepare(Scenario(name="x", setup=FOUNDED, clients=clients, invariants=[], expect=expect)))
    sealed: list[int] = []
    for turn in range(40):
        client, moved = turn % 2, False
        while not moved or not _finishes(world, client):
            world.step(Move(client, Mode.NORMAL))
            moved = True
            assert world.alive(client)
        branch = world.cells["kv", keys.repository_partition(R, InstanceUID("u")), keys.branch_key(BRANCH)]
        assert isinstance(branch, bytes)
        sealed.append(len(decode_branch(branch).sealed_tokens))
    world.close()
    assert sealed == [*range(1, 41)]
