"""The world by swarm machines: what a run draws is a race of everything with everything, under its faults.

Each machine has the ground on which its words mean something: a repository that lives, beside the online job or the
offline one; one that is deleted, cleaned, created anew and restored; one whose commits are old, beside retention. The
planted bugs are of a kind that no part alone shows.
"""

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, Final

import attrs
import pytest

from lakeproof import Faults
from lakeproof.impl.effects import Env
from lakeproof.impl.world import history, jobs, sentences
from lakeproof.model.records import Branch, Repository
from lakeproof.scenarios import world
from lakeproof.scenarios._world import LATER
from lakeproof.scenarios.hard_delete_offline import settle
from lakeproof.scenarios.world import AGED, DUMPED, MORTAL, OLD_DUMPED, STOCKED, WORLD, aged
from stateful_tests.swarm import Ground, Swarm

RUNS: Final = 100
"""Of each machine, in CI."""
JUMPS: Final = (LATER, LATER)
TIMES: Final = (
    Faults(clock_jumps=JUMPS),
    Faults(clock_jumps=JUMPS, crashes=1),
    Faults(clock_jumps=JUMPS, lost_answers=1),
    Faults(clock_jumps=JUMPS, crashes=1, lost_answers=1),
)
USERS: Final = (*world.USERS.split(), "upload@main", "upload:y", "commit@main", "reset@main")
GARBAGE: Final = frozenset({"garbage-is-reclaimed"})
"""Not asked under faults: who crashed may have put an object that the next commit decides on, see
docs/online-hard-delete.md; the scenarios ask it without faults."""

LIVING: Final = Swarm(
    name="world/living",
    grounds=(Ground(design=WORLD, before=STOCKED.calls),),
    words=(*USERS, "reap"),
    faults=TIMES,
    spared=GARBAGE,
)
COLLECTED: Final = attrs.evolve(
    LIVING,
    name="world/collected",
    grounds=(Ground(design=WORLD, before=STOCKED.calls, adapt=settle),),
    words=(*USERS, "reap", "collect"),
    faults=(Faults(), Faults(crashes=1), Faults(lost_answers=1)),
)
ENDING: Final = attrs.evolve(
    LIVING,
    name="world/ending",
    grounds=(Ground(design=MORTAL, before=DUMPED.calls), Ground(design=MORTAL, before=STOCKED.calls)),
    words=(
        *("upload@main", "copy_committed", "commit@main", "merge", "create_branch@b", "tag", "dump", "restore_refs"),
        *("delete_repository", "create_repository", "create_bare", "clean", "reap"),
    ),
)
RETAINED: Final = attrs.evolve(
    LIVING,
    name="world/retained",
    grounds=(Ground(design=aged(WORLD), before=AGED.calls),),
    words=(*world.AGED_USERS.replace("collect", "").split(), "mark", "sweep"),
    calls=(1, 2, 2, 3),
    faults=(Faults(), Faults(crashes=1), Faults(lost_answers=1)),
)
RESTORED: Final = attrs.evolve(
    RETAINED,
    name="world/restored",
    grounds=(Ground(design=aged(MORTAL), before=OLD_DUMPED.calls),),
    words=(
        *("delete_branch@z", "revive", "mark", "sweep", "delete_repository", "create_bare", "restore_refs", "clean"),
        *("retain", "be_succeeded"),
    ),
    calls=(2, 3, 4),
)
MACHINES: Final = (LIVING, COLLECTED, ENDING, RETAINED, RESTORED)


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_it_holds_whatever_is_drawn(machine: Swarm) -> None:
    found = machine.seek("ci", RUNS)
    assert found is None, str(found)


@pytest.mark.deep
@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_it_holds_over_thousands_of_runs(machine: Swarm) -> None:
    found = machine.seek("deep", 3_000)
    assert found is None, str(found)


def asked_nothing(env: Env, repository: Repository) -> Env:
    """A job that does not ask whether its repository lives."""
    return env


async def write_nothing(env: Env, repository: Repository, branch: Branch, *_: object) -> None:
    """Neither which tokens are taken, nor which head is left."""


async def publish_nothing(env: Env, repository: Repository, run_id: str, batch_size: int = 0) -> None:
    """Sentences stay in the repository's partition."""


HEIRS: Final = attrs.evolve(
    ENDING,
    name="world/heirs",
    grounds=(Ground(design=MORTAL, before=DUMPED.calls),),
    words=("be_succeeded", "reap", "read@main"),
    calls=(1, 1, 2),
    clients=(2,),
    runs=300,
)
"""A repository and the one that is restored from it, in one namespace."""
LEAVING: Final = attrs.evolve(
    LIVING, name="world/leaving", words=("merge", "revert", "upload@main", "commit@main", "reap"), runs=300
)
"""What takes heads away, beside the online job."""
REVIVED: Final = attrs.evolve(
    RESTORED,
    name="world/revived",
    words=("delete_branch@z", "retain", "be_succeeded"),
    clients=(2,),
    calls=(1, 2, 2),
    runs=600,
)
"""What was swept, and comes back from a dump."""
BUGS: Final[Mapping[str, tuple[ModuleType, str, Callable[..., Any], Swarm]]] = {  # type: ignore[explicit-any]
    "a job does not ask whether its repository lives": (jobs, "asking_first", asked_nothing, HEIRS),
    "a merge and a revert write nothing ahead": (history, "write_ahead", write_nothing, LEAVING),
    "a run does not publish what it has condemned": (sentences, "publish", publish_nothing, REVIVED),
}


@pytest.mark.deep
@pytest.mark.parametrize("seed", ["1", "2", "3"])
@pytest.mark.parametrize("bug", BUGS)
def test_what_only_a_combination_shows_is_found(bug: str, seed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, name, planted, machine = BUGS[bug]
    monkeypatch.setattr(module, name, planted)
    assert machine.seek(seed) is not None
