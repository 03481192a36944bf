"""Hard delete, offline: mark and sweep from outside, in the right order and in every other one; and copies.

All races are *settled*, but those about time (``slow``, ``-no-min-age``, ``-skewed``, ``-margin``, ``link-in-time``):
what the setup has left is old, what begins during the race is not. One clock jump makes the difference: who brings an
object or an entry begins after it. So each such operation takes less than the job's minimum age, which is what the job
relies on.
"""

from collections.abc import Iterator, Mapping
from functools import cache, partial
from typing import Any, Final

import attrs

from lakeproof.designs._hard_delete import COMMITTED, GARBAGE, KEPT, STAGED, UPLOADED, ObjectDesign
from lakeproof.designs.branch_designs import BRANCH, Y
from lakeproof.designs.designs import HOLDS, Row, Word, rows, variant
from lakeproof.designs.races import FAULTY, HARD, NONE, PAGED, Before, Refuted, fault
from lakeproof.impl.catalog.objects import GetAddress, Grant
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import Flow, ObjectFlows, bind_reading
from lakeproof.impl.hard_delete import offline
from lakeproof.impl.hard_delete.offline import Reading
from lakeproof.impl.refs import tags
from lakeproof.impl.refs.errors import GravelerError
from lakeproof.model.catalog import ObjectEntry
from lakeproof.model.identifiers import BranchID
from lakeproof.model.records import Repository
from lakeproof.scenario import Call, Faults, Scenario

HOUR: Final = 3_600_000_000
JUMP: Final = 2 * HOUR
START: Final = 1_700_000_000_000_000
# By the names of flows: what brings an object, or an entry for one that is there.
WAITING: Final = frozenset(
    ("upload_object", "upload_and_link", "copy_object", "move_object", "stage_again", "link_physical_address")
)
NOTED: Final = (b"user", b"grant")


class NotYet(GravelerError):
    """The call was made too early for the race; it did nothing."""


@cache
def begins_late(flow: Flow, name: str) -> Flow:
    """The flow, which does nothing before the clock has jumped."""

    async def late(env: Env, *args: object, **options: object) -> Any:  # type: ignore[explicit-any]  # the flow's result
        if await env.clock.now() < START + JUMP:
            raise NotYet(name)
        return await flow(env, *args, **options)

    late.__name__ = name  # invariants and specifications know a call by its flow's name
    return late


def settle(given: Scenario, waiting: frozenset[str] = WAITING) -> Scenario:
    """The scenario after a while. waiting: the flows that begin then."""

    def late(call: Call) -> Call:
        options: Any = dict(call.options)  # type: ignore[explicit-any]  # none of them is called "attempts"
        # `attempts` is 1 for all these words: a call that came too early is not made again.
        return Call(begins_late(call.flow, call.name), *call.args, **options) if call.name in waiting else call

    clients = [[late(call) for call in client] for client in given.clients]
    # In the place of any other jumps.
    return attrs.evolve(given, clients=clients, faults=attrs.evolve(given.faults, clock_jumps=(JUMP,)))


settled = partial(rows, adapt=settle)
"""Each race under each of these faults, settled: see `rows`."""
staged = partial(settled, before=UPLOADED)
"""The same after an upload."""


async def note_grant(env: Env, repository: Repository, branch_id: BranchID, path: bytes, ask: GetAddress) -> None:
    """What a user does first: ask for an address, put the object, note what he was given."""
    grant = await ask(env, repository, branch_id, path)
    await env.objects.put(grant.address, b"late")
    # By the store, since one call cannot hand its grant on to another.
    await env.store.set(*NOTED, f"{grant.expires} {grant.address}".encode())


async def link_physical_address(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, grant: str, content: bytes
) -> ObjectEntry:
    """What he does in the end: link it. grant: the key of the note. Raises as `offline.link_physical_address`."""
    expires, _, address = (await env.store.get(NOTED[0], grant.encode())).value.decode().partition(" ")
    issued = Grant(address, expires=int(expires))
    return await offline.link_physical_address(env, repository, branch_id, path, issued, content)


WORDS: Final[Mapping[str, Word[ObjectFlows]]] = {
    "tag": Word(lambda _: tags.create_tag, "t", BRANCH),
    "delete_tag": Word(lambda _: tags.delete_tag, "t"),
    "create_branch_from_tag": Word(lambda flows: flows.create_branch, "c", "t"),
    "prepare_link": Word(lambda flows: partial(note_grant, ask=flows.get_physical_address), BRANCH, Y),
    "finish_link": Word(lambda _: link_physical_address, BRANCH, Y, NOTED[1].decode(), b"late"),
}

IN_FLIGHT: Final = Refuted(
    "a commit that is under way holds an entry that was overwritten under its token since it was read: no listing "
    "shows it any more, and none shows it yet",
    "staged/upload.job-commit* staged/delete.job-commit* staged/upload-commit-job staged/delete-commit-job",
)
MOVED_BEHIND: Final = Refuted(
    "an entry is copied to where the job has looked, and deleted where it has not; or it is read by who copies it, "
    "then deleted, and staged when the job has passed",
    "staged/copy-delete.job staged/copy@main:x-delete_branch.job staged/move_back:z-job/paged onmain/* "
    "staged/stage-delete.job",
)

