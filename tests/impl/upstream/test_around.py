"""Tasks, imports, the collector, ownership and compaction as lakeFS has them today, by hand."""

import pytest

from lakeproof.impl.catalog import objects
from lakeproof.impl.effects import Env
from lakeproof.impl.refs.errors import PathNotFound
from lakeproof.impl.repositories.errors import RepositoryNotFound
from lakeproof.impl.upstream import collecting, commits, compaction, entries, imports, ownership, staging, tasks
from lakeproof.impl.upstream.errors import CommitMissing, ImportEnded, TaskNotFound
from lakeproof.model import keys, kv
from lakeproof.model.records import Commit, Repository
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY
from tests.impl.graveler.hand import Hand


async def forget(env: Env, repository: Repository, partition: bytes, key: bytes) -> None:
    """Remove a key."""
    await env.store.delete(partition, key)


class TestTasks:
    def test_a_task_runs_and_is_done(self) -> None:
        hand = Hand.founded()
        with pytest.raises(TaskNotFound):
            hand.run(tasks.task_status, "two", "t")
        hand.run(tasks.submit_task, "one", "t")
        assert hand.run(tasks.task_status, "two", "t") == tasks.RUNNING
        assert hand.run(tasks.task_status, "one", "t") == tasks.RUNNING
        hand.run(tasks.run_task, "one", "t")
        assert hand.run(tasks.task_status, "two", "t") == tasks.DONE

    @pytest.mark.parametrize("beats_first", [False, True])
    def test_the_second_task_of_a_server_does_not_wait_for_the_heartbeat(self, beats_first: bool) -> None:
        hand = Hand.founded()
        hand.start(tasks.submit_task, "one", "t", beats_first=beats_first).until(kv.Set, b"instances/one")
        hand.run(tasks.submit_task, "one", "u", beats_first=beats_first)
        assert hand.run(tasks.task_status, "two", "u") == (tasks.RUNNING if beats_first else tasks.DEAD)

    def test_an_old_heartbeat_is_a_dead_server_or_a_silent_one(self) -> None:
        hand = Hand.founded()
        hand.run(tasks.submit_task, "one", "t")
        assert hand.run(tasks.task_status, "two", "t", stale=-1) == tasks.DEAD
        assert hand.run(tasks.task_status, "two", "t", stale=-1, admits=True) == tasks.SILENT

    def test_a_server_that_stops_looks_dead_before_its_tasks_have_ended(self) -> None:
        hand = Hand.founded()
        hand.run(tasks.submit_task, "one", "t")
        hand.run(tasks.stop_server, "one")
        assert hand.run(tasks.task_status, "two", "t") == tasks.DEAD

    def test_what_is_fresh_is_not_cleaned(self) -> None:
        hand = Hand.founded()
        hand.run(tasks.submit_task, "one", "t")
        before = hand.cells
        hand.run(tasks.clean_heartbeats)
        hand.run(tasks.clean_tasks)
        assert hand.cells == before


class TestImports:
    def test_an_import_is_committed_and_cannot_be_canceled_then(self) -> None:
        hand = Hand.founded()
        with pytest.raises(TaskNotFound):
            hand.run(imports.cancel_import, "i")
        hand.run(imports.start_import, BRANCH, "i")
        assert isinstance(hand.run(imports.run_import, BRANCH, b"x", "i"), Commit)
        assert hand.content() == {b"x": b"i"}
        with pytest.raises(ImportEnded):
            hand.run(imports.cancel_import, "i")

    @pytest.mark.parametrize("claims", [False, True])
    def test_one_that_is_canceled_in_time_does_nothing(self, claims: bool) -> None:
        hand = Hand.founded()
        hand.run(imports.start_import, BRANCH, "i")
        hand.run(imports.cancel_import, "i", claims=claims)
        assert hand.run(imports.run_import, BRANCH, b"x", "i", claims=claims) is None
        assert hand.content() == {}

    def test_cancelling_while_the_branch_is_moved_is_acknowledged_unless_the_import_has_claimed_it(self) -> None:
        for claims in (False, True):
            hand = Hand.founded()
            hand.run(imports.start_import, BRANCH, "i")
            importer = hand.start(imports.run_import, BRANCH, b"x", "i", claims=claims).step(4)
            if claims:
                with pytest.raises(ImportEnded):
                    hand.run(imports.cancel_import, "i", claims=True)
            else:
                hand.run(imports.cancel_import, "i")
            importer.finish()
            assert hand.content() == {b"x": b"i"}


