"""What is left behind: locks of those who stopped, before and after their lease; and tokens that a job did not drop."""

from collections.abc import Mapping
from functools import partial
from typing import Final

import attrs

from lakeproof.designs.branch_designs import BRANCH, MAIN, WRITTEN, BranchDesign, X
from lakeproof.designs.commits import LEASE, LEASED, LOCKED, OPTIMISTIC, STUCK
from lakeproof.designs.designs import HOLDS, Caller, Word, rows, variant
from lakeproof.designs.dropping import LATER, TABLE
from lakeproof.designs.races import CRASH, LATE_WRITE, NONE, Before, Refuted, branch_of
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import BranchFlows
from lakeproof.impl.graveler import optimistic
from lakeproof.impl.graveler.locked import lock_key
from lakeproof.impl.refs.errors import BranchLocked
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model.identifiers import BranchID
from lakeproof.model.invariants import locks, refs
from lakeproof.model.records import Repository
from lakeproof.scenario import Aftermath


async def leave_lock(env: Env, repository: Repository, branch_id: BranchID, lease: int | None) -> None:
    """The lock of a client that has stopped. lease: what is left of it; None: it has none."""
    # As `locked` writes a lock: without a lease, or with its owner and the end of the lease.
    mark = b"locked" if lease is None else b"other@%d" % (await env.clock.now() + lease)
    await env.store.set(uid_partition(repository), lock_key(branch_id), mark)


# The name by which invariants know a write.
async def set_entry(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, identity: bytes, *, flows: BranchFlows
) -> None:
    """A write by who has to know first that his commit has succeeded."""
    await flows.commit(env, repository, branch_id, "before")
    await flows.set_entry(env, repository, branch_id, path, identity)


LEFT: Final[Mapping[str, Word[BranchFlows]]] = {
    "leave_lock": Word(lambda _: leave_lock, BRANCH, LEASE),
    "leave_expired": Word(lambda _: leave_lock, BRANCH, -1),  # over by a microsecond
    "leave_plain": Word(lambda _: leave_lock, BRANCH, None),
    "commit": Word(lambda flows: flows.commit, branch_of(BRANCH, MAIN), Caller.TEXT),
}
LOCKING: Final = ("write", "commit", "delete")


def _design(design: BranchDesign, name: str) -> BranchDesign:
    return attrs.evolve(design, name=f"locks/{name}", words=LEFT, refuted=HOLDS)


AFTER_LEASE: Final = _design(LEASED, "leased")
AFTER_PLAIN: Final = _design(LOCKED, "plain")
ONE_FOR_ALL: Final = attrs.evolve(
    _design(TABLE, "table"),
    refuted={
        locks.SPARES_OTHERS.id: Refuted("one lock for all branches: who stops on one locks all", "commit/crash"),
        # Only crashes are tried here, and a glob without a race is an error.
        "branch-stays-committable": STUCK.but(kept="*/lost-answer */false-predicate"),
    },
)
ONE_EACH: Final = attrs.evolve(
    _design(LOCKED, "one-each"), refuted={"branch-stays-committable": STUCK.but(kept="*/lost-answer */false-predicate")}
)
FAILED: Final = _design(LOCKED, "failed")
IN_DOUBT: Final = attrs.evolve(
    _design(LOCKED, "in-doubt"),
    words={"write_after_commit": Word(lambda flows: partial(set_entry, flows=flows), BRANCH, X, Caller.BYTES)},
    refuted={
        "acknowledged-write-is-kept": Refuted(
            "a commit whose write of the branch is in doubt gives up its lock; the next holder stages under a token "
            "that the branch loses when that write comes late",
            "write.commit.write/late-write",
        )
    },
)
JOB: Final = attrs.evolve(LATER, name="locks/drops-later", refuted=HOLDS)
DROPS: Final = variant(
    OPTIMISTIC, "drops", HOLDS, {"commit": {"reading": optimistic.Reading(tries=3)}}, " (staged entries are dropped)"
)


def _lease(design: BranchDesign, *, advance: int, over: bool) -> tuple[Aftermath]:
    check = locks.taken_over if over else locks.still_locked(BranchLocked)
    return (design.after(locks.LEASE_IS_RESPECTED, LOCKING, check, clock_advance=advance),)


def _other(design: BranchDesign) -> tuple[Aftermath]:
    return (design.after(locks.SPARES_OTHERS, ["commit@main"], locks.spares_others),)


def _same(design: BranchDesign) -> tuple[Aftermath]:
    return (design.after(refs.BRANCH_STAYS_COMMITTABLE, ["commit"], refs.branch_stays_committable),)


def _jobs(*, once: bool) -> tuple[Aftermath]:
    check = locks.dropped_once if once else locks.dropped_in_the_end
    return (LATER.after(locks.DROPPED_IN_THE_END, ["job", "job"], check),)


STOPPED: Final = f"branch-stays-committable {locks.SPARES_OTHERS.id}"

ROWS = [
    *rows(AFTER_LEASE, "leave_lock", more=_lease(AFTER_LEASE, advance=LEASE, over=True), name="at-its-end"),
    *rows(AFTER_LEASE, "leave_lock", more=_lease(AFTER_LEASE, advance=LEASE - 1, over=False), name="before-its-end"),
    *rows(AFTER_LEASE, "leave_plain", more=_lease(AFTER_LEASE, advance=LEASE, over=False), name="without-a-lease"),
    *rows(AFTER_PLAIN, "leave_lock", more=_lease(AFTER_PLAIN, advance=LEASE, over=False), name="that-nobody-looks-at"),
    *rows(AFTER_LEASE, "commit-commit write-commit", NONE, Before("expired/", "leave_expired")),
    *rows(IN_DOUBT, "write.commit.write", LATE_WRITE, only="acknowledged-write-is-kept"),
    # A write in doubt comes when the commit has given the branch another token: under the old one it is not read.
    *rows(IN_DOUBT, "write.write_after_commit", LATE_WRITE, only="acknowledged-write-is-kept"),
    *rows(ONE_EACH, "commit", CRASH, more=_other(ONE_EACH), only=STOPPED),
    # A write that finds no branch gives up its lock.
    *rows(FAILED, "delete_branch.write.create_branch", NONE, more=_same(FAILED), only=STOPPED),
    *rows(ONE_FOR_ALL, "commit", CRASH, more=_other(ONE_FOR_ALL), only=STOPPED),
    *rows(JOB, "commit", NONE, WRITTEN, more=_jobs(once=True)),
    *rows(JOB, "commit", NONE, Before("two/", "write.write:y"), more=_jobs(once=True)),
    *rows(JOB, "commit.job", CRASH, WRITTEN, more=_jobs(once=False)),
    *rows(DROPS, "write.commit-read", NONE | CRASH),
]
