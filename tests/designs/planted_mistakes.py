"""Realistic mistakes in the flows of the designs, one row each: what a programmer could write, and who must notice.

Each has a harm that a user would see. The text of a flow is changed; a scenario of the catalogue is then violated, by
the invariant that is named.
"""

# ruff: noqa: E501  # texts of other modules, as they stand there

from types import ModuleType
from typing import Final

import attrs

from lakefs_today import merging as upstream_merging
from lakeproof.impl.graveler import commits, lock_free, merges, resets, tokens
from lakeproof.impl.refs import branches
from lakeproof.impl.repositories import cleaner, hardened, reclaiming, step1, step2


@attrs.frozen
class Mistake:
    """A change of a module's text, and the scenario and the invariant that find it."""

    what: str
    module: ModuleType
    before: str
    """"": `after` is the value of a constant, ``NAME = VALUE``."""
    after: str
    scenario: str
    invariant: str

    def __str__(self) -> str:
        return f"{self.module.__name__.removeprefix('lakeproof.impl.')}: {self.what}"


OF_REPOSITORIES: Final = (
    Mistake(
        "a create writes its entry first",
        step1,
        """    await write_commit(env, partition_of(repository), initial_commit(repository))
    await write_branch(env, partition_of(repository), default_branch(env, repository))
    await claim(env, repository)
""",
        """    await claim(env, repository)
    await write_commit(env, partition_of(repository), initial_commit(repository))
    await write_branch(env, partition_of(repository), default_branch(env, repository))
""",
        "repositories/step1/absent/create-get",
        "active-is-complete",
    ),
    Mistake(
        "a delete removes the entry before the entities",
        step1,
        """    await delete_all(env, partition_of(repository), batch_size)
    await delete_entry(env, repository_id)
""",
        """    await delete_entry(env, repository_id)
    await delete_all(env, partition_of(repository), batch_size)
""",
        "repositories/step1-pairs/delete/crash",
        "deletion-leaves-a-lead",
    ),
    Mistake(
        "a delete does not hide the repository first",
        step1,
        "    if not state_by_set_if:\n        await write_entry(env, deleting)\n",
        "    if not state_by_set_if:\n        pass\n",
        "repositories/step1/delete-get",
        "active-is-complete",
    ),
    Mistake(
        "a delete removes the entry before it leaves its record",
        step2,
        """    await env.store.set(keys.DELETED, keys.cleanup_key(repository_id, repository.instance_uid), encode(record))
    await delete_entry(env, repository_id)
""",
        """    await delete_entry(env, repository_id)
    await env.store.set(keys.DELETED, keys.cleanup_key(repository_id, repository.instance_uid), encode(record))
""",
        "repositories/step2-pairs/delete.clean/crash",
        "deletion-leaves-a-lead",
    ),
    Mistake(
        "a delete leaves no record",
        step2,
        "    await env.store.set(keys.DELETED, "
        "keys.cleanup_key(repository_id, repository.instance_uid), encode(record))\n",
        "",
        "repositories/step2-pairs/delete.clean/crash",
        "branches-are-reclaimable",
    ),
    Mistake(
        "a create is active before its branch is there",
        step2,
        "RepositoryState.INITIAL)\n    try:\n        await write_entry_if(env, repository, None)",
        "RepositoryState.ACTIVE)\n    try:\n        await write_entry_if(env, repository, None)",
        "repositories/step2/absent/create-get",
        "active-is-complete",
    ),
    Mistake(
        "a claim is declared failed after one minute",
        step2,
        "",
        "INITIAL_TIMEOUT = 60_000_000",
        "repositories/step2-claims/absent/create-get/ninety-seconds",
        "claim-lasts-two-minutes",
    ),
    Mistake(
        "a claim is free after one minute",
        hardened,
        "",
        "INITIAL_TIMEOUT = 60_000_000",
        "repositories/hardened-claims/absent/create-create/ninety-seconds",
        "claim-lasts-two-minutes",
    ),
    Mistake(
        "the cleaner drops its record before it empties the partition",
        cleaner,
        """            await delete_all(env, keys.repository_partition(record.repository_id, record.instance_uid), batch_size)
            await env.store.delete(keys.DELETED, entry.key)
""",
        """            await env.store.delete(keys.DELETED, entry.key)
            await delete_all(env, keys.repository_partition(record.repository_id, record.instance_uid), batch_size)
""",
        "repositories/step2-pairs/delete.clean/crash",
        "deletion-leaves-a-lead",
    ),
    Mistake(
        "the cleaner stops at the first failure",
        cleaner,
        "            continue\n",
        "            break\n",
        "repositories/step2/alone/two/clean/refusal",
        "cleaner-goes-on",
    ),
    Mistake(
        "the cleaner stops at the first failure",
        hardened,
        "        except kv.KVError:\n            continue\n    return cleaned",
        "        except kv.KVError:\n            break\n    return cleaned",
        "repositories/hardened/alone/two/clean/refusal",
        "cleaner-goes-on",
    ),
    Mistake(
        "the cleaner takes every claim for abandoned",
        hardened,
        "entry.state is RepositoryState.INITIAL and _is_free(entry, await env.clock.now())",
        "entry.state is RepositoryState.INITIAL",
        "repositories/hardened-claims/absent/create-clean/ninety-seconds",
        "claim-lasts-two-minutes",
    ),
    Mistake(
        "the cleaner takes whatever is not active for dead, and a successor's partition with it",
        hardened,
        "    if found is None or found[0].instance_uid != record.instance_uid:\n        return True\n",
        "    if found is None:\n        return True\n",
        "repositories/hardened/delete-create",
        "superseded-is-cleaned",
    ),
    Mistake(
        "a delete that is tried again takes the next instance for its own",
        hardened,
        "        target, tried = entry.instance_uid, True\n",
        "        tried = True\n",
        "repositories/hardened/delete-delete_instance-create",
        "delete-spares-successor",
    ),
    Mistake(
        "a claim that failed passes for made",
        hardened,
        "        return None if found is None else found[0]\n    return repository",
        "        return repository\n    return repository",
        "repositories/hardened/absent/create-create",
        "create-is-effective",
    ),
    Mistake(
        "a create writes its entities before it notes the instance",
        hardened,
        "    await env.store.set(keys.DELETED, keys.cleanup_key(repository_id, claim.instance_uid), encode(record))\n"
        "    if not bare:\n"
        "        await write_commit(env, uid_partition(claim), initial_commit(claim))\n"
        "        await write_branch(env, uid_partition(claim), default_branch(env, claim))\n",
        "    if not bare:\n"
        "        await write_commit(env, uid_partition(claim), initial_commit(claim))\n"
        "        await write_branch(env, uid_partition(claim), default_branch(env, claim))\n"
        "    await env.store.set(keys.DELETED, keys.cleanup_key(repository_id, claim.instance_uid), encode(record))\n",
        "repositories/hardened/absent/create-create/crash-and-clock-jump",
        "garbage-is-reclaimable",
    ),
    Mistake(
        "the cleaner of data forgets the notes of tokens",
        reclaiming,
        "                if self.reading.keeps_notes:\n                    continue\n",
        "",
        "deleted-data/reclaiming/staged/upload-delete.clean/crash",
        "deleted-data-is-reclaimable",
    ),
    Mistake(
        "the cleaner of data lists the whole namespace",
        reclaiming,
        'if self.reading.objects == "of the namespace" else address_prefix(self.record.instance_uid)',
        "",
        "deleted-data/reclaiming/staged/delete.create.upload-clean/crash",
        "deletion-spares-live-data",
    ),
)

