"""The swarm machines by name, what is left out of each, and why.

A machine is named after its design. A name with "+" is a machine of a part of the design's words, which it says more
often: few words find more. What a design's expectations refute is not checked; the table lists what else is not.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import attrs

from lakeproof.designs import world
from lakeproof.designs.alone import HARDENED_ALONE
from lakeproof.designs.hard_delete_offline import settle
from lakeproof.designs.world import AGED, DUMPED, MORTAL, OLD_DUMPED, STOCKED, WORLD, with_old_commits
from lakeproof.impl.hard_delete import online
from lakeproof.scenario import Faults
from stateful_tests.swarm import Ground, Swarm, swarm_of


@attrs.frozen(kw_only=True)
class MachineChanges:
    """How a machine differs from that of its design's rows."""

    words: str = ""
    """The words that it may say; none: all that the design's rows say."""
    unsaid: str = ""
    """Words of the rows that it does not say."""
    spared: str = ""
    """Ids that it does not ask, beside the refuted ones."""
    why: str = ""
    """The reason for what is spared."""
    without: str = ""
    """Kinds of faults that it has not: fields of `Faults`."""
    clients: Sequence[int] = (2, 2, 3)
    calls: Sequence[int] = (1, 1, 2, 2, 3)
    runs: int = 600


MOVED: Final = "an update of a branch that meets a false failure of a predicate answers RefChanged, and took place"
ENTRIES: Final = "the specification is of one path, and of races in which all calls are of its kind"
NAMED: Final = "refuted of branches/plain, whose flow it is: a branch is deleted by its name"
BY_NAME: Final = "branch-delete-spares-successor branch-create-is-effective"
ONE_INSTANCE: Final = "it deletes an instance of the setup's; its specification knows one id"
NAMED_OR_ONCE: Final = "delete_instance create_branch retry_instance retry_delete"
"""Who retries a delete names the instance, or may hit the next one: see repositories/hardened-unnamed."""
NO_BIRTH: Final = "tokens of these flows name no birth: a second branch of one name in an instance looks like the first"
DEFINITE: Final = "refuted of merges/by-set-if, whose merge it is: a false failure is answered as definite"
TWICE: Final = "refuted of tags/plain, whose flow it is: two deletes of a tag both succeed"
LATE: Final = "refusals duplicates scan_failures"
"""A late write of a client may undo what it has written since (``write.write/late-write``). A write whose last look is
refused, or a reset whose clearing of old tokens breaks off, has a definite error, and took place: see
docs/designs/branches.md."""

PLANS: Final[Mapping[str, MachineChanges]] = {
    "repositories/step1": MachineChanges(),
    "repositories/step1+creates": MachineChanges(words="create delete get list", without="duplicates", runs=100),
    "repositories/step2": MachineChanges(),
    "repositories/step2-by-set-if": MachineChanges(),
    "repositories/kv3": MachineChanges(),
    "repositories/hardened": MachineChanges(unsaid=NAMED_OR_ONCE, why=ONE_INSTANCE),
    "repositories/hardened+branches": MachineChanges(
        words="create delete create_branch get_branch tag clean", spared="failed-call-changed-nothing", why=NO_BIRTH
    ),
    "repositories/hardened+crowd": MachineChanges(
        unsaid=NAMED_OR_ONCE, why=ONE_INSTANCE, clients=(4, 5, 6), calls=(2, 3, 4), runs=200
    ),
    "branches/plain": MachineChanges(spared="acknowledged-write-is-kept", why=MOVED),
    "branches/tombstone": MachineChanges(),
    "tags/plain": MachineChanges(),
    "commits/lock-free": MachineChanges(spared=BY_NAME, why=NAMED, without=LATE),
    "commits/lock-free+crowd": MachineChanges(
        spared=BY_NAME, why=NAMED, without=LATE, clients=(4, 5, 6), calls=(2, 3, 4), runs=200
    ),
    "commits/lock-free+writes": MachineChanges(words="write write:y delete read commit", without=LATE, runs=1000),
    "commits/lock-free+reads": MachineChanges(
        words="write.commit read", clients=(2,), calls=(1, 2), without=LATE, runs=1000
    ),
    "commits/lock-free+resets": MachineChanges(
        words="write commit reset_entry reset_prefix read", without=LATE, runs=1000
    ),
    "commits/lock-free+restorations": MachineChanges(
        words="commit reset_entry.read reset_prefix.read", clients=(2,), without=LATE, runs=1000
    ),
    "commits/lock-free+commits": MachineChanges(words="write write:y commit", without=LATE, runs=2000),
    "commits/optimistic": MachineChanges(spared="linearizable", why=ENTRIES, without=LATE),
    "commits/optimistic+writes": MachineChanges(words="write commit", without=LATE, runs=1000),
    "commits/locked": MachineChanges(spared="linearizable", why=NAMED),
    "merges/by-set-if": MachineChanges(without=LATE),
    "merges/by-set-if+sealed": MachineChanges(words="merge commit revert", without=LATE, calls=(1,), runs=100),
    "under-deletion/kv3": MachineChanges(without="false_predicates", spared="linearizable", why=f"{DEFINITE}; {TWICE}"),
    "under-deletion/hardened": MachineChanges(
        without="false_predicates", spared="linearizable", why=f"{DEFINITE}; {TWICE}"
    ),
    "dumps/branches-first": MachineChanges(),
    "restores/plain": MachineChanges(),
    "restores/tombstone": MachineChanges(),
    "migrations/by-version": MachineChanges(clients=(2,), calls=(1,)),
    "hard-delete/today": MachineChanges(),
    "hard-delete/object_path": MachineChanges(),
    "hard-delete/object_path-immutable": MachineChanges(),
    "hard-delete/reference_counter": MachineChanges(),
    "hard-delete/reference_counter-careful": MachineChanges(without="refusals false_predicates"),
    "hard-delete/reference_tracking": MachineChanges(),
    "hard-delete/token_states": MachineChanges(),
    "hard-delete/token_states-mended": MachineChanges(runs=2000),
    "hard-delete/no_copies": MachineChanges(),
    "hard-delete/no_copies-careful": MachineChanges(),
    "hard-delete/no_copies-circumstances": MachineChanges(
        words="move move.upload:y", clients=(2,), calls=(1,), runs=50
    ),
    "hard-delete/offline": MachineChanges(),
    "hard-delete/offline-mended": MachineChanges(),
    "hard-delete/offline-mended+copies": MachineChanges(
        words="copy copy@main:x delete.job", clients=(2,), calls=(1,), runs=1000
    ),
    "hard-delete/online": MachineChanges(),
    "hard-delete/online-decided": MachineChanges(),
    "hard-delete/online-untimed": MachineChanges(),
    "hard-delete/online-untimed+commits": MachineChanges(
        words="upload commit job", clients=(3,), calls=(1, 1, 2), runs=1000
    ),
    "hard-delete/online-untimed+merges": MachineChanges(
        words="upload@main.commit@main merge job", clients=(1, 2), calls=(1, 2, 3), runs=200
    ),
    "retention/text": MachineChanges(),
    "retention/order-twice": MachineChanges(),
    "retention/pinned": MachineChanges(),
    "retention/pinned+runs": MachineChanges(
        words="mark.sweep create_branch update_branch tag revert restore", clients=(2,)
    ),
}

