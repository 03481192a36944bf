"""Entries, commits, resets and merges as lakeFS has them today, by hand."""

from typing import Any

import pytest

from lakeproof.impl.effects import Env
from lakeproof.impl.refs.errors import (
    BranchExists,
    DirtyBranch,
    EntryChanged,
    PathExists,
    PathNotFound,
    RefChanged,
    WriteNotSettled,
)
from lakeproof.impl.staging import unstage
from lakeproof.impl.upstream import branches, commits, entries, merging, resetting, staging
from lakeproof.impl.upstream.errors import CommitInProgress, EntryInDoubt, NoChanges
from lakeproof.model import keys, kv
from lakeproof.model.identifiers import StagingToken
from lakeproof.model.records import Repository
from lakeproof.scenarios._branch_data import BRANCH, MAIN
from tests.impl.graveler.hand import Hand

KEY = keys.branch_key(BRANCH)


async def remove(env: Env, repository: Repository, token: StagingToken, path: bytes) -> None:
    """What a write that comes late to a sealed token may do."""
    await unstage(env, token, path)


def written() -> Hand:
    hand = Hand.founded()
    hand.run(entries.set_entry, BRANCH, b"x", b"1")
    return hand


def committed() -> Hand:
    hand = written()
    hand.run(commits.commit, BRANCH, "m")
    return hand


def tombstones(hand: Hand) -> int:
    """Staged changes of the open token that have no data."""
    partition = keys.staging_partition(hand.branch().staging_token)
    found = [record for (at, _), record in hand.snapshot().store.items() if at == partition]
    return sum(getattr(record, "data", b"") is None for record in found)


class TestWriting:
    def test_a_write_is_repeated_under_the_token_that_came_meanwhile(self) -> None:
        hand = Hand.founded()
        writer = hand.start(entries.set_entry, BRANCH, b"x", b"1").until(kv.Set)
        hand.start(commits.commit, BRANCH, "m").step(2)
        writer.finish()
        assert hand.content() == {b"x": b"1"}

    def test_a_write_gives_up_after_three_tokens(self) -> None:
        hand = Hand.founded()
        writer = hand.start(entries.set_entry, BRANCH, b"x", b"1")
        for _ in range(3):
            writer.until(kv.Set).step()
            hand.run(resetting.reset_branch, BRANCH)
            if writer.op is not None:
                writer.step()
        with pytest.raises(WriteNotSettled):
            writer.finish()

    def test_several_are_written_one_after_the_other(self) -> None:
        hand = Hand.founded()
        hand.run(entries.set_entries, BRANCH, ((b"x", b"1"), (b"y", b"2")))
        assert hand.content() == {b"x": b"1", b"y": b"2"}


class TestDeleting:
    @pytest.mark.parametrize("careful", [False, True])
    def test_a_tombstone_is_written_only_where_there_is_something(self, careful: bool) -> None:
        empty, staged, head = Hand.founded(), written(), committed()
        for hand, expected in ((empty, 0), (staged, 1), (head, 1)):
            hand.run(entries.delete_entry, BRANCH, b"x", careful=careful)
            assert tombstones(hand) == expected
            assert hand.content() == {}

    def test_without_a_tombstone_a_staged_change_is_removed(self) -> None:
        hand = written()
        hand.run(entries.delete_entry, BRANCH, b"x", no_tombstone=True)
        assert tombstones(hand) == 0
        assert hand.content() == {}

    def test_without_a_tombstone_a_committed_or_sealed_entry_gets_one_all_the_same(self) -> None:
        head = committed()
        head.run(entries.delete_entry, BRANCH, b"x", no_tombstone=True)
        assert tombstones(head) == 1
        sealed = written()
        sealed.start(commits.commit, BRANCH, "m").step(2)
        sealed.run(entries.delete_entry, BRANCH, b"x", no_tombstone=True)
        assert tombstones(sealed) == 1

    def test_several_paths_are_deleted_under_one_look(self) -> None:
        hand = written()
        hand.run(entries.set_entry, BRANCH, b"y", b"2")
        hand.run(entries.delete_entries, BRANCH, (b"x", b"y"))
        assert hand.content() == {}

    @pytest.mark.parametrize("careful", [False, True])
    def test_a_tombstone_that_a_commit_has_not_seen_deletes_nothing(self, careful: bool) -> None:
        hand = written()
        deleter = hand.start(entries.delete_entry, BRANCH, b"x", careful=careful).until(kv.SetIf)
        committer = hand.start(commits.commit, BRANCH, "m").until(kv.SetIf, KEY).step().until(kv.SetIf, KEY)
        deleter.finish()
        committer.finish()
        assert hand.content() == ({} if careful else {b"x": b"1"})

    @pytest.mark.parametrize("careful", [False, True])
    def test_an_entry_that_moves_from_a_token_to_the_head_meanwhile_is_missed(self, careful: bool) -> None:
        hand = written()
        old = hand.branch().staging_token
        committer = hand.start(commits.commit, BRANCH, "m").step(2)
        deleter = hand.start(entries.delete_entry, BRANCH, b"x", careful=careful)
        deleter.until(kv.Get, keys.commit_key(hand.branch().commit_id)).step()
        committer.finish()
        hand.run(staging.sweep)
        assert (keys.staging_partition(old), keys.staged_key(b"x")) not in hand.snapshot().store
        deleter.finish()
        assert hand.content() == ({} if careful else {b"x": b"1"})


