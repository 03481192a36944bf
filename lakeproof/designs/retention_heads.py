"""Retention of what was the head of a branch that was moved back, or deleted: by dates of commits; by a log of heads.

Branch z stands at ``E``, 30 days old; a moment ago it was its head. Moved back to the first commit, or deleted, z has E
no more, and E counts as a dangling commit of 30 days: by dates it is expired at once, by the log after seven days.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

import attrs

from lakeproof.designs._retention import FIRST, NOW, OTHER, RULES, E, RetentionDesign
from lakeproof.designs.branch_designs import REPOSITORY
from lakeproof.designs.designs import HOLDS, Word, rows, variant
from lakeproof.designs.races import CRASH, FALSE, LOST, NONE, PAGED, Race, Refuted, fault, jump
from lakeproof.designs.retention import JOB, JUMP
from lakeproof.impl.catalog import objects as catalog
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import Flow, RetentionFlows
from lakeproof.impl.refs import branches
from lakeproof.impl.retention import heads, runs
from lakeproof.model.identifiers import BranchID, CommitID
from lakeproof.model.invariants import Invariant
from lakeproof.model.invariants import retention as invariants
from lakeproof.model.records import Repository
from lakeproof.model.retention import Rules
from lakeproof.scenario import Aftermath, Call, Faults

ZERO: Final = Rules(0)
PAST: Final = "past-head-data-is-kept"


async def see_head(env: Env, repository: Repository, branch_id: BranchID) -> tuple[BranchID, CommitID, int]:
    """The head of a branch, and a time at which it still was."""
    # The clock first: the head may have been left since, and not before.
    now = await env.clock.now()
    return branch_id, (await branches.get_branch(env, repository, branch_id)).commit_id, now


def words(delete_branch: Flow) -> Mapping[str, Word[RetentionFlows]]:
    """Moves of z, and its deletion."""
    return {
        "move_back": Word(lambda flows: flows.update_branch, OTHER, FIRST.commit_id),
        "move_on": Word(lambda flows: flows.update_branch, OTHER, E.commit_id),
        "delete": Word(lambda _: catalog.delete_object, OTHER, b"w"),
        "see": Word(lambda _: see_head, OTHER),
        "drop_branch": Word(lambda _: delete_branch, OTHER),  # the ``delete_branch`` of the family leaves no record
    }


@attrs.frozen(kw_only=True)
class HeadsDesign(RetentionDesign):
    """A way to mark, as those see it who had a commit as the head of their branch."""

    parts: tuple[str, ...] = ("branch",)

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        seen_by = see_head.__name__ if "see" in race.words else ""
        past = invariants.past_head_data_is_kept(RULES, {OTHER: E.commit_id}, NOW, seen_by=seen_by)
        return [*super().invariants(race, refuted), past]

    def aftermath(self, race: Race) -> Sequence[Aftermath]:
        """A run with rules of zero days: the first run that finds a head left adds the time, and keeps it from then
        on. Or, where a run in the race has done so, one by the same rules after some days."""
        rules = self.rules if self.grace else ZERO
        gone, check = invariants.EXPIRED_DATA_IS_RECLAIMED, invariants.expired_data_is_reclaimed(rules)
        # By calls, since the words have the rules of the design.
        calls = [Call(self.flows.mark, REPOSITORY, rules, "nz"), Call(self.flows.sweep, REPOSITORY, "nz")]
        return [Aftermath(id=gone.id, meaning=gone.meaning, calls=calls, check=check, clock_advance=self.grace)]


DATES: Final = "by its date the commit that a branch has left is expired at once, however lately it was its head"
EARLY: Final = "a commit is dated by its client, and before it takes effect: the head below it seems to be left earlier"
BY_DATES: Final = HeadsDesign(
    name="retention/heads-by-dates",
    flows=runs.FLOWS,
    words=words(branches.delete_branch),
    refuted={PAST: Refuted(f"{DATES}; {EARLY}", "move_back-* drop_branch-* delete.*/*")},
)
LOGGED: Final = HeadsDesign(
    name="retention/heads-logged",
    flows=heads.FLOWS,
    words=words(heads.delete_branch),
    source="docs/designs/retention.md, A log of heads",
    refuted={PAST: Refuted(EARLY, "delete.*/*")},
)
CONTROL: Final = (None, " (negative control)")
LEFT_FIRST: Final = variant(
    LOGGED,
    "read-first",
    {PAST: Refuted("the branch is moved between the look at the records and the look at the branches", "*")},
    *CONTROL,
    reading=heads.LEFT_FIRST,
)
AFTERWARDS: Final = variant(
    LOGGED,
    "written-afterwards",
    {PAST: Refuted("the branch has been moved, and the record is not there yet, or never", "*")},
    *CONTROL,
    reading=heads.AFTERWARDS,
)

SKEWED: Final = fault("skew", Faults(clock_skew=(-JUMP,)))
"""The mover's clock is eight days behind."""
LATE: Final = jump(JUMP)

ROWS = [
    *rows(BY_DATES, f"move_back-{JOB} drop_branch-{JOB}"),
    *rows(LOGGED, f"move_back-{JOB}", NONE | CRASH),
    *rows(LOGGED, f"drop_branch-{JOB}"),
    *rows(LOGGED, f"move_back-{JOB}", LOST | FALSE | SKEWED, deep=True),
    *rows(LOGGED, f"drop_branch-{JOB}", CRASH | LOST | FALSE | SKEWED, deep=True),
    *rows(LOGGED, f"move_back.move_on-{JOB} move_back-move_back-{JOB}", deep=True),
    *rows(LOGGED, f"move_back.move_on-{JOB}", PAGED, paged=1, deep=True),
    # Who deletes what a branch shows, and commits: the data is to be there for the days of the branch.
    *(
        row
        for design in (BY_DATES, LOGGED)
        for row in (
            *rows(design, f"delete.commit@z-{JOB}", NONE | SKEWED),
            *rows(design, f"delete.commit@z-see.{JOB}", LATE, deep=True),
        )
    ),
    *rows(LOGGED, f"see.drop_branch-{JOB} move_back-see-{JOB}", LATE, deep=True),
    *rows(attrs.evolve(LOGGED, name="retention/heads-logged-later", refuted=HOLDS, grace=JUMP), "move_back.mark", NONE),
    *rows(LEFT_FIRST, f"move_back-{JOB}"),
    *rows(AFTERWARDS, f"move_back-{JOB}"),
]
