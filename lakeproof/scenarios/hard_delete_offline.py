"""Hard delete, offline: mark and sweep from outside, in the right order and in every other one; and copies.

All races but the ``slow`` ones are *settled*: what the setup has left is old, what begins during the race is not. One
clock jump makes the difference: who brings an object or an entry begins after it. So each such operation takes less
than the job's minimum age, which is what the job relies on.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any, Final

import attrs

from lakeproof.impl.catalog import objects as catalog
from lakeproof.impl.catalog.objects import Grant
from lakeproof.impl.effects import Env
from lakeproof.impl.hard_delete import offline
from lakeproof.impl.refs.errors import GravelerError
from lakeproof.model.catalog import ObjectEntry
from lakeproof.model.identifiers import BranchID
from lakeproof.model.invariants import data
from lakeproof.model.records import Repository
from lakeproof.scenario import Call, Faults, Flow, Scenario
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY, X, Y
from lakeproof.scenarios._hard_delete import FAULTS, MAIN, PAGED, Variant, Z, scenario
from lakeproof.scenarios._life_cycle import Refuted

SOURCE: Final = "hard-delete-uncommitted-data.md, Decision; the order: that of the GC's listings"
HOUR: Final = 3_600_000_000
MIN_AGE: Final = HOUR
JUMP: Final = 2 * HOUR
START: Final = 1_700_000_000_000_000
ALONE: Final = {"": Faults()}
FAULTY: Final = {suffix: faults for suffix, faults in FAULTS.items() if suffix}
UNCONDITIONAL: Final = {suffix: FAULTS[suffix] for suffix in ("/crash", "/lost-answer")}
COMMITTED: Final = data.committed_data_is_kept.id
STAGED: Final = data.staged_data_is_kept.id
UPLOADED: Final = ("upload",)
WAITING: Final = ("upload_object", "upload_and_link", "copy_object", "move_object", "stage_again", "link_noted")
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

    late.__name__ = name
    return late


def settled(given: Scenario) -> Scenario:
    """The scenario after a while."""
    return attrs.evolve(
        given,
        clients=[[_late(call) for call in client] for client in given.clients],
        faults=attrs.evolve(given.faults, clock_jumps=(JUMP,)),
    )


def _late(call: Call) -> Call:
    flow = begins_late(call.flow, call.name) if call.name in WAITING else call.flow
    return _with(call, flow)


def _with(call: Call, flow: Flow) -> Call:
    options: Any = dict(call.options)  # type: ignore[explicit-any]  # none of them is called "attempts"
    return Call(flow, *call.args, **options)


def races(
    variant: Variant,
    names: Sequence[str],
    faults: Mapping[str, Faults] = ALONE,
    *,
    paged: int = 0,
    initially: Sequence[str] = (),
    under: str = "",
    deep: bool = False,
) -> Iterator[Scenario]:
    """Each race under each of these faults, settled. As `_hard_delete.scenarios`."""
    for race in names:
        for suffix, budget in faults.items():
            yield settled(
                scenario(
                    variant, race, budget, suffix=suffix, paged=paged, initially=initially, deep=deep, name=under + race
                )
            )


async def note_grant(env: Env, repository: Repository, branch_id: BranchID, path: bytes, lifetime: int) -> None:
    """What a user does first: ask for an address, put the object, note what he was given."""
    grant = await offline.get_physical_address(env, repository, branch_id, path, lifetime=lifetime)
    await env.objects.put(grant.address, b"late")
    await env.store.set(*NOTED, f"{grant.expires} {grant.address}".encode())


async def link_noted(env: Env, repository: Repository, branch_id: BranchID, path: bytes) -> ObjectEntry:
    """What he does in the end: link it. Raises as `link_physical_address`."""
    expires, _, address = (await env.store.get(*NOTED)).value.decode().partition(" ")
    grant = Grant(address, expires=int(expires))
    return await offline.link_physical_address(env, repository, branch_id, path, grant, b"late")


def late_link(variant: Variant, lifetime: int, name: str = "late-link", verdict: str = "holds") -> Scenario:
    """A job, and a user who links what he has put long ago."""
    given = scenario(variant, "job", initially=UPLOADED, name=name)
    return attrs.evolve(
        given,
        setup=[*given.setup, Call(note_grant, REPOSITORY, BRANCH, Y, lifetime)],
        clients=[*given.clients, [Call(link_noted, REPOSITORY, BRANCH, Y)]],
        expect={STAGED: verdict},
        reason="" if verdict == "holds" else "nothing refers to an object between its put and its link",
    )


def refusing(given: Scenario) -> Scenario:
    """The scenario with a `stage_object` that takes no address in the namespace."""
    stage = partial(catalog.stage_again, stage=partial(offline.stage_object, inside=False))
    return attrs.evolve(
        given,
        clients=[
            [_with(call, stage) if call.name == "stage_again" else call for call in client] for client in given.clients
        ],
    )


WORDS: Final[Mapping[str, tuple[str, tuple[Hashable, ...]]]] = {
    "branch": ("create_branch", ("c", BRANCH)),
    "tag": ("create_tag", ("t", BRANCH)),
    "untag": ("delete_tag", ("t",)),
    "revive": ("create_branch", ("c", "t")),
    "merge": ("merge", (MAIN, BRANCH, "merged")),
    "copydown": ("copy_object", (BRANCH, X, MAIN, X)),
    "deletemain": ("delete_object", (MAIN, X)),
    "resetmain": ("reset_branch", (MAIN,)),
    "uploadz": ("upload_object", (BRANCH, Z)),
    "moveback": ("move_object", (BRANCH, Z, X)),
}
COPYING: Final = ("copy", "copymain", "copydown", "move", "moveback")

IN_FLIGHT: Final = Refuted(
    "a commit that is under way holds an entry that was overwritten under its token since it was read: no listing "
    "shows it any more, and none shows it yet",
    ("staged/upload.job-commit*", "staged/delete.job-commit*", "staged/upload-commit-job", "staged/delete-commit-job"),
)
MOVED_BEHIND: Final = Refuted(
    "an entry is copied to where the job has looked, and deleted where it has not; or it is read by who copies it, "
    "then deleted, and staged when the job has passed",
    (
        "staged/copy-delete.job",
        "staged/copy-reset.job",
        "staged/copymain-drop.job",
        "staged/moveback-job/paged",
        "onmain/*",
        "staged/stage-delete.job",
    ),
)

OFFLINE: Final = Variant(
    name="hard-delete/offline",
    flows=offline,
    source=SOURCE,
    words=WORDS,
    options={"job": {"min_age": MIN_AGE}},
    refuted={COMMITTED: IN_FLIGHT, STAGED: MOVED_BEHIND},
    grace=4 * JUMP,
)


def reading(name: str, refuted: Mapping[str, Refuted], **job: Hashable) -> Variant:
    """The job in another reading."""
    options = {"job": {"min_age": MIN_AGE, **job}}
    return attrs.evolve(OFFLINE, name=f"{OFFLINE.name}-{name}", options=options, refuted=refuted)


TOO_LATE: Final = Refuted(
    "the entry is committed, and its staged form dropped, between the listing of commits and that of what is staged",
    ("staged/commit-job", "staged/upload.commit-job", *IN_FLIGHT.races),
)
RIGHT: Final = [
    reading("uoc", {COMMITTED: IN_FLIGHT}, order=("uncommitted", "objects", "committed")),
    reading("uco", {COMMITTED: IN_FLIGHT}, order=("uncommitted", "committed", "objects")),
]
WRONG: Final = [
    reading("ocu", {COMMITTED: TOO_LATE}, order=("objects", "committed", "uncommitted")),
    reading("cou", {COMMITTED: TOO_LATE}, order=("committed", "objects", "uncommitted")),
    reading("cuo", {COMMITTED: TOO_LATE}, order=("committed", "uncommitted", "objects")),
]
REACHABLE: Final = reading(
    "reachable",
    {
        COMMITTED: Refuted(
            "a branch is created from a commit that another name led to when the job looked for it, or before",
            ("committed/branch-drop.job", "tagged/revive.untag-job"),
        )
    },
    commits="reachable",
)
WHOLE: Final = reading("whole-namespace", {}, prefix="")
UNSPARING: Final = reading(
    "spares-nothing",
    dict.fromkeys(
        (COMMITTED, data.GARBAGE_IS_RECLAIMED),
        Refuted("ranges and metaranges are objects that no entry refers to", ("committed/job",)),
    ),
    prefix="",
    spares=(),
)
TOO_YOUNG: Final = Refuted("an object is put, and its entry is not staged yet", ("upload-job*", "slow/upload-job"))
IMPATIENT: Final = attrs.evolve(
    reading("no-min-age", {STAGED: TOO_YOUNG}), options={"job": {"min_age": 0}}, grace=4 * JUMP
)
SKEWED: Final = reading("skewed", {STAGED: TOO_YOUNG})
MARGIN: Final = reading("margin", {}, margin=JUMP)


def copying(name: str, races_: Sequence[str], why: str, tracked: str = "never", **copy: Hashable) -> Variant:
    """Copies in another reading."""
    job = {"min_age": MIN_AGE, "tracked": tracked}
    return attrs.evolve(
        OFFLINE,
        name=f"{OFFLINE.name}-{name}",
        source=f"{SOURCE} (ours: copies)",
        options={"job": job, **dict.fromkeys(COPYING, copy)},
        refuted={COMMITTED: IN_FLIGHT, STAGED: Refuted(why, tuple(races_))} if races_ else {COMMITTED: IN_FLIGHT},
    )


FULL: Final = copying("full-copy", (), "", full=True)
TRACKS: Final = copying(
    "tracks",
    ("staged/copy-delete.job", "staged/copymain-drop.job"),
    "the job is done before the copy is tracked",
    "last",
    tracks=True,
)
TRACKS_FIRST: Final = copying(
    "tracks-first",
    ("onmain/*", "staged/moveback-job/paged"),
    "the job reads what is tracked before it looks for entries",
    "first",
    tracks=True,
    verifies=True,
    per_copy=True,
)
VERIFIED: Final = copying(
    "tracks-verified",
    ("again/*",),
    "who removes the old record of a copy removes a newer one of the same object",
    "last",
    tracks=True,
    verifies=True,
)
PER_COPY: Final = copying("tracks-per-copy", (), "", "last", tracks=True, verifies=True, per_copy=True)

LOOKS_AGAIN: Final = attrs.evolve(
    OFFLINE,
    name="hard-delete/offline-looks-again",
    source=f"{SOURCE} (ours: a commit that looks again)",
    options={**OFFLINE.options, "commit": {"looks_again": True, "tries": 2}},
    refuted={},
)
SHOWN: Final = attrs.evolve(
    LOOKS_AGAIN,
    name="hard-delete/offline-shown",
    options={**LOOKS_AGAIN.options, "job": {"min_age": MIN_AGE, "entries": "shown"}},
    refuted={
        COMMITTED: Refuted("a newer token hides an entry that a commit is about to take", ("staged/upload.job-commit",))
    },
)
MENDED: Final = attrs.evolve(
    PER_COPY,
    name="hard-delete/offline-mended",
    source=f"{SOURCE} (ours: all repairs at once)",
    options={**PER_COPY.options, "commit": {"looks_again": True, "tries": 2}},
    refuted={},
)

COPIES: Final = ("copy-delete.job", "copymain-drop.job")
ON_MAIN: Final = ("copydown.deletemain-job",)
SLOW: Final = Faults(clock_jumps=(JUMP,))


def copies(variant: Variant) -> Iterator[Scenario]:
    """The races of copies."""
    yield from races(variant, COPIES, initially=UPLOADED, under="staged/")
    yield from races(variant, ON_MAIN, initially=["uploadmain"], under="onmain/")
    yield from races(variant, ["moveback-job"], PAGED, paged=1, initially=["uploadz", "uploady"], under="staged/")


def twice(variant: Variant) -> Iterator[Scenario]:
    """Two runs of the job, while an object is copied that was copied long ago."""
    before = ["uploadmain", "copydown", "reset"]
    yield from races(variant, ["copydown.deletemain-job.job"], initially=before, under="again/")


SCENARIOS = [
    *races(OFFLINE, ["upload-job", "upload.reset-job", "upload.drop-job", "link-job"]),
    *races(OFFLINE, ["upload-job"], UNCONDITIONAL),
    *races(OFFLINE, ["reset-job", "drop-job", "delete-job", "commit-job"], initially=UPLOADED, under="staged/"),
    *races(OFFLINE, ["drop-job", "delete-job"], UNCONDITIONAL, initially=UPLOADED, under="staged/"),
    *races(OFFLINE, ["commit-job"], PAGED, paged=1, initially=UPLOADED, under="staged/"),
    *races(OFFLINE, ["upload.job-commit"], initially=UPLOADED, under="staged/"),
    *races(OFFLINE, ["branch-drop.job", "merge-job", "job-job"], initially=["upload", "commit"], under="committed/"),
    *races(OFFLINE, ["revive.untag-job"], initially=["upload", "commit", "tag", "drop"], under="tagged/"),
    *races(OFFLINE, ["stage-delete.job"], initially=UPLOADED, under="staged/"),
    *copies(OFFLINE),
    *(
        each
        for variant in (*RIGHT, *WRONG)
        for each in races(variant, ["commit-job"], initially=UPLOADED, under="staged/")
    ),
    *races(REACHABLE, ["branch-drop.job", "merge-job"], initially=["upload", "commit"], under="committed/"),
    *races(REACHABLE, ["revive.untag-job"], initially=["upload", "commit", "tag", "drop"], under="tagged/"),
    *races(WHOLE, ["job"], initially=["upload", "commit"], under="committed/"),
    *races(UNSPARING, ["job"], initially=["upload", "commit"], under="committed/"),
    scenario(attrs.evolve(OFFLINE, refuted={STAGED: TOO_YOUNG}), "upload-job", SLOW, name="slow/upload-job"),
    scenario(IMPATIENT, "upload-job"),
    scenario(SKEWED, "upload-job", Faults(clock_skew=(0, JUMP))),
    scenario(MARGIN, "upload-job", Faults(clock_skew=(0, JUMP))),
    settled(late_link(OFFLINE, 0, verdict="violated")),
    settled(late_link(MENDED, MIN_AGE // 2)),
    late_link(MENDED, MIN_AGE // 2, "link-in-time"),
    *(each for variant in (FULL, TRACKS, TRACKS_FIRST, VERIFIED, PER_COPY) for each in copies(variant)),
    *(each for variant in (VERIFIED, PER_COPY) for each in twice(variant)),
    *races(LOOKS_AGAIN, ["commit-job", "upload.job-commit"], initially=UPLOADED, under="staged/"),
    *(refusing(each) for each in races(MENDED, ["stage-delete.job"], initially=UPLOADED, under="staged/")),
    # Too large for every run.
    *races(SHOWN, ["upload.job-commit"], initially=UPLOADED, under="staged/", deep=True),
    *races(
        OFFLINE,
        ["upload.commit-job"],
        {"/paged-2": Faults()},
        paged=2,
        initially=["uploadz"],
        under="staged/",
        deep=True,
    ),
    *races(OFFLINE, ["commit-job"], FAULTY, initially=UPLOADED, under="staged/", deep=True),
    *races(
        OFFLINE,
        ["upload.commit-job", "commit-job-job", "commit-reset-job", "delete.job-commit"],
        initially=UPLOADED,
        under="staged/",
        deep=True,
    ),
    *races(OFFLINE, ["upload-commit-job", "delete-commit-job"], initially=UPLOADED, under="staged/", deep=True),
    *(
        each
        for variant in (*RIGHT, *WRONG)
        for each in races(
            variant, ["upload.job-commit", "upload.commit-job"], initially=UPLOADED, under="staged/", deep=True
        )
    ),
    *races(
        LOOKS_AGAIN,
        ["delete.job-commit", "upload-commit-job", "delete-commit-job", "reset-commit-job", "commit-commit-job"],
        initially=UPLOADED,
        under="staged/",
        deep=True,
    ),
    *races(LOOKS_AGAIN, ["upload.job-commit"], FAULTY, initially=UPLOADED, under="staged/", deep=True),
    *races(
        MENDED,
        ["copy-commit-job", "copymain-commit-job", "move-commit-job"],
        initially=UPLOADED,
        under="staged/",
        deep=True,
    ),
    *races(MENDED, ["copydown.deletemain-job"], UNCONDITIONAL, initially=["uploadmain"], under="onmain/", deep=True),
    *races(MENDED, ["merge-job-commit"], initially=["upload", "commit", "uploady"], under="committed/", deep=True),
]
