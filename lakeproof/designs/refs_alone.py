r"""Branches, tags, commits and the iterators over them, one operation after another, by a client alone.

Example: what iterators show of `GROWN`, the history that the walks go through (ids are hashes, and so is their order)::

              LEFT                                leaves          JOINED, AHEAD: RIGHT is the first parent of AHEAD
            /      \                              ancestry        JOINED, LEFT, RIGHT, FIRST: from main
    FIRST (e)       JOINED (main, c)              first parents   JOINED, LEFT, FIRST
            \      /                              branches        b, c, e, main: d is a tombstone
              RIGHT                               by commit       e, c, main, b
                   \
                    AHEAD (b)

``seek_leaves`` answers with the leaves, and with the tail from each of them on, forward, then backward; then with
nothing, for it has closed the iterator.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import ClassVar, Final

import attrs

from lakeproof.designs.branch_designs import BRANCH, MAIN, REPOSITORY
from lakeproof.designs.designs import HOLDS, Design, Word, rows
from lakeproof.designs.races import NONE, Before, Race
from lakeproof.impl.codec import encode
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import Flow
from lakeproof.impl.graveler.initialisation import first_commit, init_repository
from lakeproof.impl.refs import branches, commits, iterators, tags
from lakeproof.impl.refs.resolution import resolve
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.impl.repositories.records import write_entry
from lakeproof.model import keys
from lakeproof.model.identifiers import BranchID, CommitID, MetaRangeID, StagingToken, TagID
from lakeproof.model.invariants import Invariant, outcomes
from lakeproof.model.invariants.alone import alone_is_exact, answers_in_its_terms, of_refs
from lakeproof.model.records import Branch, Commit, Record, Repository, Tag
from lakeproof.model.ref_specification import Deletes, Named, to_nothing, to_tombstone
from lakeproof.scenario import Call

FIRST: Final = first_commit(REPOSITORY)
OTHER: Final = BranchID("c")
T, U = TagID("t"), TagID("u")


async def grow(env: Env, repository: Repository, branch_id: BranchID, *others: str) -> Commit:
    """A commit on a branch, and on the heads of other refs, which the branch then names."""
    heads = [
        await commits.get_commit(env, repository, await resolve(env, repository, ref)) for ref in (branch_id, *others)
    ]
    made = commits.new_commit(
        heads,
        MetaRangeID(""),
        committer="lakeproof",
        message=env.ids.unique("message"),  # ids are hashes: two equal commits would be one
        creation_date=REPOSITORY.creation_date,
        metadata=(("b", "2"), ("a", "1")),
    )
    await branches.update_branch(env, repository, branch_id, await commits.add_commit(env, repository, made))
    return made


def _commit(message: str, *parents: Commit) -> Commit:
    return commits.new_commit(
        parents, MetaRangeID(""), committer="lakeproof", message=message, creation_date=REPOSITORY.creation_date
    )


def _sealed_tokens(branch_id: BranchID) -> tuple[StagingToken, ...]:
    """Of branch b: what a commit under way has sealed."""
    return (StagingToken("r-b:u.1.0"),) if branch_id == BRANCH else ()


_LEFT, _RIGHT = _commit("left", FIRST), _commit("right", FIRST)
_JOINED: Final = _commit("joined", _LEFT, _RIGHT)
_AHEAD: Final = _commit("ahead", _RIGHT)
GROWN: Final = Named(
    default=MAIN,
    branches={
        name: Branch(
            branch_id=name,
            commit_id=commit_id,
            staging_token=StagingToken(f"r-{name}:u.1.1"),
            sealed_tokens=_sealed_tokens(name),
        )
        for name, commit_id in (
            (MAIN, _JOINED.commit_id),
            (BRANCH, _AHEAD.commit_id),
            (OTHER, _JOINED.commit_id),
            (BranchID("d"), CommitID("")),  # without a commit: a tombstone
            (BranchID("e"), FIRST.commit_id),
        )
    },
    tags={name: Tag(tag_id=name, commit_id=FIRST.commit_id) for name in (TagID("s"), T, U)},
    commits={each.commit_id: each for each in (FIRST, _LEFT, _RIGHT, _JOINED, _AHEAD)},
)
"""Two lines of commits that are joined, another branch ahead of one of them, and the tombstone of a branch."""


async def plant(env: Env, repository: Repository) -> None:
    """Write a repository, and the refs of `GROWN`."""
    await write_entry(env, repository)
    partition = uid_partition(repository)
    for branch_id, branch in GROWN.branches.items():
        await env.store.set(partition, keys.branch_key(branch_id), encode(branch))
    for tag_id, tag in GROWN.tags.items():
        await env.store.set(partition, keys.tag_key(tag_id), encode(tag))
    for commit in GROWN.commits.values():
        await commits.add_commit(env, repository, commit)


# `REMOVED` has a partial of `remove_branch`, which no invariant knows as a delete by that name.
async def delete_branch(env: Env, repository: Repository, branch_id: BranchID) -> None:
    """A delete by tombstone, as the designs of hard delete have it."""
    await branches.remove_branch(env, repository, branch_id, tombstone=True)


async def vanish(env: Env, repository: Repository, branch_id: BranchID) -> None:
    """Remove a branch's record, as the deletion of the repository does."""
    await env.store.delete(uid_partition(repository), keys.branch_key(branch_id))


