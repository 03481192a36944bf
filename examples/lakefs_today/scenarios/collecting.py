"""The garbage collector of today, among commits, deletes, shallow copies and the deletion of its repository."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, Final

import attrs

from lakefs_today import branches, collecting, commits, entries, repositories
from lakefs_today.scenarios.words import OutsideDesign
from lakeproof.designs.branch_designs import AT, BRANCH, MAIN, X, Z
from lakeproof.designs.designs import HOLDS, Caller, Word, rows
from lakeproof.designs.races import NONE, PAGED, REFUSED, SCAN_FAILURE, Before, Race, Refuted, branch_of
from lakeproof.impl.catalog import objects
from lakeproof.impl.effects import Env
from lakeproof.model.invariants import Invariant, data
from lakeproof.model.records import Repository


async def delete_whole(env: Env, repository: Repository) -> None:
    """Delete the repository by its id. Raises as `repositories.delete_repository`."""
    await repositories.delete_repository(env, repository.repository_id)


OTHERS: Final = branch_of("c", "z")
"""A branch that is listed between b and main, and one behind them."""

WORDS: Final[Mapping[str, Word[None]]] = {
    "upload": Word(lambda _: objects.upload_object, BRANCH, AT, Caller.BYTES),
    "copy": Word(lambda _: objects.copy_object, BRANCH, X, BRANCH, Z),
    "upload_same": Word(lambda _: collecting.upload_object, BRANCH, X, b"same"),
    "create_branch": Word(lambda _: branches.create_branch, OTHERS, MAIN),
    "delete_branch": Word(lambda _: branches.delete_branch, OTHERS),
    "delete": Word(lambda _: entries.delete_entry, BRANCH, AT),
    "commit": Word(lambda _: commits.commit, BRANCH, Caller.TEXT),
    "prepare": Word(lambda _: collecting.prepare_commits),
    "job": Word(lambda _: collecting.collect),
    "delete_repository": Word(lambda _: delete_whole),
}
"""``job`` is a whole run of the collector. What was uploaded before is old."""


@attrs.frozen(kw_only=True)
class CollectorDesign(OutsideDesign):
    """The collector in one reading."""

    vocabulary: ClassVar = WORDS

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        arises: list[tuple[Invariant, bool]] = [
            (data.committed_data_is_kept, "commit" in (*race.words, *race.before)),
            (data.staged_data_is_kept, "job" in race.words),
        ]
        return [invariant for invariant, does in arises if does]


SOURCE: Final = "lakeFS pkg/catalog, pkg/graveler/retention, and the Spark job GarbageCollection.scala"
OLD: Final[Mapping[str, Mapping[str, Any]]] = {"job": {"min_age": 0}}  # type: ignore[explicit-any]  # options

TODAY: Final = CollectorDesign(
    name="gc/upstream",
    source=SOURCE,
    refuted={
        "committed-data-is-kept": Refuted(
            "a commit on its way holds an entry that a newer change hides: neither listing shows it, and its object is "
            "deleted before the commit is there",
            "staged/commit-delete.job staged/commit-delete-job",
        ),
        "staged-data-is-kept": Refuted(
            "a shallow copy goes to a path that the listing has passed, and its source is deleted before it gets "
            "there; what is staged is not listed behind a scan that fails, where the head has the same content, or "
            "where a branch was deleted meanwhile",
            "staged_yz/copy.delete:z-job/paged both/job/* same/job three/job-delete_branch",
        ),
        "no-unhandled-exception": Refuted(
            "a commit that cannot be read ends the run with an iterator that is nil and no error: a panic",
            "committed/prepare-delete_repository",
        ),
    },
    options=OLD,
)
MENDED: Final = CollectorDesign(
    name="gc/upstream-looks-again",
    source=SOURCE + " (ours: all that is staged counts, commits look again, and errors end the run)",
    refuted=HOLDS,
    options={
        "job": {"min_age": 0, "all_entries": True, "reports": True},
        "prepare": {"reports": True},
        "delete": {"careful": True},
        "commit": {"looks_again": True},
    },
)

STAGED: Final = Before("staged/", "upload")
STAGED_LATE: Final = Before("staged_yz/", "upload:y.upload:z")
COMMITTED: Final = Before("committed/", "upload.commit")
SAME: Final = Before("same/", "upload_same.commit.upload_same")
THREE: Final = Before("three/", "upload.create_branch")
REPLACED: Final = Before("replaced/", "upload.commit.upload.commit")
LAST: Final = Before("last/", "upload.create_branch@z")
COMMITTED_AND_STAGED: Final = Before("both/", "upload.upload:y.commit.upload:y.upload:z")

ROWS = [
    *rows(TODAY, "prepare-commit", NONE, STAGED),
    *rows(TODAY, "commit-job commit-delete.job", NONE, STAGED),
    *rows(TODAY, "commit-delete-job", NONE, STAGED, deep=True),
    *rows(TODAY, "copy.delete:z-job", PAGED, STAGED_LATE, paged=1),
    *rows(TODAY, "prepare-delete_repository", NONE, COMMITTED),
    *rows(TODAY, "job", NONE, SAME),
    *rows(TODAY, "job", NONE, REPLACED, only=data.committed_data_is_kept.id),
    *rows(TODAY, "job-delete_branch", NONE, THREE),
    *rows(TODAY, "job-delete_branch@z", NONE, LAST),
    *rows(MENDED, "commit-job commit-delete.job", NONE, STAGED),
    *rows(MENDED, "job", SCAN_FAILURE | REFUSED, COMMITTED_AND_STAGED, paged=1),
    *rows(TODAY, "job", SCAN_FAILURE | REFUSED, COMMITTED_AND_STAGED, paged=1),
    *rows(MENDED, "commit-delete-job", NONE, STAGED, deep=True),
    *rows(MENDED, "prepare-delete_repository", NONE, COMMITTED),
    *rows(MENDED, "job", NONE, SAME),
    *rows(MENDED, "job-delete_branch", NONE, THREE),
]