class TestReading:
    @pytest.mark.parametrize("rereads", [False, True])
    def test_a_read_misses_what_has_been_committed_and_swept_meanwhile(self, rereads: bool) -> None:
        hand = written()
        reader = hand.start(entries.get_entry, BRANCH, b"x", rereads=rereads).step()
        hand.run(commits.commit, BRANCH, "m")
        hand.run(staging.sweep)
        if rereads:
            assert reader.finish().identity == b"1"
        else:
            with pytest.raises(PathNotFound):
                reader.finish()

    def test_a_listing_has_what_is_staged_over_what_is_committed(self) -> None:
        hand = committed()
        hand.run(entries.set_entry, BRANCH, b"y", b"2")
        found = hand.run(entries.list_entries, BRANCH)
        assert [(entry.path, entry.identity) for entry in found] == [(b"x", b"1"), (b"y", b"2")]


class TestConditions:
    def test_create_and_replace_answer_as_they_must(self) -> None:
        hand = Hand.founded()
        hand.run(entries.create_entry, BRANCH, b"x", b"1")
        with pytest.raises(PathExists):
            hand.run(entries.create_entry, BRANCH, b"x", b"2")
        with pytest.raises(EntryChanged):
            hand.run(entries.replace_entry, BRANCH, b"x", b"2", b"0")
        hand.run(entries.replace_entry, BRANCH, b"x", b"2", b"1")
        assert hand.content() == {b"x": b"2"}

    def test_a_create_under_a_token_that_is_sealed_meanwhile_is_refused_by_itself(self) -> None:
        hand = Hand.founded()
        creator = hand.start(entries.create_entry, BRANCH, b"x", b"1").until(kv.SetIf)
        committer = hand.start(commits.commit, BRANCH, "m").step(2)
        with pytest.raises(PathExists):
            creator.finish()
        committer.finish()
        assert hand.content() == {b"x": b"1"}

    def test_one_that_knows_its_own_stages_it_again(self) -> None:
        hand = Hand.founded()
        creator = hand.start(entries.create_entry, BRANCH, b"x", b"1", knows_its_own=True).until(kv.SetIf)
        hand.start(commits.commit, BRANCH, "m").step(2)
        creator.finish()
        assert hand.content() == {b"x": b"1"}

    def test_one_that_finds_another_entry_instead_is_in_doubt(self) -> None:
        hand = Hand.founded()
        creator = hand.start(entries.create_entry, BRANCH, b"x", b"1", knows_its_own=True).until(kv.SetIf).step()
        hand.start(commits.commit, BRANCH, "m").step(2)
        hand.run(entries.set_entry, BRANCH, b"x", b"2")
        with pytest.raises(EntryInDoubt):
            creator.finish()

    def test_metadata_of_what_is_not_there_cannot_be_changed(self) -> None:
        hand = Hand.founded()
        with pytest.raises(PathNotFound):
            hand.run(entries.update_metadata, BRANCH, b"x", b"2")

    @pytest.mark.parametrize("knows_its_own", [False, True])
    def test_an_update_brings_back_what_is_removed_between_its_looks(self, knows_its_own: bool) -> None:
        hand = written()
        updater = hand.start(entries.update_metadata, BRANCH, b"x", b"2", knows_its_own=knows_its_own).until(kv.SetIf)
        if not knows_its_own:
            updater = hand.start(entries.update_metadata, BRANCH, b"x", b"2").step(3)
        hand.run(entries.delete_entry, BRANCH, b"x", no_tombstone=True)
        if knows_its_own:
            with pytest.raises(EntryChanged):
                updater.finish()
        else:
            updater.finish()
        assert hand.content() == ({} if knows_its_own else {b"x": b"2"})