hourly = partial(Reading, min_age=HOUR)

OFFLINE: Final = ObjectDesign(
    name="hard-delete/offline",
    flows=bind_reading(offline.FLOWS, reading=hourly()),
    source="hard-delete-uncommitted-data.md, Decision; the order: that of the GC's listings",
    words=WORDS,
    refuted={COMMITTED: IN_FLIGHT, STAGED: MOVED_BEHIND},
    grace=4 * JUMP,
)

BY_INITIAL: Final = {part[0]: part for part in offline.ORDER}  # o, u, c: objects, uncommitted, committed
TOO_LATE: Final = Refuted(
    "the entry is committed, and its staged form dropped, between the listing of commits and that of what is staged",
    ("staged/commit-job", "staged/upload.commit-job", *IN_FLIGHT.races),
)
ORDERS: Final = [
    variant(OFFLINE, initials, {COMMITTED: why}, reading=hourly(order=tuple(BY_INITIAL[each] for each in initials)))
    for why, orders in ((IN_FLIGHT, "uoc uco"), (TOO_LATE, "ocu cou cuo"))
    for initials in orders.split()
]
RENAMED: Final = Refuted(
    "a branch is created from a commit that another name led to when the job looked for it, or before",
    "committed/create_branch-delete_branch.job tagged/create_branch_from_tag.delete_tag-job",
)
REACHABLE: Final = variant(OFFLINE, "reachable", {COMMITTED: RENAMED}, reading=hourly(commits="reachable"))
WHOLE: Final = variant(OFFLINE, "whole-namespace", HOLDS, reading=hourly(prefix=""))
UNSPARED: Final = Refuted("ranges and metaranges are objects that no entry refers to", "committed/job")
UNSPARING: Final = variant(
    OFFLINE, "spares-nothing", {COMMITTED: UNSPARED, GARBAGE: UNSPARED}, reading=hourly(prefix="", spares=())
)
TOO_YOUNG: Final = {STAGED: Refuted("an object is put, and its entry is not staged yet", "upload-job* slow/upload-job")}
IMPATIENT: Final = variant(OFFLINE, "no-min-age", TOO_YOUNG, reading=Reading(min_age=0))
# The job's clock is ahead in its race, by more than the minimum age: see `AHEAD`.
SKEWED: Final = variant(OFFLINE, "skewed", TOO_YOUNG)
MARGIN: Final = variant(OFFLINE, "margin", HOLDS, reading=hourly(margin=JUMP))


def copying(name: str, reading: Reading, lost: str = "", why: str = "") -> ObjectDesign:
    """Copies in another reading, and where staged data is lost with them."""
    refuted = {COMMITTED: IN_FLIGHT, STAGED: Refuted(why, lost)} if lost else {COMMITTED: IN_FLIGHT}
    return variant(OFFLINE, name, refuted, None, " (ours: copies)", reading=reading)


VERIFIED: Final = copying(
    "tracks-verified",
    hourly(copies="verified", records="last"),
    "again/*",
    "who removes the old record of a copy removes a newer one of the same object",
)
PER_COPY: Final = copying("tracks-per-copy", hourly(copies="verified apart", records="last"))
COPYING: Final = (
    copying("full-copy", hourly(copies="full")),
    copying(
        "tracks",
        hourly(copies="tracked", records="last"),
        "staged/copy-delete.job staged/copy@main:x-delete_branch.job",
        "the job is done before the copy is tracked",
    ),
    copying(
        "tracks-first",
        hourly(copies="verified apart", records="first"),
        "onmain/* staged/move_back:z-job/paged",
        "the job reads what is tracked before it looks for entries",
    ),
    VERIFIED,
    PER_COPY,
)