class TestCollecting:
    @pytest.mark.parametrize("all_entries", [False, True])
    def test_a_hidden_entry_counts_only_in_the_repair(self, all_entries: bool) -> None:
        hand = Hand.founded()
        hand.run(objects.upload_object, BRANCH, b"x", b"1")
        hand.start(commits.commit, BRANCH, "m").step(2)
        hand.run(entries.delete_entry, BRANCH, b"x")
        gone = hand.run(collecting.collect, min_age=0, all_entries=all_entries)
        assert len(gone) == (0 if all_entries else 1)

    def test_what_is_committed_or_staged_or_young_is_kept(self) -> None:
        hand = Hand.founded()
        hand.run(objects.upload_object, BRANCH, b"x", b"1")
        assert hand.run(collecting.collect, min_age=0) == ()
        hand.run(commits.commit, BRANCH, "m")
        hand.run(staging.sweep)
        assert hand.run(collecting.collect, min_age=0) == ()
        assert hand.run(collecting.collect) == ()

    @pytest.mark.parametrize("reports", [False, True])
    def test_a_missing_commit_is_a_panic_or_an_error(self, reports: bool) -> None:
        hand = Hand.founded()
        hand.run(entries.set_entry, BRANCH, b"x", b"1")
        head = hand.branch().commit_id
        hand.run(commits.commit, BRANCH, "m")
        hand.run(
            forget, keys.repository_partition(REPOSITORY.repository_id, REPOSITORY.instance_uid), keys.commit_key(head)
        )
        with pytest.raises(CommitMissing if reports else Exception, match=head[:8]):
            hand.run(collecting.prepare_commits, reports=reports)


class TestOwnership:
    def test_a_commit_owns_the_branch_and_releases_it(self) -> None:
        hand = Hand.founded()
        hand.run(entries.set_entry, BRANCH, b"x", b"1")
        committer = hand.start(ownership.commit, BRANCH, "m").step(3)
        hand.run(ownership.hold_branch, BRANCH, "two")
        committer.finish()
        assert hand.content() == {b"x": b"1"}
        key = ownership.key_of(REPOSITORY, BRANCH)
        (held,) = (
            value for (at, name), value in hand.snapshot().store.items() if (at, name) == (ownership.PARTITION, key)
        )
        assert isinstance(held, bytes)
        assert ownership.Ownership.decode(held).expires == 0

    @pytest.mark.parametrize("insists", [False, True])
    def test_a_refresh_undoes_a_release_unless_it_insists(self, insists: bool) -> None:
        hand = Hand.founded()
        holder = (
            hand.start(ownership.hold_branch, BRANCH, "one", insists=insists).until(kv.SetIf).step().until(kv.SetIf)
        )
        hand.run(ownership.refresh_branch, BRANCH, "one")
        holder.finish()
        key = ownership.key_of(REPOSITORY, BRANCH)
        held = hand.snapshot().store[ownership.PARTITION, key]
        assert isinstance(held, bytes)
        assert (ownership.Ownership.decode(held).expires == 0) is insists


class TestCompacting:
    def test_a_compaction_shows_what_the_tokens_have_shown(self) -> None:
        hand = Hand.founded()
        hand.run(entries.set_entry, BRANCH, b"x", b"1")
        hand.run(compaction.compact, BRANCH)
        hand.run(staging.sweep)
        assert hand.run(compaction.get_entry, BRANCH, b"x").identity == b"1"
        hand.run(compaction.compact, BRANCH)
        hand.run(compaction.delete_entry, BRANCH, b"x")
        with pytest.raises(PathNotFound):
            hand.run(compaction.get_entry, BRANCH, b"x")

    def test_an_update_of_metadata_hides_that_the_repository_is_gone(self) -> None:
        hand = Hand.founded()
        hand.run(entries.set_entry, BRANCH, b"x", b"1")
        hand.run(forget, keys.GRAVELER, keys.repository_key(REPOSITORY.repository_id))
        hand.run(entries.update_metadata_by_id, BRANCH, b"x", b"2")
        assert hand.content() == {b"x": b"1"}
        with pytest.raises(RepositoryNotFound):
            hand.run(entries.update_metadata_by_id, BRANCH, b"x", b"2", reports=True)
