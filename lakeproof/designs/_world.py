"""One repository with everything on: words, invariants and what there is before. See docs/designs/together.md.

Two histories. ``fresh``: main, and a branch b from it; nothing is old. ``aged``, where a run of retention is in the
race: that of `_retention`, 20 and 30 days old, under rules of seven days.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from enum import Enum, auto
from typing import ClassVar, Final

import attrs

from lakeproof.designs._retention import OTHER, RULES, A, write_history
from lakeproof.designs.branch_designs import AT, BRANCH, MAIN, REPOSITORY, TO, X
from lakeproof.designs.designs import HOLDS, AftermathCheck, Caller, Design, Speaker, Word
from lakeproof.designs.races import Race, Refuted, branch_of, op
from lakeproof.impl.codec import encode
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import Flow, WorldFlows, bind_reading
from lakeproof.impl.graveler import initialisation
from lakeproof.impl.hard_delete import journal, offline, online
from lakeproof.impl.refs.by_id import by_id
from lakeproof.impl.refs.dump import RefsDump, dump_refs
from lakeproof.impl.refs.iterators import commit_ordered_iterator, list_branches
from lakeproof.impl.repositories import hardened
from lakeproof.impl.world.flows import FLOWS, fetching
from lakeproof.impl.world.reading import COMPOSED, Reading
from lakeproof.model import keys
from lakeproof.model.identifiers import RepositoryID
from lakeproof.model.invariants import Invariant, data, outcomes, refs, repositories
from lakeproof.model.invariants import retention as retained
from lakeproof.model.invariants.readers import path_stays_readable
from lakeproof.model.records import CleanupRecord, Repository
from lakeproof.model.retention import Rules
from lakeproof.scenario import Aftermath, Call

HOUR: Final = 3_600_000_000
LATER: Final = online.AS_WRITTEN.lifetime + 1  # an issued address has just expired
NOTED: Final = (b"user", b"dump")  # partition and key: no flow reads them
HOURLY: Final = offline.Reading(min_age=HOUR)
ON: Final = branch_of(BRANCH, MAIN, OTHER)
TO_BRANCH: Final = branch_of("c", BRANCH, OTHER)


class Whose(Enum):
    """Arguments that depend on the race and on whose word it is."""

    HERE = auto()
    """Its record, or its id where it may be deleted."""
    ID = auto()
    OLD = auto()
    """The record that was there at first: a job fetched it then, and goes on when the race begins."""
    RUN = auto()
    """The name of a run of retention: its client's."""


async def found_world(env: Env, repository: Repository, parts: tuple[str, ...]) -> None:
    """A repository as its creation and its past have left it: its entry, its name for the cleaner, main, and the parts
    of a history; every commit of which was a head. No part: main, with an empty commit."""
    if parts:
        await write_history(env, repository, parts)
    else:
        await initialisation.init_repository(env, repository)
    named = repository.repository_id, repository.instance_uid
    record = CleanupRecord(repository_id=named[0], instance_uid=named[1])
    # As `hardened` notes an instance: without it, no cleaner would ever empty the partition.
    await env.store.set(keys.DELETED, keys.cleanup_key(*named), encode(record))
    # The online job reads the heads that branches have. Without a note, any other commit looks as if it had
    # never come true.
    heads = {branch.commit_id for branch in await list_branches(env, repository)}
    async for commit in commit_ordered_iterator(env, repository, batch_size=0):
        if commit.commit_id not in heads:
            await journal.mark_head(env, repository, commit.commit_id)


async def dump_noted(env: Env, repository: Repository) -> None:
    """Dump the refs, and note where the dump is."""
    made = await dump_refs(env, repository)
    await env.store.set(*NOTED, made.manifest_id.encode())


def _restoring(flows: WorldFlows) -> Flow:
    async def restore_noted(env: Env, where: Repository | RepositoryID) -> None:
        """Restore the dump that was noted."""
        await flows.restore_refs(env, where, RefsDump((await env.store.get(*NOTED)).value.decode()))

    return restore_noted


def _succeeding(flows: WorldFlows) -> Flow:
    async def be_succeeded(env: Env, repository_id: RepositoryID) -> None:
        """Delete the repository, clean up, create it anew as a bare one, and restore the dump that was noted."""
        await hardened.delete_repository(env, repository_id)
        await hardened.clean(env)
        await hardened.create_bare_repository(env, repository_id)
        await _restoring(flows)(env, repository_id)

    return be_succeeded


