"""The three loops over staging tokens, effect by effect: what they read, when they start over and when they stop."""

import attrs
import pytest

from lakeproof.impl.effects import Env
from lakeproof.impl.graveler.committing import seal
from lakeproof.impl.graveler.tokens import Missed, Swapped, same_record, settle, stable, swap
from lakeproof.impl.refs.branches import get_branch
from lakeproof.impl.refs.errors import BranchBusy, BranchNotFound, WriteNotSettled
from lakeproof.impl.staging import stage, tombstone
from lakeproof.model import kv
from lakeproof.model.identifiers import CommitID
from lakeproof.model.records import Branch, Repository
from lakeproof.scenarios._branch_data import BRANCH, X
from tests.impl.hand import Hand, Running


async def hide(env: Env, repository: Repository, asks: bool = False, done: bool = False) -> Swapped | None:
    """Hide the branch, at most twice. asks: after a failure ask whether it is done; the answer is ``done``."""

    async def change(branch: Branch) -> Branch | None:
        return None if branch.hidden else attrs.evolve(branch, hidden=True)

    async def beaten(before: Branch, tried: Branch, now: Branch) -> bool:
        assert tried == attrs.evolve(before, hidden=True)
        assert before != now
        return done

    return await swap(env, repository, BRANCH, change, beaten=beaten if asks else None, tries=2)


async def write(env: Env, repository: Repository, whole: bool = False, rereads: bool = True) -> Branch:
    """Delete x, at most twice. whole: the record must not have changed."""

    async def delete(branch: Branch) -> None:
        await stage(env, branch.staging_token, tombstone(X))

    branch = await get_branch(env, repository, BRANCH)
    if not rereads:
        return (await settle(env, repository, branch, delete, X, settled=None, tries=2))[1]
    if whole:
        return (await settle(env, repository, branch, delete, X, settled=same_record, tries=2))[1]
    return (await settle(env, repository, branch, delete, X, tries=2))[1]


async def look(env: Env, repository: Repository, rereads: bool = True) -> str:
    """The head of the branch, seen at most twice."""

    async def head(branch: Branch) -> str:
        return branch.commit_id

    return await stable(env, repository, BRANCH, head, rereads=rereads, tries=2)


def disturbed(hand: Hand, running: Running, times: int, before: type) -> list[str]:
    """Run a flow to its end; the token changes before the first effects of a kind. Its effects, by name."""
    effects: list[str] = []
    while running.op is not None:
        if times and effects and isinstance(running.op, before):
            hand.run(seal, BRANCH)
            times -= 1
        effects.append(type(running.op).__name__)
        running.step()
    return effects


class TestSwap:
    def test_alone_it_reads_and_replaces(self) -> None:
        hand = Hand.founded()
        before = hand.branch()
        running = hand.start(hide)
        assert disturbed(hand, running, 0, kv.SetIf) == ["Get", "SetIf"]
        assert running.finish() == Swapped(before, attrs.evolve(before, hidden=True))
        assert hand.branch().hidden

    def test_where_nothing_is_to_be_changed_it_writes_nothing(self) -> None:
        hand = Hand.founded()
        hand.run(hide)
        running = hand.start(hide)
        assert disturbed(hand, running, 0, kv.SetIf) == ["Get"]
        assert running.finish() is None

    @pytest.mark.parametrize("asks", [False, True])
    def test_beaten_once_it_replaces_what_it_reads_then(self, asks: bool) -> None:
        hand = Hand.founded()
        running = hand.start(hide, asks)
        assert disturbed(hand, running, 1, kv.SetIf) == ["Get", "SetIf", "Get", "SetIf"]
        assert running.finish().now == hand.branch()
        assert hand.branch().sealed_tokens

    @pytest.mark.parametrize(("asks", "last"), [(False, []), (True, ["Get"])])
    def test_beaten_as_often_as_it_tries_it_gives_up_and_reads_once_more_only_to_ask(
        self, asks: bool, last: list[str]
    ) -> None:
        hand = Hand.founded()
        running = hand.start(hide, asks)
        assert disturbed(hand, running, 2, kv.SetIf) == ["Get", "SetIf", "Get", "SetIf", *last]
        with pytest.raises(BranchBusy):
            running.finish()
        assert not hand.branch().hidden

    def test_what_is_done_all_the_same_is_told_apart_from_what_was_applied(self) -> None:
        hand = Hand.founded()
        before = hand.branch()
        running = hand.start(hide, True, True)
        assert disturbed(hand, running, 1, kv.SetIf) == ["Get", "SetIf", "Get"]
        assert running.finish() == Swapped(before, hand.branch(), applied=False)

    def test_no_branch_is_an_error(self) -> None:
        with pytest.raises(BranchNotFound):
            Hand().run(hide)


