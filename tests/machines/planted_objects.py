"""Bugs planted in repositories, hard delete and retention, each with the machine that finds it."""

from typing import Final

from lakeproof.impl.effects import Env
from lakeproof.impl.graveler.tokens import Tokens
from lakeproof.impl.hard_delete import journal, no_copies, object_path, offline, online, token_states
from lakeproof.impl.repositories import hardened
from lakeproof.impl.repositories.records import read_entry
from lakeproof.impl.retention import pins
from lakeproof.impl.world import jobs, sentences
from lakeproof.model.identifiers import BranchID
from lakeproof.model.records import CleanupRecord, Repository, RepositoryState
from tests.machines.planting import changed, mistaken, none_found, nothing, replacing, yes

HARDENED: Final = "repositories/hardened"
UNTIMED: Final = "hard-delete/online-untimed"
CLOSING: Final = "hard-delete/online-untimed+commits"
OFFLINE: Final = "hard-delete/offline-mended"
PINNED: Final = "retention/pinned+runs"


async def under_tokens(env: Env, repository: Repository, branch_id: BranchID, tokens: Tokens, *_: object) -> None:
    """A commit that deletes all that is listed under its tokens, committed or not."""
    await DELETE_UNDER(env, repository, branch_id, tokens, 0)


async def is_not_this(env: Env, record: CleanupRecord) -> bool:
    """A cleaner that takes a claim for dead."""
    found = await read_entry(env, record.repository_id)
    return found is None or found[0].state is not RepositoryState.ACTIVE


RECORDS: Final = "repositories.records"
CLAIMS: Final = "set_if(keys.GRAVELER, key, encode(repository), predicate)"
CLAIMS_BLINDLY: Final = "set(keys.GRAVELER, key, encode(repository))"
CLEANER: Final = "repositories.hardened"
DELETE_UNDER: Final = object_path._delete_under  # a part that the bug changes
BUGS: Final = (
    # Repositories.
    changed("a create claims blindly", HARDENED, RECORDS, CLAIMS, CLAIMS_BLINDLY),
    changed("a create claims blindly", f"{HARDENED}+crowd", RECORDS, CLAIMS, CLAIMS_BLINDLY),
    changed("a failed predicate passes for success", HARDENED, RECORDS, CLAIMS, CLAIMS.replace("set_if", "try_set_if")),
    replacing("the cleaner takes a claim for dead", HARDENED, (hardened, "is_dead", is_not_this)),
    changed("the cleaner spares superseded instances", HARDENED, CLEANER, "return True  # an", "return False  # an"),
    mistaken(HARDENED, "repositories.hardened: a get returns what is not active yet"),
    mistaken("repositories/step2-by-set-if", "repositories.step2: a get returns what is not active yet"),
    mistaken("alone/hardened", "repositories.hardened: the cleaner stops at the first failure"),
    mistaken("repositories/step1+creates", "repositories.step1: a create writes its entry first"),
    changed("instances share an identifier", "repositories/step1", RECORDS, 'env.ids.unique("instance")', '"u"'),
    changed("instances share an identifier", "repositories/kv3", RECORDS, 'env.ids.unique("instance")', '"u"'),
    mistaken("under-deletion/hardened", "repositories.hardened: a get returns what was deleted"),
    # Hard delete.
    replacing("no head is written down", UNTIMED, (journal, "mark_head", nothing)),
    changed("the job takes a sealed token for open", CLOSING, "hard_delete.reaper", 'return "sealed"', 'return "open"'),
    mistaken("hard-delete/online-untimed+merges", "hard_delete.online: a merge writes nothing ahead"),
    replacing("a move leaves the entry locked", "hard-delete/no_copies-circumstances", (no_copies, "stage_if", yes)),
    replacing("no address is written down", "hard-delete/online-decided", (journal, "issue", nothing)),
    replacing("the job finds nothing committed", OFFLINE, (offline, "_committed_addresses", none_found)),
    mistaken(OFFLINE, "hard_delete.offline: the job takes young objects"),
    replacing("no copy is written down", OFFLINE + "+copies", (offline, "_track", nothing)),
    replacing(
        "the job finds nothing committed",
        "hard-delete/token_states-mended",
        (token_states, "_committed_addresses", none_found),
    ),
    replacing(
        "a commit deletes all under its tokens",
        "hard-delete/object_path-immutable",
        (object_path, "_delete_under", under_tokens),
    ),
    # Retention.
    replacing("a run reads no pins", PINNED, (pins, "_pinned_commits", none_found)),
    replacing("all that is condemned goes", PINNED, (pins, "active", lambda *_, **__: set())),
    # The world: what only a combination shows.
    replacing("a job asks nothing of its repository", "world/heirs", (jobs, "asking_first", lambda env, _: env)),
    replacing("a merge and a revert write nothing ahead", "world/leaving", (online, "write_ahead", nothing)),
    replacing("a run does not publish what it has condemned", "world/revived", (sentences, "publish", nothing)),
)
"""The table, part two."""