def _retaining(flows: WorldFlows) -> Flow:
    async def retain(env: Env, where: Repository | RepositoryID, rules: Rules, run_id: str) -> None:
        """A run of retention: mark, then sweep."""
        await flows.mark(env, where, rules, run_id)
        await flows.sweep(env, where, run_id)

    return retain


_HERE, _ID = Whose.HERE, Whose.ID

WORDS: Final[Mapping[str, Word[WorldFlows]]] = {
    "upload": Word(lambda flows: flows.upload_object, _HERE, ON, AT, Caller.BYTES),
    "copy": Word(lambda flows: flows.copy_object, _HERE, BRANCH, TO, BRANCH, X),
    "copy_committed": Word(lambda flows: flows.copy_object, _HERE, BRANCH, TO, MAIN, X),
    "copy_side": Word(lambda flows: flows.copy_object, _HERE, BRANCH, TO, OTHER, b"w"),
    "move": Word(lambda flows: flows.move_object, _HERE, BRANCH, X, TO),
    "delete": Word(lambda flows: flows.delete_object, _HERE, ON, AT),
    "restore": Word(lambda flows: flows.restore_object, _HERE, BRANCH, X, A.commit_id),
    "read": Word(lambda flows: flows.read_object, _HERE, ON, X),
    "commit": Word(lambda flows: flows.commit, _HERE, ON, Caller.TEXT),
    "merge": Word(lambda flows: flows.merge, _HERE, MAIN, BRANCH, Caller.TEXT),
    "revert": Word(lambda flows: flows.revert, _HERE, MAIN, MAIN, Caller.TEXT),
    "reset": Word(lambda flows: flows.reset_branch, _HERE, ON),
    "reset_entry": Word(lambda flows: flows.reset_entry, _HERE, BRANCH, AT),
    "reset_prefix": Word(lambda flows: flows.reset_prefix, _HERE, BRANCH, b""),
    "create_branch": Word(lambda flows: flows.create_branch, _HERE, TO_BRANCH, MAIN),
    "revive": Word(lambda flows: flows.create_branch, _HERE, TO_BRANCH, A.commit_id),
    "update_branch": Word(lambda flows: flows.update_branch, _HERE, BRANCH, MAIN),
    "delete_branch": Word(lambda flows: flows.delete_branch, _HERE, ON),
    "tag": Word(lambda flows: flows.create_tag, _HERE, "t", BRANCH),
    "dump": Word(lambda _: by_id(hardened.get_repository, dump_noted), _ID),
    "restore_refs": Word(_restoring, _HERE),
    "reap": Word(lambda flows: flows.reap, _HERE),
    "collect": Word(lambda flows: flows.collect, _HERE),
    "mark": Word(lambda flows: flows.mark, _HERE, RULES, Whose.RUN),
    "sweep": Word(lambda flows: flows.sweep, _HERE, Whose.RUN),
    "late_reap": Word(lambda flows: flows.reap, Whose.OLD),
    "late_collect": Word(lambda flows: flows.collect, Whose.OLD),
    "retain": Word(_retaining, _HERE, RULES, Whose.RUN),
    "be_succeeded": Word(_succeeding, _ID),
    "clean": Word(lambda _: hardened.clean),
    "create_repository": Word(lambda _: hardened.create_repository, _ID),
    "create_bare": Word(lambda _: hardened.create_bare_repository, _ID),
    "delete_repository": Word(lambda _: hardened.delete_repository, _ID),
}

LIFE: Final = frozenset({"create_repository", "create_bare", "delete_repository", "be_succeeded"})
MAKING: Final = frozenset({"commit", "merge", "revert"})
RESTORING: Final = frozenset({"restore_refs", "be_succeeded"})
CLEANING: Final = frozenset({"clean", "be_succeeded"})
LEAVING: Final = frozenset({"create_repository", "create_branch"})
"""What leaves records of an instance behind, or gives the id to the next one."""
GIVING: Final = frozenset({"upload", "copy", "copy_committed", "copy_side", "move", "restore"})