class TestCommitting:
    def test_a_commit_takes_all_that_is_sealed_and_notes_the_tokens(self) -> None:
        hand = written()
        old = hand.branch().staging_token
        hand.run(commits.commit, BRANCH, "m")
        assert hand.branch().sealed_tokens == ()
        assert (staging.CLEANUP, old.encode()) in hand.snapshot().store
        assert hand.run(staging.sweep) == 1
        assert hand.run(staging.sweep) == 0
        assert hand.content() == {b"x": b"1"}

    def test_one_that_is_beaten_finds_no_changes(self) -> None:
        hand = written()
        slow = hand.start(commits.commit, BRANCH, "slow").step(2)
        hand.run(commits.commit, BRANCH, "fast")
        with pytest.raises(NoChanges):
            slow.finish()

    def test_nothing_or_the_same_is_no_commit_unless_it_may_be_empty(self) -> None:
        hand = committed()
        with pytest.raises(NoChanges):
            hand.run(commits.commit, BRANCH, "again")
        assert hand.run(commits.commit, BRANCH, "empty", allow_empty=True).message == "empty"

    def test_one_that_looks_again_leaves_out_what_was_deleted_meanwhile(self) -> None:
        hand = written()
        hand.run(entries.set_entry, BRANCH, b"y", b"2")
        old = hand.branch().staging_token
        committer = hand.start(commits.commit, BRANCH, "m", looks_again=True).until(kv.ScanBatch).step()
        hand.run(remove, old, b"x")
        committer.finish()
        assert hand.content() == {b"y": b"2"}


class TestResetting:
    def test_each_reset_makes_paths_what_they_are_in_the_head(self) -> None:
        flows: list[Any] = [  # type: ignore[explicit-any]  # flows take what they like after env
            (resetting.reset_branch, ()),
            (resetting.reset_entry, (b"x",)),
            (resetting.reset_prefix, (b"x",)),
        ]
        for flow, more in flows:
            for options in ({}, {"waits": True})[: 1 if flow is resetting.reset_branch else 2]:
                hand = committed()
                hand.run(entries.set_entry, BRANCH, b"x", b"2")
                hand.run(flow, BRANCH, *more, **options)
                assert hand.content() == {b"x": b"1"}
                fresh = written()
                fresh.run(flow, BRANCH, *more, **options)
                assert fresh.content() == {}

    def test_a_reset_of_a_prefix_that_fails_has_deleted_all_the_same(self) -> None:
        hand = written()
        resetter = hand.start(resetting.reset_prefix, BRANCH, b"").until(kv.SetIf)
        hand.start(commits.commit, BRANCH, "m").step(2)
        with pytest.raises(RefChanged):
            resetter.finish()
        assert hand.content() == {}

    def test_one_that_waits_leaves_all_as_it_was(self) -> None:
        hand = written()
        resetter = hand.start(resetting.reset_prefix, BRANCH, b"", waits=True).until(kv.SetIf)
        hand.start(commits.commit, BRANCH, "m").step(2)
        with pytest.raises(RefChanged):
            resetter.finish()
        assert hand.content() == {b"x": b"1"}
        with pytest.raises(CommitInProgress):
            hand.run(resetting.reset_entry, BRANCH, b"x", waits=True)


class TestBranches:
    def test_a_branch_that_is_there_is_not_created_and_one_that_was_deleted_is(self) -> None:
        hand = written()
        with pytest.raises(BranchExists):
            hand.run(branches.create_branch, BRANCH, MAIN)
        hand.run(branches.delete_branch, BRANCH)
        hand.run(branches.create_branch, BRANCH, MAIN)
        assert hand.content() == {}

    def test_a_merge_is_refused_while_there_are_changes_and_brings_the_source(self) -> None:
        hand = written()
        hand.run(entries.set_entry, MAIN, b"m", b"1")
        hand.run(commits.commit, MAIN, "ahead")
        with pytest.raises(DirtyBranch):
            hand.run(merging.merge, BRANCH, MAIN, "merge")
        hand.run(commits.commit, BRANCH, "m")
        hand.run(merging.merge, BRANCH, MAIN, "merge")
        assert hand.content() == {b"m": b"1", b"x": b"1"}
        with pytest.raises(NoChanges):
            hand.run(merging.merge, BRANCH, MAIN, "again")

    def test_a_revert_undoes_the_last_commit(self) -> None:
        hand = committed()
        hand.run(merging.revert, BRANCH, BRANCH, "undo")
        assert hand.content() == {}
