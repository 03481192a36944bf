"""The table of mistakes, part three: data that is not lakeFS' own, and what lakeFS' own code of today might get wrong."""

# ruff: noqa: E501  # texts of other modules, as they stand there

from typing import Final

from lakefs_today import branches, entries, imports, pulls, repositories
from lakeproof.impl.graveler import writes
from lakeproof.impl.hard_delete import _counters, no_copies, offline
from lakeproof.impl.repositories import reclaiming
from lakeproof.impl.retention import runs
from tests.designs.planted_mistakes import Mistake

OF_FOREIGN: Final = (
    Mistake(
        "a delete takes the object of whoever staged an entry for it",
        no_copies,
        "    if entry is not None and is_owned(repository, entry):\n        await env.objects.delete",
        "    if entry is not None:\n        await env.objects.delete",
        "hard-delete/no_copies-circumstances/foreign/upload",
        "deletion-spares-foreign-data",
    ),
    Mistake(
        "what has no counter is counted off, and deleted",
        _counters,
        "if is_owned(repository, entry) and await decrement(env, at(repository, entry), kind) == 0:",
        "if not is_owned(repository, entry) or await decrement(env, at(repository, entry), kind) == 0:",
        "hard-delete/reference_counter-circumstances/foreign/delete.job",
        "deletion-spares-foreign-data",
    ),
    Mistake(
        "the job lists all that begins as the namespace does",
        offline,
        "    async for head in env.objects.list(root + reading.prefix, batch_size):",
        "    async for head in env.objects.list(repository.storage_namespace, batch_size):",
        "hard-delete/offline-mended-circumstances/foreign/upload.job",
        "deletion-spares-foreign-data",
    ),
    Mistake(
        "a run marks what lies elsewhere",
        runs,
        "for entry in entries if is_owned(repository, entry)}",
        "for entry in entries}",
        "retention/text-foreign/mark.sweep",
        "deletion-spares-foreign-data",
    ),
    Mistake(
        "the cleaner of data deletes what lies elsewhere",
        reclaiming,
        "        if is_inside(space, address):",
        "        if address:",
        "deleted-data/hardened-following/foreign/delete.clean",
        "deletion-spares-foreign-data",
    ),
)

OF_TODAY: Final = (
    Mistake(
        "a delete of a repository leaves its tags",
        repositories,
        "for prefix in (keys.TAGS_PREFIX, keys.COMMITS_PREFIX):",
        "for prefix in (keys.COMMITS_PREFIX,):",
        "repositories/upstream/alone/create.tag.tag.create_branch.delete.delete.get.get_b.tag",
        "alone-is-exact",
    ),
    Mistake(
        "an update of metadata makes an entry",
        entries,
        "        if latest is None:\n            raise PathNotFound(path)\n        if not await stage_if(env, branch.staging_token, change(latest)",
        '        if latest is None:\n            latest = StagedEntry(key=path, identity=b"", data=b"")\n        if not await stage_if(env, branch.staging_token, change(latest)',
        "commits/upstream/nothing/touch",
        "update-needs-an-entry",
    ),
    Mistake(
        "an update of metadata of nothing answers that all is well",
        entries,
        "        if latest is None:\n            raise PathNotFound(path)\n        if not await stage_if(env, branch.staging_token, change(latest)",
        "        if latest is None:\n            return True\n        if not await stage_if(env, branch.staging_token, change(latest)",
        "commits/upstream/gone/amend",
        "update-needs-an-entry",
    ),
    Mistake(
        "of several entries one is written",
        entries,
        "    for path, identity in entries:\n        await set_entry",
        "    for path, identity in entries[:1]:\n        await set_entry",
        "commits/upstream/write_several-commit",
        "acknowledged-write-is-kept",
    ),
    Mistake(
        "of several entries one is staged",
        writes,
        "    for path, identity in entries:\n        change",
        "    for path, identity in entries[:1]:\n        change",
        "commits/lock-free/write_several-commit",
        "acknowledged-write-is-kept",
    ),
    Mistake(
        "a deleted branch leaves its open token",
        branches,
        "    await drop_async(env, (*branch.sealed_tokens, branch.staging_token))",
        "    await drop_async(env, branch.sealed_tokens)",
        "commits/upstream/delete_branch",
        "staged-garbage-can-be-found",
    ),
    Mistake(
        "a pull request is opened over another one",
        pulls,
        "    if not await env.store.try_set_if(partition, PULLS + pull_id.encode(), record, None):\n        raise PullExists(pull_id)\n",
        "    await env.store.set(partition, PULLS + pull_id.encode(), record)\n",
        "pulls/upstream/create-edit.get",
        "pull-request-is-linearizable",
    ),
    Mistake(
        "a merged pull request stays open",
        pulls,
        "    await _update(env, repository, pull_id, end, claims=claims)\n    return made",
        "    return made",
        "pulls/upstream-claims/edit-merge.get",
        "pull-tells-of-its-merge",
    ),
    Mistake(
        "an import that has completed can be canceled",
        imports,
        "    if found.value == COMPLETED or",
        "    if",
        "imports/upstream-claims/start.import-cancel",
        "canceled-import-is-absent",
    ),
    Mistake(
        "a run takes milliseconds for microseconds",
        runs,
        "                seen.now = await env.clock.now()\n",
        "                seen.now = await env.clock.now() // 1000\n",
        "retention/text/commit-mark.sweep",
        "expired-data-is-reclaimed",
    ),
    Mistake(
        "a sweep deletes the first object of a mark",
        runs,
        "    for address in addresses:\n        await env.objects.delete(address)",
        "    for address in addresses[:1]:\n        await env.objects.delete(address)",
        "retention/text-pairs/create_branch_from.mark.sweep",
        "expired-data-is-reclaimed",
    ),
)
