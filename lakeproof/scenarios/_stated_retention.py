"""Retention: what each call answers, its effects on both stores, and what it leaves, in each reading.

The steps are those of committed-object-retention.md, "Algorithm"; pins and the log of heads are ours,
docs/hard-delete/retention.md. The history is that of `lakeproof.scenarios._retention`. How a row is read:
`lakeproof.scenarios._stated`.
"""

from collections.abc import Hashable, Mapping
from functools import partial
from typing import Final

from lakeproof.impl.catalog import objects as catalog
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import Flow, RetentionFlows, bound
from lakeproof.impl.graveler import merging
from lakeproof.impl.refs import branches, tags
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.impl.retention import heads, pins, runs
from lakeproof.impl.retention.left import note_left
from lakeproof.impl.retention.runs import Reading
from lakeproof.model.committed import object_address
from lakeproof.model.identifiers import CommitID, TagID
from lakeproof.model.records import Repository
from lakeproof.model.retention import DAY, Rules
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, MAIN, REPOSITORY, X, Y
from lakeproof.scenarios._retention import FIRST, OTHER, RULES, A, B, D, write_history
from lakeproof.scenarios._stated_branches import seal

ZERO: Final = Rules(0)


async def lose(env: Env, repository: Repository, lost: CommitID) -> None:
    """What nobody should do: the metarange of a commit is gone."""
    commit = {A.commit_id: A, B.commit_id: B}[lost]
    await env.objects.delete(object_address(repository.storage_namespace, commit.meta_range_id))


async def forget(env: Env, repository: Repository, lost: CommitID) -> None:
    """What nobody should do: the record of a commit is gone."""
    await env.store.delete(uid_partition(repository), f"commits/{lost}".encode())


async def pin(env: Env, repository: Repository, pinned: CommitID) -> None:
    """The pin of a client that does not come back."""
    key = pins.PINS + f"{pinned}/{env.ids.unique('pin')}".encode()
    await env.store.set(uid_partition(repository), key, str(await env.clock.now()).encode())


async def condemn(env: Env, repository: Repository, condemned: CommitID) -> None:
    """The sentence of another run."""
    await env.store.set(uid_partition(repository), pins.CONDEMNED + f"{condemned}/other".encode(), b"other")


async def leave(env: Env, repository: Repository) -> None:
    """A mover of b that stops after its first write."""
    await note_left(env, repository, await branches.get_branch(env, repository, BRANCH))


def _words(flows: RetentionFlows) -> Mapping[str, Call]:
    def on(flow: Flow, *args: Hashable) -> Call:
        return Call(flow, REPOSITORY, *args)

    return {
        "mark": on(flows.mark, RULES, "n"),
        "mark_paged": on(partial(flows.mark, batch_size=1), RULES, "n"),
        "mark_zero": on(flows.mark, ZERO, "n"),
        "mark_again": on(flows.mark, RULES, "m"),
        "sweep": on(flows.sweep, "n"),
        "branch_a": on(flows.create_branch, "c", A.commit_id),
        "branch_main": on(flows.create_branch, "c", MAIN),
        "move_a": on(flows.update_branch, BRANCH, A.commit_id),
        "move_main": on(flows.update_branch, BRANCH, MAIN),
        "branch_z": on(flows.create_branch, OTHER, FIRST.commit_id),
        "back_z": on(flows.update_branch, OTHER, FIRST.commit_id),
        "tag_a": on(flows.create_tag, "t", A.commit_id),
        "merge": on(flows.merge, BRANCH, D.commit_id, "M"),
        "revert": on(flows.revert, BRANCH, B.commit_id, "V"),
        "revert_first": on(flows.revert, BRANCH, FIRST.commit_id, "V"),
        "restore": on(flows.restore_object, BRANCH, X, A.commit_id),
        "restore_none": on(flows.restore_object, BRANCH, Y, A.commit_id),
    }


def words_of(flows: RetentionFlows, **readings: Hashable) -> Mapping[str, Call]:
    """By name; ``mark@twice`` marks by the reading of that name."""
    named = {"": flows} | {f"@{name}": bound(flows, reading=reading) for name, reading in readings.items()}
    plain = {
        "upload": Call(catalog.upload_object, REPOSITORY, BRANCH, Y, b"u"),
        "stage_a": Call(catalog.stage_object, REPOSITORY, BRANCH, X, "mem://r/data/a", b"a"),
        "stage_a_last": Call(catalog.stage_object, REPOSITORY, BRANCH, b"zz", "mem://r/data/a", b"a"),
        "stage_out": Call(catalog.stage_object, REPOSITORY, BRANCH, X, "ext://brought/o", b"o"),
        "no_x": Call(catalog.delete_object, REPOSITORY, BRANCH, b"z"),
        "commit": Call(catalog.commit, REPOSITORY, BRANCH, "N"),
        "drop_branch": Call(branches.delete_branch, REPOSITORY, BRANCH),
        "drop_z": Call(branches.delete_branch, REPOSITORY, OTHER),
        "bury_b": Call(heads.delete_branch, REPOSITORY, BRANCH),
        "bury_z": Call(heads.delete_branch, REPOSITORY, OTHER),
        "plain_a": Call(branches.create_branch, REPOSITORY, "c", A.commit_id),
        "plain_tag": Call(tags.create_tag, REPOSITORY, TagID("t"), A.commit_id),
        "plain_merge": Call(merging.merge, REPOSITORY, BRANCH, D.commit_id, "M"),
        "tag_first": Call(tags.create_tag, REPOSITORY, TagID("a"), FIRST.commit_id),
        "seal": Call(seal, REPOSITORY, BRANCH),
        "pin_d": Call(pin, REPOSITORY, D.commit_id),
        "lose_a": Call(lose, REPOSITORY, A.commit_id),
        "lose_b": Call(lose, REPOSITORY, B.commit_id),
        "forget_b": Call(forget, REPOSITORY, B.commit_id),
        "pin_a": Call(pin, REPOSITORY, A.commit_id),
        "condemn_a": Call(condemn, REPOSITORY, A.commit_id),
        "leave": Call(leave, REPOSITORY),
    }
    return plain | {f"{word}{name}": call for name, each in named.items() for word, call in _words(each).items()}


RUNS: Final = words_of(
    runs.FLOWS,
    last=Reading(order=("clock", "branches", "commits", "staged")),
    one=Reading(order=("clock", "branches", "staged", "commits")),
    late=Reading(order=("staged", "branches", "commits", "clock")),
    commits=runs.COMMITS_FIRST,
    lenient=Reading(order=runs.COMMITS_FIRST.order, strict=False),
    twice=runs.TWICE,
    tags=runs.WITH_TAGS,
    again=Reading(again=RULES),
    raised=Reading(again=Rules(40)),
    full=Reading(full=True),
)
PINS: Final = words_of(
    pins.FLOWS,
    first=pins.Reading(condemns_first=False),
    blind=pins.Reading(looks=False),
    lease=pins.Reading(lease=DAY),
)
HEADS: Final = words_of(heads.FLOWS, first=heads.LEFT_FIRST, afterwards=heads.AFTERWARDS)
WHOLE: Final = (Call(write_history, REPOSITORY, ("line", "dangling", "branch")),)
