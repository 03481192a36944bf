"""The table of mistakes, part two: in what deletes objects, and in retention."""

# ruff: noqa: E501  # texts of other modules, as they stand there

from typing import Final

from lakefs_today import collecting
from lakeproof.impl.hard_delete import _reaper, no_copies, offline, online, reference_counter, token_states
from lakeproof.impl.retention import pins, runs
from tests.designs.planted_mistakes import OF_BRANCHES, OF_REPOSITORIES, Mistake
from tests.designs.planted_mistakes_fresh import OF_FOREIGN, OF_TODAY

OF_OBJECTS: Final = (
    Mistake(
        "a merge writes nothing ahead",
        online,
        "return await merges.merge(env, repository, destination, source, message, prepare=_write_ahead)",
        "return await merges.merge(env, repository, destination, source, message)",
        "hard-delete/online-pairs/merge",
        "job-keeps-what-is-shown",
    ),
    Mistake(
        "a commit marks its head only when it has no token",
        online,
        "    await journal.mark_head(env, repository, branch.commit_id)\n\n\nasync def delete_branch",
        "    if not taken:\n        await journal.mark_head(env, repository, branch.commit_id)\n\n\nasync def delete_branch",
        "hard-delete/online-pairs/commit.commit",
        "job-keeps-what-is-shown",
    ),
    Mistake(
        "the job takes a sealed token for closed",
        _reaper,
        '    return "sealed" if branch is not None and token in branch.tokens else "closed"\n',
        '    return "closed"\n',
        "hard-delete/online-untimed/upload-commit-job",
        "committed-data-is-kept",
    ),
    Mistake(
        "a move leaves the entry locked",
        no_copies,
        "    if moved != free:\n",
        "    if moved is None:\n",
        "hard-delete/no_copies-circumstances/staged/move",
        "moved-entry-stays-usable",
    ),
    Mistake(
        "an upload deletes the object that it has replaced though a commit has sealed its entry",
        no_copies,
        "replaced.address != entry.address and (same or not reading.upload_checks_token)",
        "replaced.address != entry.address",
        "hard-delete/no_copies/staged/upload-commit",
        "committed-data-is-kept",
    ),
    Mistake(
        "a delete takes the object of a committed entry",
        no_copies,
        'tokens = branch.tokens[:1] if reading.delete_of == "open" else branch.tokens\n'
        "    nothing = StagedValue(branch.staging_token)\n",
        "tokens = branch.tokens[:1]\n"
        "    nothing = StagedValue(branch.staging_token, await find_object(env, repository, branch.branch_id, path))\n",
        "hard-delete/no_copies-careful-pairs/commit.delete",
        "job-keeps-what-is-shown",
    ),
    Mistake(
        "a metarange that is missing is passed over",
        offline,
        "            async for entry in reader.entries(await reader.meta_range(commit.meta_range_id)):\n"
        "                found.add(at(repository, decode_object_entry(entry.data)))\n",
        "            try:\n"
        "                async for entry in reader.entries(await reader.meta_range(commit.meta_range_id)):\n"
        "                    found.add(at(repository, decode_object_entry(entry.data)))\n"
        "            except Exception:\n"
        "                continue\n",
        "hard-delete/offline-circumstances/damaged/job",
        "unreadable-stops-the-job",
    ),
    Mistake(
        "a metarange that cannot be read once is passed over",
        offline,
        "            async for entry in reader.entries(await reader.meta_range(commit.meta_range_id)):\n"
        "                found.add(at(repository, decode_object_entry(entry.data)))\n",
        "            try:\n"
        "                async for entry in reader.entries(await reader.meta_range(commit.meta_range_id)):\n"
        "                    found.add(at(repository, decode_object_entry(entry.data)))\n"
        "            except Exception:\n"
        "                continue\n",
        "hard-delete/offline-circumstances/committed/job/refusal",
        "committed-data-is-kept",
    ),
    Mistake(
        "the job takes young objects",
        offline,
        "        if head.last_modified <= cut and not",
        "        if not",
        "hard-delete/offline/upload-job",
        "staged-data-is-kept",
    ),
    Mistake(
        "a copy is not counted",
        reference_counter,
        "    counted = is_owned(repository, entry)\n",
        "    counted = False\n",
        "hard-delete/reference_counter-careful-pairs/copy.delete",
        "job-keeps-what-is-shown",
    ),
    Mistake(
        "a commit does not note its tokens",
        token_states,
        "        await lists.note_committed(env, repository, taken.commit.commit_id, taken.tokens)\n",
        "        await lists.note_deleted(env, repository, taken.tokens)\n",
        "hard-delete/token_states-mended-pairs/commit",
        "job-keeps-what-is-shown",
    ),
)

OF_RETENTION: Final = (
    Mistake(
        "a pin is dropped in doubt",
        pins,
        '        if getattr(error, "definite", False):\n            await env.store.delete(partition, pin)\n',
        "        await env.store.delete(partition, pin)\n",
        "retention/pinned-doubt/create_branch.mark.sweep/late-write",
        "active-data-is-kept",
    ),
    Mistake(
        "a lease is taken for seconds",
        pins,
        "await env.clock.now() - reading.lease if reading.lease",
        "await env.clock.now() - reading.lease // 1_000_000 if reading.lease",
        "retention/pinned-lease-unit/pin.mark.sweep.use/an-hour",
        "active-data-is-kept",
    ),
    Mistake(
        "a run passes over an active commit that is missing",
        runs,
        "                if commit_id not in gone_from:\n                    raise\n",
        "",
        "retention/text-unread/after_damage/mark.sweep",
        "unreadable-stops-the-job",
    ),
    Mistake(
        "a run passes over a commit that cannot be read once",
        runs,
        "            except MissingObject:\n                if commit_id not in gone_from:\n                    raise\n",
        "            except Exception:\n",
        "retention/text-unread/after_restore.commit/mark.sweep/refusal",
        "active-data-is-kept",
    ),
    Mistake(
        "a run does not look what is staged",
        runs,
        "    return tuple(sorted(objects_to_delete(references, kept, seen.staged)))\n",
        "    return tuple(sorted(objects_to_delete(references, kept, set())))\n",
        "retention/text-pairs/restore.mark.sweep",
        "uncommitted-data-is-kept",
    ),
    Mistake(
        "a run forgets what hangs on no branch",
        runs,
        "    kept = frozenset(seen.commits.keys() - gone_from)\n",
        "    kept = frozenset(seen.heads.values())\n",
        "retention/text/upload.commit-mark.sweep",
        "active-data-is-kept",
    ),
    Mistake(
        "the collector takes a listing that was refused for an empty one",
        collecting,
        "        except BranchNotFound:\n",
        "        except Exception:\n",
        "gc/upstream/both/job/refusal",
        "staged-data-is-kept",
    ),
)

MISTAKES: Final = (*OF_REPOSITORIES, *OF_BRANCHES, *OF_OBJECTS, *OF_RETENTION, *OF_FOREIGN, *OF_TODAY)