NOTE: Final = (None, " (ours: a commit that looks again)")
TWICE: Final = hourly(looks_again=True, commit_tries=2)
LOOKS_AGAIN: Final = variant(OFFLINE, "looks-again", HOLDS, *NOTE, reading=TWICE)
HIDDEN: Final = Refuted("a newer token hides an entry that a commit is about to take", "staged/upload.job-commit")
SHOWN: Final = variant(OFFLINE, "shown", {COMMITTED: HIDDEN}, *NOTE, reading=attrs.evolve(TWICE, entries="shown"))
IN_TIME: Final = attrs.evolve(offline.MENDED, min_age=HOUR, lifetime=HOUR // 2, commit_tries=2)
MENDED: Final = variant(OFFLINE, "mended", HOLDS, None, " (ours: all repairs at once)", reading=IN_TIME)

ON_MAIN: Final = Before("onmain/", "upload@main")
TAGGED: Final = Before("tagged/", "upload.commit.tag.delete_branch")
AGAIN: Final = Before("again/", "upload@main.copy_from_main:x.reset")
IN_TWO: Final = Before("two-staged/", "upload.upload:y")
SEALED: Final = Before("sealed/", "upload.seal.upload:y")
SIDELINE: Final = Before("sideline/", "upload.commit.upload.commit.merge.delete_branch")
OLD_GRANT: Final = Before("", "upload.prepare_link")
SLOW: Final = Before("slow/", "")
LATER: Final = fault("", Faults(clock_jumps=(JUMP,)))
AHEAD: Final = fault("", Faults(clock_skew=(0, JUMP)))  # the second client: the job
BY_TWO: Final = fault("paged-2")
LATE_LINK: Final = attrs.evolve(
    OFFLINE, refuted={STAGED: Refuted("nothing refers to an object between its put and its link", "late-link")}
)


COPIED_LATE: Final = partial(settle, waiting=frozenset({"copy_object"}))
"""A move may note its copy long before; it ends while its record is still young for the next who copies its object."""


def copies(design: ObjectDesign) -> Iterator[Row]:
    """The races of copies."""
    yield from staged(design, "copy-delete.job copy@main:x-delete_branch.job")
    yield from settled(design, "copy_from_main:x.delete@main-job", NONE, ON_MAIN)
    yield from settled(design, "move_back:z-job", PAGED, Before("staged/", "upload:z.upload:y"), paged=1)


ROWS = [
    *settled(OFFLINE, "upload-job upload.reset-job upload.delete_branch-job link-job"),
    *settled(OFFLINE, "upload-job", HARD),
    *staged(OFFLINE, "reset-job delete_branch-job delete-job commit-job"),
    *staged(OFFLINE, "delete_branch-job delete-job", HARD),
    *staged(OFFLINE, "commit-job", PAGED, paged=1),
    *staged(OFFLINE, "upload.job-commit"),
    *settled(OFFLINE, "create_branch-delete_branch.job merge-job job-job", NONE, KEPT),
    *settled(OFFLINE, "create_branch_from_tag.delete_tag-job", NONE, TAGGED),
    *staged(OFFLINE, "stage-delete.job"),
    *settled(OFFLINE, "job", NONE, SEALED),
    *copies(OFFLINE),
    *staged(ORDERS, "commit-job"),
    # A commit gets a tag before its branch goes: the job has to read the tags, and after the branches.
    *settled(REACHABLE, "create_branch-delete_branch.job merge-job tag.delete_branch-job", NONE, KEPT),
    *settled(REACHABLE, "create_branch_from_tag.delete_tag-job", NONE, TAGGED),
    # What was overwritten on a branch that is merged and gone: the second parent of the merge leads to it.
    *settled(REACHABLE, "job", NONE, SIDELINE),
    *settled((WHOLE, UNSPARING), "job", NONE, KEPT),
    *rows(attrs.evolve(OFFLINE, refuted=TOO_YOUNG), "upload-job", LATER, SLOW),
    *rows(IMPATIENT, "upload-job"),
    *rows((SKEWED, MARGIN), "upload-job", AHEAD),
    *settled((LATE_LINK, MENDED), "job-finish_link", NONE, OLD_GRANT, name="late-link"),
    # Without the jump the grant is still good, and the object too young for the job.
    *rows(MENDED, "job-finish_link", NONE, OLD_GRANT, name="link-in-time"),
    *(row for design in COPYING for row in copies(design)),
    # Two runs of the job, while an object is copied that was copied long ago.
    *settled((VERIFIED, PER_COPY), "copy_from_main:x.delete@main-job.job", NONE, AGAIN),
    # The source is replaced by an old object, once it was read, and deleted: the record must be of what is staged.
    *rows(PER_COPY, "copy-move_back.delete.job copy-move_back.job", NONE, IN_TWO, adapt=COPIED_LATE, only=STAGED),
    *staged(LOOKS_AGAIN, "commit-job upload.job-commit"),
    *settled(LOOKS_AGAIN, "upload.job-commit upload:y.job-commit", NONE, SEALED),
    # Not late: an address of the namespace is refused whenever it is staged.
    *rows(MENDED, "stage-delete.job", NONE, UPLOADED, adapt=partial(settle, waiting=WAITING - {"stage_again"})),
    # Too large for every run.
    *staged(SHOWN, "upload.job-commit", deep=True),
    *settled(OFFLINE, "upload.commit-job", BY_TWO, Before("staged/", "upload:z"), paged=2, deep=True),
    *staged(OFFLINE, "commit-job", FAULTY, deep=True),
    *staged(OFFLINE, "upload.commit-job commit-job-job commit-reset-job", deep=True),
    *staged(OFFLINE, "delete.job-commit upload-commit-job delete-commit-job", deep=True),
    *staged(ORDERS, "upload.job-commit upload.commit-job", deep=True),
    *staged(LOOKS_AGAIN, "delete.job-commit upload-commit-job delete-commit-job", deep=True),
    *staged(LOOKS_AGAIN, "reset-commit-job commit-commit-job", deep=True),
    *staged(LOOKS_AGAIN, "upload.job-commit", FAULTY, deep=True),
    *staged(MENDED, "copy-commit-job copy@main:x-commit-job move-commit-job", deep=True),
    *settled(MENDED, "copy_from_main:x.delete@main-job", HARD, ON_MAIN, deep=True),
    *settled(MENDED, "merge-job-commit", NONE, Before("committed/", "upload.commit.upload:y"), deep=True),
]