OF_BRANCHES: Final = (
    Mistake(
        "a writer that is beaten looks only at the head",
        tokens,
        "    return before.staging_token == now.staging_token\n",
        "    return before.commit_id == now.commit_id\n",
        "commits/lock-free/write-commit",
        "acknowledged-write-is-kept",
    ),
    Mistake(
        "a write is acknowledged after three changes of its token",
        tokens,
        "    raise WriteNotSettled(branch.branch_id, *paths)\n",
        "    return done, branch\n",
        "commits/lock-free-keeps-staged/write-commit.commit.commit",
        "acknowledged-write-is-kept",
    ),
    Mistake(
        "a delete is acknowledged after three changes of its token",
        tokens,
        "    raise WriteNotSettled(branch.branch_id, *paths)\n",
        "    return done, branch\n",
        "commits/lock-free-keeps-staged/delete-commit.commit.commit",
        "acknowledged-delete-is-kept",
    ),
    Mistake(
        "a reader does not look again",
        tokens,
        "        if before == branch:\n            return found\n",
        "        return found\n",
        "commits/lock-free/write.commit-read",
        "read-is-legal",
    ),
    Mistake(
        "a merge looks at the open token only",
        merges,
        "    async for _ in changes(env, branch.tokens):\n",
        "    async for _ in changes(env, (branch.staging_token,)):\n",
        "merges/by-set-if/sealed/merge",
        "merge-refuses-changes",
    ),
    Mistake(
        "a merge that was beaten answers as if it had won",
        merges,
        "        raise RefChanged(branch.branch_id) from None\n",
        "        pass\n",
        "merges/by-set-if/merge-merge",
        "commit-is-effective",
    ),
    Mistake(
        "a commit takes its own tokens away with those that others have sealed since",
        lock_free,
        "    return branch.sealed_tokens[: len(branch.sealed_tokens) - len(tokens)]\n",
        "    return ()\n",
        "commits/lock-free/write.commit-write.commit",
        "acknowledged-write-is-kept",
    ),
    Mistake(
        "a seal forgets what was sealed before",
        commits,
        "staging_token=next_token(env, branch), sealed_tokens=branch.tokens)",
        "staging_token=next_token(env, branch), sealed_tokens=(branch.staging_token,))",
        "commits/lock-free/write.commit-write.commit",
        "acknowledged-write-is-kept",
    ),
    Mistake(
        "a reset drops what was staged though another was faster",
        resets,
        "    if swapped.applied:\n        await drop_all(env, swapped.before.tokens, batch_size)\n",
        "    await drop_all(env, swapped.now.tokens, batch_size)\n",
        "met/lock-free/reset-commit",
        "met-as-specified",
    ),
    Mistake(
        "a branch is created over one that is there",
        branches,
        "        await replace_branch(env, repository, branch, None)\n",
        "        await env.store.set(uid_partition(repository), keys.branch_key(branch_id), encode(branch))\n",
        "branches/plain/create_branch-delete_branch",
        "linearizable",
    ),
    Mistake(
        "a merge takes a listing that broke for the end of the changes",
        upstream_merging,
        "    for change in (await changes_of(env, tokens, batch_size=batch_size)).values():\n",
        "    try:\n"
        "        left = await changes_of(env, tokens, batch_size=batch_size)\n"
        "    except Exception:\n"
        "        left = {}\n"
        "    for change in left.values():\n",
        "merges/upstream/write-merge/paged-scan-failure",
        "acknowledged-write-is-kept",
    ),
)
