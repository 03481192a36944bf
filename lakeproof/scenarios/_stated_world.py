"""One repository with everything on: what each call answers, its effects on both stores, and what it leaves.

The steps are those of docs/world.md; each is the flow of a part, whose steps are stated in a table of its own, with
what the other parts need. How a row is read: `lakeproof.scenarios._stated`.
"""

from collections.abc import Hashable, Mapping
from typing import Final

import attrs

from lakeproof.impl.effects import Env
from lakeproof.impl.flows import Flow, WorldFlows, bound
from lakeproof.impl.refs import branches, tags
from lakeproof.impl.refs.by_id import by_id
from lakeproof.impl.refs.dump import RefsDump
from lakeproof.impl.repositories import hardened
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.impl.retention import pins
from lakeproof.impl.staging import stage
from lakeproof.impl.world.flows import FLOWS, fetching
from lakeproof.impl.world.reading import Reading
from lakeproof.impl.world.sentences import FOLDER
from lakeproof.model.identifiers import CommitID, RepositoryID, StagingToken, TagID
from lakeproof.model.records import Repository, StagedEntry
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, MAIN, REPOSITORY, X, Y
from lakeproof.scenarios._retention import FIRST, OTHER, RULES, A, B, D, E
from lakeproof.scenarios._stated_branches import seal
from lakeproof.scenarios._stated_objects import head
from lakeproof.scenarios._world import HOURLY, NOTED, dump_noted, found_world

ID: Final = REPOSITORY.repository_id
TOKEN: Final = StagingToken("r-b:u.b2.0")
BARE: Final = attrs.evolve(REPOSITORY, bare=True)


async def stage_late(env: Env, repository: Repository) -> None:
    """What a writer does who read b before its first token was sealed: it overwrites x under that token, each time with
    another identity."""
    await stage(env, TOKEN, StagedEntry(key=X, identity=env.ids.unique("late").encode(), data=b""))


async def condemn(env: Env, repository: Repository, condemned: CommitID, run_id: str) -> None:
    """The sentence of a run."""
    await env.store.set(uid_partition(repository), pins.CONDEMNED + f"{condemned}/{run_id}".encode(), run_id.encode())


async def publish(env: Env, repository: Repository, condemned: CommitID) -> None:
    """The published sentence of a run."""
    await env.objects.put(f"{repository.storage_namespace}/{FOLDER}{condemned}", b"")


async def restore(env: Env, where: Repository | RepositoryID, flow: Flow) -> None:
    """Restore the dump that was noted."""
    await flow(env, where, RefsDump((await env.store.get(*NOTED)).value.decode()))


def _words(flows: WorldFlows) -> Mapping[str, Call]:
    def on(flow: Flow, *args: Hashable) -> Call:
        return Call(flow, REPOSITORY, *args)

    return {
        "up_x": on(flows.upload_object, BRANCH, X, b"1"),
        "up_x2": on(flows.upload_object, BRANCH, X, b"two"),
        "up_y": on(flows.upload_object, BRANCH, Y, b"1"),
        "up_main": on(flows.upload_object, MAIN, b"m", b"1"),
        "copy": on(flows.copy_object, BRANCH, Y, BRANCH, X),
        "copy_main": on(flows.copy_object, BRANCH, Y, MAIN, b"m"),
        "copy_side": on(flows.copy_object, BRANCH, Y, OTHER, b"w"),
        "move": on(flows.move_object, BRANCH, X, Y),
        "restore": on(flows.restore_object, BRANCH, X, A.commit_id),
        "restore_none": on(flows.restore_object, BRANCH, Y, A.commit_id),
        "x": on(flows.read_object, BRANCH, X),
        "y": on(flows.read_object, BRANCH, Y),
        "no_x": on(flows.delete_object, BRANCH, X),
        "commit": on(flows.commit, BRANCH, "one"),
        "commit_again": on(flows.commit, BRANCH, "two"),
        "commit_paged": Call(flows.commit, REPOSITORY, BRANCH, "one", batch_size=1),
        "commit_main": on(flows.commit, MAIN, "on main"),
        "merge": on(flows.merge, MAIN, BRANCH, "merged"),
        "merge_d": on(flows.merge, BRANCH, D.commit_id, "merged"),
        "revert": on(flows.revert, MAIN, MAIN, "reverted"),
        "revert_b": on(flows.revert, BRANCH, BRANCH, "reverted"),
        "revert_first": on(flows.revert, BRANCH, FIRST.commit_id, "reverted"),
        "reset": on(flows.reset_branch, BRANCH),
        "create_c": on(flows.create_branch, "c", MAIN),
        "create_b": on(flows.create_branch, BRANCH, MAIN),
        "move_main": on(flows.update_branch, BRANCH, MAIN),
        "move_a": on(flows.update_branch, BRANCH, A.commit_id),
        "delete_branch": on(flows.delete_branch, BRANCH),
        "delete_z": on(flows.delete_branch, OTHER),
        "tag": on(flows.create_tag, "t", BRANCH),
        "tag_e": on(flows.create_tag, "t", E.commit_id),
        "reap": on(flows.reap),
        "collect": on(flows.collect),
        "collect_paged": Call(flows.collect, REPOSITORY, batch_size=1),
        "collect_bare": Call(flows.collect, BARE),
        "mark": on(flows.mark, RULES, "n"),
        "mark_bare": Call(flows.mark, BARE, RULES, "n"),
        "sweep": on(flows.sweep, "n"),
        "sweep_paged": Call(flows.sweep, REPOSITORY, "n", batch_size=1),
        "restore_refs": Call(restore, BARE, flows.restore_refs),
    }


