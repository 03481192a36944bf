"""Pull requests as lakeFS has them today; and the repair."""

from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar, Final

import attrs

from lakefs_today import commits, entries, promises, pulls
from lakefs_today.pull import TITLE, pull_request_is_linearizable
from lakeproof.designs.branch_designs import BRANCH, FOUNDED, MAIN, REPOSITORY, X
from lakeproof.designs.designs import HOLDS, Caller, Design, Word, rows
from lakeproof.designs.races import FAULTY, NONE, Race, Refuted
from lakeproof.model.invariants import Invariant, refs
from lakeproof.scenario import Call

PULL: Final = "p"


WORDS: Final[Mapping[str, Word[None]]] = {
    "edit": Word(lambda _: pulls.edit_pull, PULL, Caller.TEXT),
    "close": Word(lambda _: pulls.close_pull, PULL),
    "merge": Word(lambda _: pulls.merge_pull, PULL, Caller.TEXT),
    "get": Word(lambda _: pulls.get_pull, PULL),
    "create": Word(lambda _: pulls.create_pull, PULL, BRANCH, MAIN, Caller.TEXT),
}
"""``merge`` merges the branch b, which has a commit, into main. ``create`` is of an id that is taken."""


@attrs.frozen(kw_only=True)
class PullDesign(Design[None]):
    """One pull request in one reading."""

    flows: None = None
    subject: ClassVar = (REPOSITORY,)
    vocabulary: ClassVar = WORDS

    def founding(self, race: Race) -> Sequence[Call]:
        return [
            *FOUNDED,
            Call(entries.set_entry, REPOSITORY, BRANCH, X, b"s0"),
            Call(commits.commit, REPOSITORY, BRANCH, "s1"),
            Call(pulls.create_pull, REPOSITORY, PULL, BRANCH, MAIN, TITLE),
        ]

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        merging: list[Invariant] = [promises.pull_tells_of_its_merge, refs.head_exists]
        return [pull_request_is_linearizable, *(merging if "merge" in race.words else [])]


SOURCE: Final = "lakeFS pkg/graveler/graveler.go, UpdatePullRequest; pkg/api/controller.go, MergePullRequest"

UPSTREAM: Final = PullDesign(
    name="pulls/upstream",
    source=SOURCE,
    refuted={
        pull_request_is_linearizable.id: Refuted(
            "what is written is the first of two reads, and the predicate is the second: a change between the two is "
            "undone; and a merge overwrites whatever status there is by then",
            "edit-close.get edit-merge.get close-merge.get",
        ),
        promises.PULL_TELLS: Refuted(
            "a change that began before the status was set takes the commit away; and where setting the status fails, "
            "the branches are merged already",
            "edit-merge.get close-merge.get",
        ),
    },
)
CLAIMS: Final = PullDesign(
    name="pulls/upstream-claims",
    source=SOURCE + " (ours: a change of what was read last; a status that keeps others out while the branches merge)",
    refuted=HOLDS,
    options={word: {"claims": True} for word in ("edit", "close", "merge")},
)

ROWS = [
    *rows(UPSTREAM, "edit-close.get edit-edit.get edit-merge.get close-merge.get", NONE),
    *rows(UPSTREAM, "merge-merge.get", NONE, deep=True),
    *rows(UPSTREAM, "create-edit.get", NONE),
    *rows(CLAIMS, "edit-close.get edit-edit.get edit-merge.get close-merge.get merge-merge.get", NONE),
    *rows(CLAIMS, "edit-merge.get close-merge.get", FAULTY),
]