async def log_two(env: Env, repository: Repository, ref: str) -> tuple[Commit, ...]:
    """The newest two of a log."""
    return await commits.log(env, repository, ref, amount=2)


async def seek_each(
    env: Env, repository: Repository, what: str, batch_size: int
) -> tuple[tuple[Record, ...], tuple[tuple[Record, ...], ...]]:
    """Everything that an iterator shows; and, from each of these values on, what it shows once it is sought: first by
    going forward, then by going back. Then the iterator is closed, and shows nothing."""
    it = await _iterator(env, repository, what, batch_size)
    values = tuple([value async for value in it])
    tails = []
    for value in (*values, *reversed(values)):
        await it.seek(_place(value, what))
        tails.append(tuple([each async for each in it]))
    await it.seek(b"")  # to its beginning: what shows nothing then is its closing, and not its end
    it.close()
    return values, (*tails, tuple([value async for value in it]))


def _place(value: Record, what: str) -> str:
    match value:
        case Branch():
            return value.commit_id if what == "branches by commit" else value.branch_id
        case Tag():
            return value.tag_id
        case Commit():
            return value.commit_id
    raise AssertionError(f"{value!r}: expected a branch, a tag or a commit")


async def _iterator(
    env: Env, repository: Repository, what: str, batch_size: int
) -> "iterators.Iterator[Branch] | iterators.Iterator[Tag] | iterators.Iterator[Commit]":
    match what:
        case "branches":
            return iterators.branch_iterator(env, repository, batch_size=batch_size)
        case "branches by commit":
            return iterators.branch_by_commit_iterator(env, repository, batch_size=batch_size)
        case "tags":
            return iterators.tag_iterator(env, repository, batch_size=batch_size)
        case "commits":
            return iterators.commit_ordered_iterator(env, repository, batch_size=batch_size)
        case "leaves":
            return iterators.leaf_commit_iterator(env, repository, batch_size=batch_size)
    head = await resolve(env, repository, MAIN)
    return iterators.commit_iterator(env, repository, head, first_parent_only=what == "first parents")


NOWHERE: Final = "nowhere"
UNNAMEABLE: Final = "\0"

WORDS: Final[Mapping[str, Word[Flow]]] = {
    "found": Word(lambda _: init_repository),
    "create": Word(lambda _: branches.create_branch, BRANCH, MAIN),
    "create_c": Word(lambda _: branches.create_branch, OTHER, BRANCH),
    "create_at_tag": Word(lambda _: branches.create_branch, OTHER, T),
    "create_at_commit": Word(lambda _: branches.create_branch, OTHER, FIRST.commit_id),
    "create_nowhere": Word(lambda _: branches.create_branch, OTHER, NOWHERE),
    "create_unnameable": Word(lambda _: branches.create_branch, OTHER, UNNAMEABLE),
    "create_d": Word(lambda _: branches.create_branch, BranchID("d"), MAIN),
    "vanish": Word(lambda _: vanish, BRANCH),
    "get": Word(lambda _: branches.get_branch, BRANCH),
    "get_c": Word(lambda _: branches.get_branch, OTHER),
    "update": Word(lambda _: branches.update_branch, BRANCH, MAIN),
    "update_to_c": Word(lambda _: branches.update_branch, BRANCH, OTHER),
    "update_nowhere": Word(lambda _: branches.update_branch, BRANCH, NOWHERE),
    "delete": Word(lambda delete: delete, BRANCH),
    "delete_main": Word(lambda delete: delete, MAIN),
    "list": Word(lambda _: iterators.list_branches),
    "tag": Word(lambda _: tags.create_tag, T, MAIN),
    "tag_b": Word(lambda _: tags.create_tag, TagID(BRANCH), MAIN),
    "tag_b_by_name": Word(lambda _: tags.create_tag, U, BRANCH),
    "tag_nowhere": Word(lambda _: tags.create_tag, U, NOWHERE),
    "get_tag": Word(lambda _: tags.get_tag, T),
    "update_tag": Word(lambda _: tags.update_tag, T, BRANCH),
    "update_tag_nowhere": Word(lambda _: tags.update_tag, T, NOWHERE),
    "delete_tag": Word(lambda _: tags.delete_tag, T),
    "list_tags": Word(lambda _: iterators.list_tags),
    "grow": Word(lambda _: grow, MAIN),
    "grow_b": Word(lambda _: grow, BRANCH),
    "join": Word(lambda _: grow, MAIN, BRANCH),
    "log": Word(lambda _: commits.log, MAIN),
    "log_two": Word(lambda _: log_two, MAIN),
    "log_nowhere": Word(lambda _: commits.log, NOWHERE),
    "get_commit": Word(lambda _: commits.get_commit, FIRST.commit_id),
    "get_no_commit": Word(lambda _: commits.get_commit, CommitID(NOWHERE)),
}
KINDS: Final = ("branches", "branches by commit", "tags", "commits", "leaves", "ancestry", "first parents")
WALKS: Final[Mapping[str, Word[Flow]]] = {
    f"seek_{what.replace(' ', '_')}": Word(lambda _: seek_each, what, batch_size)
    # Rows in a page of each walk. The last two follow gets, and have no pages.
    for what, batch_size in zip(KINDS, (2, 1, 2, 0, 3, 0, 0), strict=True)
}