@attrs.frozen(kw_only=True)
class WorldDesign(Design[WorldFlows]):
    """The parts, put together in one reading."""

    name: str = "world/composed"
    flows: WorldFlows = FLOWS
    source: str = "docs/designs/together.md"
    refuted: Mapping[str, Refuted] = HOLDS
    parts: tuple[str, ...] = ()
    """What there is of the aged history."""
    lives: bool = True
    """Whether the repository outlives the race: then calls take its record, and none fetches it."""

    subject: ClassVar[tuple[Hashable, ...]] = ()
    vocabulary: ClassVar = WORDS

    def founding(self, race: Race) -> Sequence[Call]:
        return (Call(found_world, REPOSITORY, self.parts),)

    def argument(self, given: Hashable, speaker: Speaker) -> Hashable:
        if given is Whose.RUN:
            return f"n{speaker.client}{speaker.position if speaker.position > 0 else ''}"
        if given is Whose.OLD or (given is Whose.HERE and self.lives):
            return REPOSITORY
        if isinstance(given, Whose):
            return REPOSITORY.repository_id
        return super().argument(given, speaker)

    def call(self, word: str, speaker: Speaker, paged: int = 0) -> Call:
        """As of all designs; each run has an id of its own, and a sweep has that of the mark before it."""
        begun = attrs.evolve(speaker, position=speaker.position - 1) if word == "sweep" else speaker
        return super().call(word, begun, paged)

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        words = frozenset(race.ops)
        used = words | frozenset(map(op, race.before))
        lives = not used & LIFE
        aged = bool(self.parts)
        arises: list[tuple[Invariant, object]] = [
            # Retention deletes objects of expired commits on purpose: over old commits `active_data_is_kept` judges.
            (data.committed_data_is_kept, not aged and (last(race, {"commit"}) or words & RESTORING)),
            (data.committed_data_is_unchanged, words & {"upload", *MAKING} and not aged),
            (data.staged_data_is_kept, words & GIVING or last(race, GIVING, {"commit"})),
            # The monitor of uploads knows no copies from a ref.
            (data.acknowledged_upload_is_kept, lives and _changes(race) and not words & {"delete_branch", "restore"}),
            # Of a dead instance the cleaner deletes a commit before the tags that name it.
            (refs.head_exists, not used & CLEANING),
            (refs.token_has_one_owner, True),
            (refs.commits_form_one_line, words & MAKING),
            (outcomes.commit_is_effective, lives and words & MAKING),
            (outcomes.failed_call_changed_nothing, lives and _may_fail(race)),
            (outcomes.branch_delete_is_effective, lives and "delete_branch" in words),
            (path_stays_readable([(BRANCH, X)]), "read" in words and "upload" in race.before),
            (retained.active_data_is_kept(RULES, tags=True), aged),
            (retained.uncommitted_data_is_kept, aged and words & GIVING),
            # A bare repository is not judged: the verdict would stay open.
            (repositories.active_is_complete, not lives and not last(race, {"create_bare"})),
            (repositories.no_reachable_zombie, not lives),
            (repositories.delete_is_effective, "delete_repository" in words),
            (repositories.create_is_effective, "create_repository" in words),
            (repositories.garbage_is_reclaimable, "delete_repository" in words and words & LEAVING),
            (repositories.cleaner_spares_live, "clean" in words and not lives),
        ]
        return [invariant for invariant, does in arises if does or invariant.id in refuted]

    def aftermath(self, race: Race) -> Sequence[Aftermath]:
        """Where the repository is fresh and lives on: a reset of each branch decides all fates, and a run finds all
        garbage."""
        if self.parts or LIFE & {*race.ops, *map(op, race.before)}:
            return []
        check: AftermathCheck = lambda outcomes, snapshot: tuple(data.garbage_is_reclaimed(outcomes[2:], snapshot))  # noqa: E731
        # Only the run counts below: a reset may find its branch deleted.
        words = ("reset", "reset@main", "reap")
        return [self.after(data.GARBAGE_IS_RECLAIMED, words, check, clock_advance=LATER)]


def last(race: Race, words: Collection[str], undone: Collection[str] = ()) -> bool:
    """Whether one of these words comes before the race, and after it none that undoes it, nor the end of its
    repository."""
    before = tuple(map(op, race.before))
    position = max((at for at, word in enumerate(before) if word in words), default=-1)
    return position >= 0 and not {*undone, "delete_repository"} & set(before[position:])


def _may_fail(race: Race) -> bool:
    """Whether a call that makes or moves a branch meets another one of its branch, and so may answer definitely."""
    return any(race.ops.count(word) > 1 for word in ("merge", "revert", "create_branch", "delete_branch"))


def _changes(race: Race) -> bool:
    """Whether a client uploads or deletes, and does not reset its branch later."""
    return any(
        op(word) in ("upload", "delete") and not any(op(later).startswith("reset") for later in client[position:])
        for client in race.clients
        for position, word in enumerate(client)
    )


def compose_design(reading: Reading = COMPOSED, *, lives: bool = True) -> WorldDesign:
    """The parts in one reading. lives: as the field of `WorldDesign`."""
    flows = FLOWS if lives else fetching(FLOWS)
    return WorldDesign(flows=bind_reading(flows, reading=reading, how=HOURLY), lives=lives)
