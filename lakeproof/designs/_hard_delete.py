"""Uploads, copies, deletes, commits, resets and background jobs at once: what is common to all proposals."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import ClassVar, Final

import attrs

from lakeproof.designs.branch_designs import AT, BRANCH, FOUNDED, MAIN, ON, REPOSITORY, TO, X, Y, Z
from lakeproof.designs.designs import AftermathCheck, Caller, Design, Word
from lakeproof.designs.races import Before, Race, op, path_of
from lakeproof.impl.catalog import objects as catalog
from lakeproof.impl.catalog.objects import Grant
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import Flow, ObjectFlows
from lakeproof.impl.graveler.commits import seal
from lakeproof.model.invariants import Invariant, data, outcomes
from lakeproof.model.records import Repository
from lakeproof.scenario import Aftermath

OUTSIDE: Final = "ext://brought/o"
"""An address of an object that lakeFS does not own."""

COMMITTED: Final = data.committed_data_is_kept.id
UNCHANGED: Final = data.committed_data_is_unchanged.id
STAGED: Final = data.staged_data_is_kept.id
WRITTEN: Final = data.acknowledged_upload_is_kept.id
ONE: Final = data.address_has_one_entry.id
GARBAGE: Final = data.GARBAGE_IS_RECLAIMED.id

UPLOADED: Final = Before("staged/", "upload")
KEPT: Final = Before("committed/", "upload.commit")


def _upload_and_link(flows: ObjectFlows) -> Flow:
    through = catalog.Linking(flows.get_physical_address, flows.link_physical_address)
    return partial(catalog.upload_and_link, through=through)


def stage_again(flows: ObjectFlows) -> Flow:
    """What users compose of the proposal's own flows: the address of one entry, staged at another path."""
    return partial(catalog.stage_again, stage=flows.stage_object)


async def bring(env: Env, repository: Repository) -> None:
    """What a user does who has an object elsewhere: it is there."""
    await env.objects.put(OUTSIDE, b"o")


WORDS: Final[Mapping[str, Word[ObjectFlows]]] = {
    "upload": Word(lambda flows: flows.upload_object, ON, AT, Caller.BYTES),
    "link": Word(_upload_and_link, BRANCH, X, Caller.BYTES),
    "stage": Word(stage_again, BRANCH, TO, X),
    "stage@outside": Word(lambda flows: flows.stage_object, BRANCH, X, OUTSIDE, b"o"),
    "copy": Word(lambda flows: flows.copy_object, ON, TO, BRANCH, X),
    "move": Word(lambda flows: flows.move_object, BRANCH, X, TO),
    "delete": Word(lambda flows: flows.delete_object, ON, AT),
    "reset": Word(lambda flows: flows.reset_branch, ON),
    "create_branch": Word(lambda flows: flows.create_branch, "c", BRANCH),
    "delete_branch": Word(lambda flows: flows.delete_branch, BRANCH),
    "commit": Word(lambda flows: flows.commit, ON, Caller.TEXT),
    "read": Word(lambda flows: flows.read_object, ON, AT),
    "job": Word(lambda flows: flows.background_job),
    "copy_from_main": Word(lambda flows: flows.copy_object, BRANCH, TO, MAIN, X),
    "move_back": Word(lambda flows: flows.move_object, BRANCH, path_of(Y, Z), X),
    "merge": Word(lambda flows: flows.merge, MAIN, BRANCH, "m"),
    "seal": Word(lambda _: seal, BRANCH),
    "bring": Word(lambda _: bring),
}


async def put(env: Env, repository: Repository, address: str, content: bytes) -> None:
    """What a user does with an address that was issued to him."""
    await env.objects.put(address, content)


def words_of_grant(grant: Grant, path: object = X) -> Mapping[str, Word[ObjectFlows]]:
    """To issue, write and link one address. grant: what the setup gets for x, since a call of a race cannot hand its
    own on to another one. path: where it may be linked."""
    return {
        "get_address": Word(lambda flows: flows.get_physical_address, BRANCH, X),
        "put": Word(lambda _: put, grant.address, b"g"),
        "link": Word(lambda flows: flows.link_physical_address, BRANCH, path, grant, b"g"),
    }


JUDGED_ELSEWHERE: Final = frozenset({"create_branch", "create_branch_from_tag", "merge"})

ADDING: Final = ("upload", "link", "stage", "copy", "move")


def moves(race: Race) -> bool:
    """Whether an entry is moved in a race."""
    return any(word in ("move", "move_back") for word in race.ops)


@attrs.frozen(kw_only=True)
class ObjectDesign(Design[ObjectFlows]):
    """A proposal in one reading."""

    one_entry: bool = False
    """Whether the design forbids that two live entries share an address. While a move is under way they do."""
    grace: int = 0
    """Microseconds after which the background job may do its work."""
    before_jobs: tuple[str, ...] = ()
    """Words that must come before the background job can do all its work."""
    jobs: int = 1
    """How many runs of the job may pass until all garbage is gone."""

    subject: ClassVar = (REPOSITORY,)
    vocabulary: ClassVar = WORDS
    founded: ClassVar = FOUNDED

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        words = race.ops
        before = tuple(map(op, race.before))
        commits = "commit" in (*words, *before)
        # The monitor of uploads excuses what a reset or the end of the branch may have undone. In a race without any
        # other change its verdict would stay open.
        changes = "delete_branch" not in words and any(
            op(word) in ("upload", "link", "delete") and "reset" not in client[position:]
            for client in race.clients
            for position, word in enumerate(client)
        )
        at_first = any(word in ADDING for word in before) and "commit" not in before  # is staged when the race begins
        arises: list[tuple[Invariant, bool]] = [
            (data.committed_data_is_kept, commits),
            (data.committed_data_is_unchanged, commits),
            (data.staged_data_is_kept, at_first or any(word in ADDING for word in words)),
            (data.address_has_one_entry, self.one_entry and not moves(race)),  # a move has two for a while
            (data.acknowledged_upload_is_kept, changes),
            (outcomes.failed_call_changed_nothing, race.faults.false_predicates > 0 and _delete_meets(words)),
        ]
        return [invariant for invariant, does in arises if does]

    def aftermath(self, race: Race) -> Sequence[Aftermath]:
        """Some runs of the background job, if the proposal has one, after its grace time."""
        jobs = self.jobs if self.flows.background_job is not None else 0
        words = [*self.before_jobs, *["job"] * jobs]
        before = len(self.before_jobs)
        # A reset before the jobs may find its branch deleted, and answer with an error: that is no failure of a job.
        check: AftermathCheck = lambda outcomes, snapshot: tuple(data.garbage_is_reclaimed(outcomes[before:], snapshot))  # noqa: E731
        return [self.after(data.GARBAGE_IS_RECLAIMED, words, check, clock_advance=self.grace)]


def _delete_meets(words: Sequence[str]) -> bool:
    """Whether a delete of a branch makes another call fail, or fails by one. What a create of a branch answers is
    judged in ``branches/*``, what a merge answers in ``merges/*``: a false failure is definite there."""
    deletes = words.count("delete_branch")
    others = set(words) - {"job", "delete_branch"}
    return deletes > 0 and not others & JUDGED_ELSEWHERE and (deletes > 1 or bool(others))