def words_of(flows: WorldFlows, **readings: Reading) -> Mapping[str, Call]:
    """By name; ``merge@unnoted`` merges by the reading of that name."""
    whole = bound(flows, how=HOURLY)
    named = {"": whole} | {f"@{name}": bound(whole, reading=reading) for name, reading in readings.items()}
    return {f"{word}{name}": call for name, each in named.items() for word, call in _words(each).items()}


def _of_mortals(flows: WorldFlows) -> Mapping[str, Call]:
    """Words that fetch the record of their repository first."""
    return {
        "id_up_x": Call(flows.upload_object, ID, BRANCH, X, b"1"),
        "id_x": Call(flows.read_object, ID, BRANCH, X),
        "id_reap": Call(flows.reap, ID),
        "id_mark": Call(flows.mark, ID, RULES, "n"),
        "id_restore_refs": Call(restore, ID, flows.restore_refs),
        "late_up_x": Call(flows.upload_object, REPOSITORY, BRANCH, X, b"1"),
        "late_reap": Call(flows.reap, REPOSITORY),
    }


WORLD: Final = {
    **words_of(
        FLOWS,
        unnoted=Reading(heads="by commits only"),
        by_entry=Reading(copies="by entry"),
        once=Reading(commits="once"),
        any=Reading(jobs="of whom they began with"),
        taken=Reading(unrestored="taken as it is"),
        go=Reading(sentences="go with it"),
        by_name=Reading(restored_last="by-name"),
        used_up=Reading(names="used up"),
    ),
    **_of_mortals(fetching(bound(FLOWS, how=HOURLY))),
    "branch": Call(branches.create_branch, REPOSITORY, BRANCH, MAIN),
    "seal": Call(seal, REPOSITORY, BRANCH),
    "head": Call(head, REPOSITORY),
    "late_x": Call(stage_late, REPOSITORY),
    "condemn_a": Call(condemn, REPOSITORY, A.commit_id, "u/n"),
    "condemn_d": Call(condemn, REPOSITORY, D.commit_id, "u/n"),
    "condemn_other": Call(condemn, REPOSITORY, D.commit_id, "u/m"),
    "publish_a": Call(publish, REPOSITORY, A.commit_id),
    "publish_d": Call(publish, REPOSITORY, D.commit_id),
    "publish_b": Call(publish, REPOSITORY, B.commit_id),
    "publish_e": Call(publish, REPOSITORY, E.commit_id),
    "tag_a": Call(tags.create_tag, REPOSITORY, TagID("t"), A.commit_id),
    "dump": Call(dump_noted, REPOSITORY),
    "id_dump": Call(by_id(hardened.get_repository, dump_noted), ID),
    "clean": Call(hardened.clean),
    "create_repository": Call(hardened.create_repository, ID),
    "create_bare": Call(hardened.create_bare_repository, ID),
    "delete_repository": Call(hardened.delete_repository, ID),
}
FRESH: Final = (Call(found_world, REPOSITORY, ()), WORLD["branch"])
EMPTY: Final = ()
AGED: Final = (Call(found_world, REPOSITORY, ("line", "branch", "dangling")),)