@attrs.frozen(kw_only=True)
class RefsDesign(Design[Flow]):
    """A way to delete branches; all else is the same."""

    source: str = "graveler-on-kv.md, Branch, Tag, Commit, Iterators"
    leaves: Deletes = to_nothing
    subject: ClassVar = (REPOSITORY,)
    vocabulary: ClassVar = {**WORDS, **WALKS}

    def founding(self, race: Race) -> Sequence[Call]:
        return [Call(plant, REPOSITORY)] if _walks(race) else []

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        if len(race.clients) > 1:
            effective = {
                outcomes.branch_create_is_effective: any(word in ON_TOMBSTONES for word in race.words),
                outcomes.branch_delete_is_effective: "delete" in race.words,
            }
            return [answers_in_its_terms, *(each for each, does in effective.items() if does)]
        bare = Named(default=MAIN, deletes=self.leaves, commits={FIRST.commit_id: FIRST})
        initial = attrs.evolve(GROWN, deletes=self.leaves) if _walks(race) else bare
        return [alone_is_exact(of_refs(initial, REPOSITORY)), answers_in_its_terms]


def _walks(race: Race) -> bool:
    return race.name.startswith("planted/")  # the name of `PLANTED`, which has no words


ON_TOMBSTONES: Final = {
    name: {"tombstones": True}
    for name, word in WORDS.items()
    if word.flow(branches.delete_branch) is branches.create_branch  # any delete will do: a create does not look at it
}

PLAIN: Final = RefsDesign(name="refs/plain", flows=branches.delete_branch, refuted=HOLDS)
TOMBSTONE: Final = RefsDesign(
    name="refs/tombstone",
    flows=branches.delete_branch_by_tombstone,
    leaves=to_tombstone,
    options=ON_TOMBSTONES,
    refuted=HOLDS,
)

REMOVED: Final = RefsDesign(
    name="refs/removed",
    flows=partial(branches.remove_branch, tombstone=True),
    leaves=to_tombstone,
    options=ON_TOMBSTONES,
    refuted=HOLDS,
)
"""What the designs of hard delete make of it: the delete returns the tokens."""

LOOKING: Final = attrs.evolve(PLAIN, name="refs/looking", options={"tag": {"doubts": True}})

PLANTED: Final = Before("planted/", "")

LIVES: Final = """
    found.create.create.get.get_c.delete.get.delete.create.get.list.delete_main
    found.create_c.create_nowhere.create_unnameable.update.create.update_nowhere.create_c.list.get_c
    found.create.grow.get.update.get.grow_b.create_c.update_to_c.grow_b.update_to_c.get.create_at_commit.list
    found.create.delete.create_c.grow.tag.create_at_tag.tag_b.create_c.create.grow_b.tag_b_by_name.get_c
    found.create.tag_b.delete.grow.tag_b_by_name.list_tags.create_c.list
    found.create.delete.tag_b_by_name.update.create.grow_b.delete.list.create.list.log
    found.get_tag.update_tag.delete_tag.tag.tag.tag_nowhere.update_tag_nowhere.get_tag.list_tags
    found.create.tag.grow_b.update_tag.get_tag.tag_b_by_name.list_tags.delete_tag.get_tag.list_tags.delete_tag
    found.create.get_commit.get_no_commit.log_nowhere.grow.grow.grow.grow_b.join.log.log_two.get_commit
"""
REMOVED_LIVES: Final = """
    found.create.delete.get.delete.create.get.list.delete_main found.create.grow_b.tag_b.delete.grow.tag_b_by_name.list
"""

ROWS = [
    *rows(PLAIN, LIVES, NONE),
    *rows(TOMBSTONE, LIVES, NONE),
    *rows(REMOVED, REMOVED_LIVES, NONE),
    *rows(LOOKING, "found.tag.tag.get_tag", NONE),
    *rows(PLAIN, " ".join(WALKS) + " list list_tags", NONE, PLANTED),
    # Of a branch with sealed tokens: what is staged stays on top of the other head.
    *rows(PLAIN, "update", NONE, PLANTED),
    *rows(PLAIN, "update-delete.create update-delete create-vanish", NONE, PLANTED),
    *rows(TOMBSTONE, "update-delete.create delete-update delete-delete.create delete", NONE, PLANTED),
    *rows(TOMBSTONE, "create_d-create_d create-vanish delete-vanish", NONE, PLANTED),
    *rows(REMOVED, "delete", NONE, PLANTED),
    *rows(attrs.evolve(REMOVED, flows=delete_branch), "delete-update delete-delete.create", NONE, PLANTED),
]