class TestSettle:
    def test_alone_it_writes_and_reads_again(self) -> None:
        hand = Hand.founded()
        running = hand.start(write)
        assert disturbed(hand, running, 0, kv.Set) == ["Get", "Set", "Get"]
        assert running.finish() == hand.branch()

    def test_under_another_token_it_writes_once_more(self) -> None:
        hand = Hand.founded()
        running = hand.start(write)
        assert disturbed(hand, running, 1, kv.Set) == ["Get", "Set", "Get", "Set", "Get"]
        token = running.finish().staging_token
        assert token == hand.branch().staging_token

    def test_a_token_that_changes_every_time_leaves_the_write_in_doubt(self) -> None:
        hand = Hand.founded()
        running = hand.start(write)
        assert disturbed(hand, running, 2, kv.Set) == ["Get", "Set", "Get", "Set", "Get"]
        with pytest.raises(WriteNotSettled) as raised:
            running.finish()
        assert raised.value.args == (BRANCH, X)
        assert not raised.value.definite

    @pytest.mark.parametrize(
        ("whole", "effects"), [(False, ["Get", "Set", "Get"]), (True, ["Get", "Set", "Get", "Set", "Get"])]
    )
    def test_another_head_under_the_same_token_counts_only_where_the_record_must_be_the_same(
        self, whole: bool, effects: list[str]
    ) -> None:
        hand = Hand.founded()
        hand.run(hide)
        found: list[str] = []
        running = hand.start(write, whole)
        while running.op is not None:
            if found == ["Get"]:
                hand.cells = Hand.founded().cells  # the record without the mark, the token as it was
            found.append(type(running.op).__name__)
            running.step()
        assert found == effects

    def test_without_a_second_read_the_first_write_counts(self) -> None:
        hand = Hand.founded()
        running = hand.start(write, False, False)
        assert disturbed(hand, running, 1, kv.Set) == ["Get", "Set"]
        assert running.finish().staging_token != hand.branch().staging_token

    def test_what_was_missed_is_tried_again_from_the_record_that_came_with_it(self) -> None:
        async def miss(env: Env, repository: Repository) -> tuple[str, ...]:
            seen: list[str] = []

            async def write(branch: Branch) -> Missed | None:
                seen.append(branch.commit_id)
                return Missed(attrs.evolve(branch, commit_id=CommitID(f"{branch.commit_id}'")))

            branch = attrs.evolve(await get_branch(env, repository, BRANCH), commit_id=CommitID("c"))
            with pytest.raises(WriteNotSettled):
                await settle(env, repository, branch, write, X, tries=3)
            return tuple(seen)

        hand = Hand.founded()
        running = hand.start(miss)
        assert disturbed(hand, running, 0, kv.Set) == ["Get"]
        assert running.finish() == ("c", "c'", "c''")


class TestStable:
    def test_alone_it_reads_the_branch_twice(self) -> None:
        hand = Hand.founded()
        running = hand.start(look)
        assert disturbed(hand, running, 0, kv.Get) == ["Get", "Get"]
        assert running.finish() == hand.branch().commit_id

    def test_a_branch_that_changes_is_looked_through_once_more(self) -> None:
        hand = Hand.founded()
        assert disturbed(hand, hand.start(look), 1, kv.Get) == ["Get", "Get", "Get"]

    def test_one_that_changes_every_time_is_busy(self) -> None:
        hand = Hand.founded()
        running = hand.start(look)
        assert disturbed(hand, running, 2, kv.Get) == ["Get", "Get", "Get"]
        with pytest.raises(BranchBusy):
            running.finish()

    def test_without_a_second_read_the_first_look_counts(self) -> None:
        hand = Hand.founded()
        assert disturbed(hand, hand.start(look, False), 1, kv.Get) == ["Get"]
