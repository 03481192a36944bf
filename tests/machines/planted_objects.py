"""Bugs planted in repositories, hard delete and retention, each with the machine that finds it."""

from typing import Final

import attrs

from lakeproof.impl.codec import encode
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler.tokens import Tokens
from lakeproof.impl.hard_delete import journal, no_copies, object_path, offline, online, reaper, token_states
from lakeproof.impl.repositories import hardened, kv3, step1
from lakeproof.impl.repositories.records import new_repository, read_entry
from lakeproof.impl.retention import pins
from lakeproof.impl.world import jobs, sentences
from lakeproof.model import keys, kv
from lakeproof.model.identifiers import BranchID, InstanceUID, RepositoryID, StagingToken
from lakeproof.model.records import Branch, CleanupRecord, Repository, RepositoryState
from tests.machines.planting import mistaken, nothing, replacing, yes

HARDENED: Final = "repositories/hardened"
UNTIMED: Final = "hard-delete/online-untimed"
CLOSING: Final = "hard-delete/online-untimed+commits"
OFFLINE: Final = "hard-delete/offline-mended"
PINNED: Final = "retention/pinned+runs"


async def write_blindly(env: Env, repository: Repository, predicate: kv.Predicate) -> None:
    """Write the entry, whatever is there."""
    await env.store.set(keys.GRAVELER, keys.repository_key(repository.repository_id), encode(repository))


async def write_or_not(env: Env, repository: Repository, predicate: kv.Predicate) -> None:
    """A failed predicate passes for success."""
    key = keys.repository_key(repository.repository_id)
    await env.store.try_set_if(keys.GRAVELER, key, encode(repository), predicate)


async def is_deleted(env: Env, record: CleanupRecord) -> bool:
    """A cleaner that spares instances whose entry another one has."""
    found = await read_entry(env, record.repository_id)
    return (
        found is not None
        and found[0].instance_uid == record.instance_uid
        and (found[0].state is RepositoryState.DELETED)
    )


async def is_not_this(env: Env, record: CleanupRecord) -> bool:
    """A cleaner that takes a claim for dead."""
    found = await read_entry(env, record.repository_id)
    return found is None or found[0].state is not RepositoryState.ACTIVE


def open_while_named(token: StagingToken, branch: Branch | None) -> reaper.Fate:
    """A job that takes a sealed token for an open one."""
    return "open" if branch is not None and token in branch.tokens else "closed"


async def under_tokens(env: Env, repository: Repository, branch_id: BranchID, tokens: Tokens, *_: object) -> None:
    """A commit that deletes all that is listed under its tokens, committed or not."""
    await DELETE_UNDER(env, repository, branch_id, tokens, 0)


def of_one_instance(
    env: Env,
    repository_id: RepositoryID,
    now: int,
    state: RepositoryState = RepositoryState.ACTIVE,
    *,
    bare: bool = False,
) -> Repository:
    """Instances share an identifier."""
    return attrs.evolve(new_repository(env, repository_id, now, state, bare=bare), instance_uid=InstanceUID("u"))


async def none_kept(*_: object) -> set[str]:
    """A job that finds nothing in use."""
    return set()


async def none_brought(*_: object) -> tuple[()]:
    """A job that takes nothing for committed."""
    return ()


def none_active(*_: object, **__: object) -> set[str]:
    """A run that takes every commit for expired."""
    return set()


async def no_pins(*_: object) -> set[str]:
    """A run that reads no pins."""
    return set()


def asked_nothing(env: Env, repository: Repository) -> Env:
    """A job that does not ask whether its repository lives."""
    return env


DELETE_UNDER: Final = object_path._delete_under  # a part that the bug changes
BUGS: Final = (
    # Repositories.
    replacing("a create claims blindly", HARDENED, (hardened, "write_entry_if", write_blindly)),
    replacing("a create claims blindly", f"{HARDENED}+crowd", (hardened, "write_entry_if", write_blindly)),
    replacing("a failed predicate passes for success", HARDENED, (hardened, "write_entry_if", write_or_not)),
    replacing("the cleaner takes a claim for dead", HARDENED, (hardened, "is_dead", is_not_this)),
    replacing("the cleaner spares superseded instances", HARDENED, (hardened, "is_dead", is_deleted)),
    mistaken(HARDENED, "repositories.hardened: a get returns what is not active yet"),
    mistaken("repositories/step2-by-set-if", "repositories.step2: a get returns what is not active yet"),
    mistaken("alone/hardened", "repositories.hardened: the cleaner stops at the first failure"),
    mistaken("repositories/step1+creates", "repositories.step1: a create writes its entry first"),
    replacing("instances share an identifier", "repositories/step1", (step1, "new_repository", of_one_instance)),
    replacing("instances share an identifier", "repositories/kv3", (kv3, "new_repository", of_one_instance)),
    mistaken("under-deletion/hardened", "repositories.hardened: a get returns what was deleted"),
    # Hard delete.
    replacing("no head is written down", UNTIMED, (journal, "mark_head", nothing)),
    replacing("the job takes a sealed token for open", CLOSING, (reaper, "fate_of", open_while_named)),
    mistaken("hard-delete/online-untimed+merges", "hard_delete.online: a merge writes nothing ahead"),
    replacing("a move leaves the entry locked", "hard-delete/no_copies-circumstances", (no_copies, "stage_if", yes)),
    replacing("no address is written down", "hard-delete/online-decided", (journal, "issue", nothing)),
    replacing("the job finds nothing committed", OFFLINE, (offline, "_committed_addresses", none_kept)),
    mistaken(OFFLINE, "hard_delete.offline: the job takes young objects"),
    replacing("no copy is written down", OFFLINE + "+copies", (offline, "_track", nothing)),
    replacing(
        "the job finds nothing committed",
        "hard-delete/token_states-mended",
        (token_states, "_committed_addresses", none_brought),
    ),
    replacing(
        "a commit deletes all under its tokens",
        "hard-delete/object_path-immutable",
        (object_path, "_delete_under", under_tokens),
    ),
    # Retention.
    replacing("a run reads no pins", PINNED, (pins, "_pinned_commits", no_pins)),
    replacing("all that is condemned goes", PINNED, (pins, "active", none_active)),
    # The world: what only a combination shows.
    replacing("a job does not ask whether its repository lives", "world/heirs", (jobs, "asking_first", asked_nothing)),
    replacing("a merge and a revert write nothing ahead", "world/leaving", (online, "write_ahead", nothing)),
    replacing("a run does not publish what it has condemned", "world/revived", (sentences, "publish", nothing)),
)
"""The table, part two."""