# One repository, everything on: each machine has the ground on which its words mean something. A repository that lives,
# beside the online job or the offline one; one that is deleted, cleaned, created anew and restored; one whose commits
# are old, beside retention.
# One microsecond past the lifetime: the store refuses a put, and the job may act.
LATER: Final = online.AS_WRITTEN.lifetime + 1
JUMPS: Final = (LATER, LATER)
TIMES: Final = (
    Faults(clock_jumps=JUMPS),
    Faults(clock_jumps=JUMPS, crashes=1),
    Faults(clock_jumps=JUMPS, lost_answers=1),
    Faults(clock_jumps=JUMPS, crashes=1, lost_answers=1),
)
USERS: Final = (*world.USERS.split(), "upload@main", "upload:y", "commit@main", "reset@main")
GARBAGE: Final = frozenset({"garbage-is-reclaimed"})
"""Not checked under faults: a client that crashed may have put an object that the next commit decides on, see
docs/designs/hard-delete.md; the scenarios ask it without faults."""

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
    grounds=(Ground(design=with_old_commits(WORLD), before=AGED.calls),),
    words=(*world.AGED_USERS.replace("collect", "").split(), "mark", "sweep"),
    calls=(1, 2, 2, 3),
    faults=(Faults(), Faults(crashes=1), Faults(lost_answers=1)),
)
RESTORED: Final = attrs.evolve(
    RETAINED,
    name="world/restored",
    grounds=(Ground(design=with_old_commits(MORTAL), before=OLD_DUMPED.calls),),
    words=(
        *("delete_branch@z", "revive", "mark", "sweep", "delete_repository", "create_bare", "restore_refs", "clean"),
        *("retain", "be_succeeded"),
    ),
    calls=(2, 3, 4),
)
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

BY_HAND: Final[Mapping[str, Swarm]] = {
    "alone/hardened": Swarm(
        name="alone/hardened",
        grounds=(Ground(design=HARDENED_ALONE, before=("create", "delete", "create", "delete")),),
        words=("clean", "create.delete"),
        faults=(Faults(refusals=1), Faults(lost_answers=1)),
        clients=(1,),
        runs=50,
    ),
    **{each.name: each for each in (LIVING, COLLECTED, ENDING, RETAINED, RESTORED, HEIRS, LEAVING, REVIVED)},
}
"""Machines of what no row of the catalogue has as a design of its own name."""


def machine(name: str, *, only: str = "") -> Swarm:
    """The machine of this name; of a design that the table does not name, that of its rows.

    only: the ids of the invariants to check; none: all that are neither refuted nor spared.

    Raises:
        KeyError: no such design.
    """
    if name in BY_HAND:
        return attrs.evolve(BY_HAND[name], only=frozenset(only.split()))
    plan = PLANS.get(name, MachineChanges())
    # What stands behind "+" only names the machine; the rows are those of the design.
    swarm = swarm_of(name.partition("+")[0], without=plan.without)
    return attrs.evolve(
        swarm,
        name=name,
        words=tuple(plan.words.split()) or tuple(word for word in swarm.words if word not in plan.unsaid.split()),
        spared=swarm.spared | frozenset(plan.spared.split()),
        only=frozenset(only.split()),
        clients=tuple(plan.clients),
        calls=tuple(plan.calls),
        runs=plan.runs,
    )
