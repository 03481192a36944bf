"""Bugs planted in the text of the flows, each with the machine that finds it.

A bug that a scenario of the catalogue finds as well is one of `tests/designs/mistakes`, by its name.
"""

from typing import Final

import attrs
import pytest

from tests.designs.mistakes import MISTAKES, Mistake


@attrs.frozen
class Bug:
    """A fault that a programmer could make, and the machine that has to find it within its budget."""

    machine: str
    mistake: Mistake

    def __str__(self) -> str:
        return f"{self.machine}: {self.mistake.what}"

    def plant(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.mistake.plant(monkeypatch)


def changed(what: str, machine: str, module: str, before: str, after: str) -> Bug:
    """A bug in the text of a module of flows."""
    mistake = Mistake(f"lakeproof.impl.{module}", what, scenario="", invariant="", before=before, after=after)
    return Bug(machine, mistake)


def mistaken(machine: str, mistake: str) -> Bug:
    """A bug that a scenario of the catalogue finds as well."""
    (found,) = (each for each in MISTAKES if str(each) == mistake)
    return Bug(machine, found)


LOCK_FREE: Final = "commits/lock-free"
WRITES: Final = "commits/lock-free+writes"
RESETS: Final = "commits/lock-free+resets"
COMMITS: Final = "commits/lock-free+commits"
CROWD: Final = "commits/lock-free+crowd"
RESETS_AGAIN: Final = "commits/lock-free+restorations"
OPTIMISTIC_WRITES: Final = "commits/optimistic+writes"
READS: Final = "commits/lock-free+reads"
OPTIMISTIC: Final = "commits/optimistic"
HARDENED: Final = "repositories/hardened"
UNTIMED: Final = "hard-delete/online-untimed"
CLOSING: Final = "hard-delete/online-untimed+commits"
OFFLINE: Final = "hard-delete/offline-mended"
PINNED: Final = "retention/pinned+runs"

TOKENS: Final = "graveler.tokens"
REPLACE: Final = "replace_branch(env, repository, after, predicate)"
"""Of a swap: a commit has a start, and a seal cannot be beaten."""
BLIND_COMMIT: Final = REPLACE.replace("predicate", "kv.EXISTS if start else predicate")
BLIND_SEAL: Final = REPLACE.replace("predicate", "predicate if start or beaten else kv.EXISTS")
BLIND_RESET: Final = REPLACE.replace("predicate", "kv.EXISTS if beaten and not start else predicate")
CHANGES: Final = "        after = await change(branch)\n"
RESET_KEEPS_SEALED: Final = """\
        if after is not None and beaten and not start:
            after, beaten = attrs.evolve(after, sealed_tokens=branch.sealed_tokens), None
"""
IS_OPEN: Final = "before.staging_token == now.staging_token"
OR_SEALED: Final = "before.staging_token in now.tokens"
SEALS: Final = "    swapped = await swap(env, repository, branch_id, change, tries=tries)\n"
SEALS_NOTHING: Final = """\
    from lakeproof.impl.refs.branches import read_branch
    branch, predicate = await read_branch(env, repository, branch_id)
    return await change(branch), predicate
"""
"""The open token is taken as it is, and another one opened only in the end: writers go on under it."""
RESET_BRANCH: Final = """\
        token = next_token(env, branch) if fresh_token else branch.staging_token
        return attrs.evolve(branch, staging_token=token, sealed_tokens=())
"""
KEEPS_SEALED: Final = RESET_BRANCH.replace("()", "branch.sealed_tokens")
NOT_DROPPED: Final = ("return branch.sealed_tokens[: len(branch.sealed_tokens) - len(tokens)]", "return ()")
TAKEN_AGAIN: Final = ("if branch.sealed_tokens[-length:] == ours[:length]", "if length")
FORGOTTEN: Final = ("if is_restoration(token)) if taken else ()", "if False)")
NONE_LEFT_OUT: Final = (" if change.key not in restored)", ")")
COVERED: Final = "(restoration, branch.staging_token, *branch.sealed_tokens)"
RECORDS: Final = "repositories.records"
CLAIMS: Final = "set_if(keys.GRAVELER, key, encode(repository), predicate)"
CLAIMS_BLINDLY: Final = "set(keys.GRAVELER, key, encode(repository))"
INSTANCE: Final = 'env.ids.unique("instance")'
CLEANER: Final = "repositories.hardened"
DEAD: Final = "return True\n    return entry.state is RepositoryState.DELETED\n"
NOT_ACTIVE: Final = "return True\n    return entry.state is not RepositoryState.ACTIVE\n"

# fmt: off
BUGS: Final = (
    # Commits.
    changed("a commit does not seal", WRITES, "graveler.commits", SEALS, SEALS_NOTHING + SEALS),
    changed("a commit finishes blindly", LOCK_FREE, TOKENS, REPLACE, BLIND_COMMIT),
    changed("a commit seals blindly", WRITES, TOKENS, REPLACE, BLIND_SEAL),
    changed("a commit seals blindly", CROWD, TOKENS, REPLACE, BLIND_SEAL),
    changed("tokens sealed since are forgotten", COMMITS, "graveler.lock_free", *NOT_DROPPED),
    changed("a beaten commit takes all tokens again", COMMITS, "graveler.lock_free", *TAKEN_AGAIN),
    changed("of two changes the older is committed", WRITES, "graveler.commits", "env, sealed,", "env, sealed[::-1],"),
    changed("a commit reads its newest token alone", WRITES, "graveler.commits", "env, sealed,", "env, sealed[:1],"),
    changed("a commit finishes blindly", OPTIMISTIC, "graveler.optimistic", "made.commit_id), predicate)",
            "made.commit_id), kv.EXISTS)"),
    changed("a failed predicate passes for success", OPTIMISTIC, "graveler.optimistic",
            "except kv.PredicateFailed:\n            continue", "except kv.PredicateFailed:\n            pass"),
    changed("nobody takes the lock", "commits/locked", "graveler.locked", "    partition, key, lease =",
            "    return\n    partition, key, lease ="),
    # Writes and reads.
    changed("a writer trusts a sealed token", WRITES, TOKENS, IS_OPEN, OR_SEALED),
    changed("a writer trusts a sealed token", OPTIMISTIC_WRITES, TOKENS, IS_OPEN, OR_SEALED),
    changed("a writer does not look again", WRITES, TOKENS, IS_OPEN, "True"),
    mistaken(WRITES, "graveler.tokens: a writer that is beaten looks only at the head"),
    changed("a reader takes the oldest token first", LOCK_FREE, "graveler.reads", "return branch.tokens",
            "return branch.tokens[::-1]"),
    mistaken(READS, "graveler.tokens: a reader does not look again"),
    # Resets.
    changed("a reset keeps its sealed tokens", LOCK_FREE, TOKENS, CHANGES, CHANGES + RESET_KEEPS_SEALED),
    changed("a reset changes the branch blindly", LOCK_FREE, TOKENS, REPLACE, BLIND_RESET),
    changed("a reset of a path takes all others along", LOCK_FREE, "graveler.restorations", COVERED,
            "(restoration,)"),
    changed("a reset of a path looks at the open token only", RESETS, "graveler.resets", "for token in tokens(branch):",
            "for token in tokens(branch)[:1]:"),
    changed("a commit does not look for restorations", RESETS_AGAIN, "graveler.restorations", *FORGOTTEN),
    changed("a commit leaves no restored path out", RESETS_AGAIN, "graveler.commits", *NONE_LEFT_OUT),
    # Merges, branches, dumps, restores, migrations.
    changed("a merge finishes blindly", "merges/by-set-if", "graveler.merges", "made.commit_id), predicate)",
            "made.commit_id), kv.EXISTS)"),
    mistaken("merges/by-set-if+sealed", "graveler.merges: a merge looks at the open token only"),
    changed("a branch is written blindly", "branches/tombstone", "refs.branches",
            "set_if(uid_partition(repository), keys.branch_key(branch.branch_id), encode(branch), predicate)",
            "set(uid_partition(repository), keys.branch_key(branch.branch_id), encode(branch))"),
    mistaken("dumps/branches-first", "refs.dump: a dump reads the commits first"),
    changed("a restore writes over what is there", "restores/tombstone", "refs.dump",
            "set_if(uid_partition(repository), key, value, None)", "set(uid_partition(repository), key, value)"),
    changed("a restore leaves rows out", "restores/plain", "refs.dump", "if key not in there", "if key in there"),
    mistaken("migrations/by-version", "migration.migration: a restart clears nothing away"),
    # Repositories.
    changed("a create claims blindly", HARDENED, RECORDS, CLAIMS, CLAIMS_BLINDLY),
    changed("a create claims blindly", f"{HARDENED}+crowd", RECORDS, CLAIMS, CLAIMS_BLINDLY),
    changed("a failed predicate passes for success", HARDENED, RECORDS, CLAIMS, CLAIMS.replace("set_if", "try_set_if")),
    changed("the cleaner takes a claim for dead", HARDENED, CLEANER, DEAD, NOT_ACTIVE),
    changed("the cleaner spares superseded instances", HARDENED, CLEANER, "return True  # an", "return False  # an"),
    mistaken(HARDENED, "repositories.hardened: a get returns what is not active yet"),
    mistaken("repositories/step2-by-set-if", "repositories.step2: a get returns what is not active yet"),
    mistaken("alone/hardened", "repositories.hardened: the cleaner stops at the first failure"),
    mistaken("repositories/step1+creates", "repositories.step1: a create writes its entry first"),
    changed("instances share an identifier", "repositories/step1", RECORDS, INSTANCE, '"u"'),
    changed("instances share an identifier", "repositories/kv3", RECORDS, INSTANCE, '"u"'),
    mistaken("under-deletion/hardened", "repositories.hardened: a get returns what was deleted"),
    # Hard delete.
    changed("no head is written down", UNTIMED, "hard_delete.journal",
            "await env.store.set(uid_partition(repository) + HEADS,", "_ = (None,"),
    changed("the job takes a sealed token for open", CLOSING, "hard_delete.reaper", 'return "sealed"', 'return "open"'),
    mistaken("hard-delete/online-untimed+merges", "hard_delete.online: a merge writes nothing ahead"),
    changed("a move leaves the entry locked", "hard-delete/no_copies-circumstances", "hard_delete.no_copies",
            "await stage_if(env, token, free, encode(moved))", "pass"),
    changed("no address is written down", "hard-delete/online-decided", "hard_delete.journal",
            "await env.store.set(uid_partition(repository) + ADDRESSES,", "_ = (None,"),
    changed("the job finds nothing committed", OFFLINE, "hard_delete.offline",
            "kept |= await _committed_addresses(env, repository, reading, batch_size)", "pass"),
    mistaken(OFFLINE, "hard_delete.offline: the job takes young objects"),
    changed("no copy is written down", OFFLINE + "+copies", "hard_delete.offline",
            "await _track(env, repository, found, reading)", "pass"),
    changed("the job finds nothing committed", "hard-delete/token_states-mended", "hard_delete.token_states",
            "await _committed_addresses(env, repository, name, tokens, reading, batch_size)", "()"),
    changed("a commit deletes all under its tokens", "hard-delete/object_path-immutable", "hard_delete.object_path",
            "if head.address not in kept", "if True"),
    # Retention.
    changed("a run reads no pins", PINNED, "retention.pins", "if int(entry.value) >= since", "if False"),
    changed("all that is condemned goes", PINNED, "retention.pins",
            "active(seen.commits, seen.heads, rules, seen.now, tagged=seen.tagged | pinned)", "set[CommitID]()"),
    # The world: what only a combination shows.
    changed("a job asks nothing of its repository", "world/heirs", "world.jobs",
            'asking_first(env, repository) if reading.jobs == "of the living" else env', "env"),
    changed("a merge and a revert write nothing ahead", "world/leaving", "hard_delete.online",
            "    for token in taken:\n", "    return\n    for token in taken:\n"),
    changed("a run does not publish what it has condemned", "world/revived", "world.sentences", "if run == run_id",
            "if False"),
)
"""The table."""
