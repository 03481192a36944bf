"""The offline job: what it deletes alone, as the model defines garbage; then what each order of its listings, each copy
and each slow user makes of it, step by step."""

from collections.abc import Sequence
from contextlib import suppress
from itertools import permutations
from typing import Any, Literal

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof import Call, Scenario
from lakeproof.explore.execution import Execution, Program
from lakeproof.explore.search import search
from lakeproof.explore.semantics import apply, patch
from lakeproof.impl.catalog.errors import AddressNotAllowed, DataGone, GrantExpired
from lakeproof.impl.committed import MissingObject
from lakeproof.impl.effects import Now
from lakeproof.impl.hard_delete.offline import AS_WRITTEN, FLOWS, Copies, Part, Reading
from lakeproof.impl.refs.errors import BranchNotFound, GravelerError, PathNotFound
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model import keys, kv, objects
from lakeproof.model.invariants import data, violations
from lakeproof.model.references import repositories
from lakeproof.scenarios._branch_data import BRANCH, MAIN, REPOSITORY, X, Y, Z
from lakeproof.scenarios.hard_delete_offline import SCENARIOS as CATALOGUED
from tests.impl.graveler.hand import NOW, Hand

ORDERS: Sequence[tuple[Part, ...]] = list(permutations(AS_WRITTEN.order))
AT_ONCE = Reading(min_age=0)
"""A job for which every object is old enough."""
OLD = {"reading": AT_ONCE}


def at_once(**fields: Any) -> dict[str, Reading]:  # type: ignore[explicit-any]
    """A reading in which every object is old enough, as an option."""
    return {"reading": attrs.evolve(AT_ONCE, **fields)}


@pytest.fixture
def hand() -> Hand:
    return Hand.founded()


def addresses(hand: Hand) -> set[str]:
    """Where the objects of users lie."""
    return {address for address in hand.snapshot().objects if "/data/" in address}


def garbage(hand: Hand) -> tuple[str, ...]:
    """What the model says that nothing refers to."""
    (view,) = repositories(hand.snapshot())
    return data.garbage(view)


def broken(hand: Hand) -> set[str]:
    """The invariants of data that do not hold."""
    checked = (data.committed_data_is_kept, data.staged_data_is_kept)
    return {each.invariant for invariant in checked for each in violations(invariant.check(hand.snapshot()))}


@attrs.define
class Clocked:
    """A flow under a clock that is set by hand."""

    hand: Hand
    now: int = NOW

    def start(self, flow: Any, *args: Any, **options: Any) -> Execution:  # type: ignore[explicit-any]
        self.hand.started += 1
        call = Call(flow, REPOSITORY, *args, **options)
        return Execution(Program(f"c{self.hand.started}.", (call,), frozen_now=None))

    def go(self, run: Execution, until: type | None = None) -> None:
        """Up to the next effect of a kind, or to the end."""
        while run.op is not None and not (until is not None and isinstance(run.op, until)):
            if isinstance(run.op, Now):
                run.send(self.now)
            else:
                reply, writes = apply(self.hand.cells, run.op, self.now)
                self.hand.cells = patch(self.hand.cells, writes)
                run.send(reply)

    def run(self, flow: Any, *args: Any, **options: Any) -> Any:  # type: ignore[explicit-any]
        run = self.start(flow, *args, **options)
        self.go(run)
        if run.finished[-1].error is not None:
            raise run.finished[-1].error
        return run.finished[-1].value


class TestAlone:
    def test_it_deletes_what_nothing_refers_to_and_says_so(self, hand: Hand) -> None:
        kept = hand.run(FLOWS.upload_object, BRANCH, X, b"1")
        hand.run(FLOWS.commit, BRANCH, "m")
        lost = hand.run(FLOWS.upload_object, BRANCH, X, b"2")
        hand.run(FLOWS.reset_branch, BRANCH)
        staged = hand.run(FLOWS.upload_object, MAIN, Y, b"3")
        assert hand.run(FLOWS.background_job, **OLD) == (f"mem://r/{lost.address}",)
        assert addresses(hand) == {f"mem://r/{each.address}" for each in (kept, staged)}
        assert hand.run(FLOWS.background_job, **OLD) == ()

    @given(
        st.lists(st.sampled_from(("upload", "delete", "commit", "reset", "copy", "move", "delete_branch")), max_size=8),
        st.data(),
    )
    def test_it_deletes_just_what_the_model_calls_garbage_in_every_order_and_page_size(
        self, words: list[str], draw: st.DataObject
    ) -> None:
        hand = Hand.founded()
        for word in words:
            path, other = draw.draw(st.permutations((X, Y)))
            calls: dict[str, tuple[Any, ...]] = {  # type: ignore[explicit-any]
                "upload": (FLOWS.upload_object, path, b"1"),
                "delete": (FLOWS.delete_object, path),
                "commit": (FLOWS.commit, "m"),
                "reset": (FLOWS.reset_branch,),
                "copy": (FLOWS.copy_object, path, BRANCH, other),
                "move": (FLOWS.move_object, path, other),
                "delete_branch": (FLOWS.delete_branch,),
            }
            flow, *args = calls[word]
            with suppress(GravelerError, BranchNotFound):
                hand.run(flow, BRANCH, *args)
        expected = garbage(hand)
        order, size = draw.draw(st.sampled_from(ORDERS)), draw.draw(st.sampled_from((0, 1, 2)))
        assert hand.run(FLOWS.background_job, batch_size=size, **at_once(order=order)) == expected
        assert garbage(hand) == ()
        assert broken(hand) == set()

    def test_what_a_newer_token_hides_is_kept(self, hand: Hand) -> None:
        hidden = hand.run(FLOWS.upload_object, BRANCH, X, b"1")
        hand.start(FLOWS.commit, BRANCH, "m").step(2)  # sealed, and there it stops
        hand.run(FLOWS.upload_object, BRANCH, X, b"2")
        assert hand.run(FLOWS.background_job, **OLD) == ()
        assert hand.run(FLOWS.background_job, **at_once(entries="shown")) == (f"mem://r/{hidden.address}",)

    def test_it_deletes_no_metadata_unless_it_is_told_to_spare_nothing(self, hand: Hand) -> None:
        hand.run(FLOWS.upload_object, BRANCH, X, b"1")
        hand.run(FLOWS.commit, BRANCH, "m")
        assert hand.run(FLOWS.background_job, **at_once(prefix="")) == ()
        gone = hand.run(FLOWS.background_job, **at_once(prefix="", spares=()))
        assert len(gone) == 2
        assert all(address.startswith("mem://r/_lakefs/") for address in gone)
        assert broken(hand) == {"committed-data-is-kept"}

    def test_it_deletes_nothing_where_committed_data_cannot_be_read(self, hand: Hand) -> None:
        hand.run(FLOWS.upload_object, BRANCH, X, b"1")
        made = hand.run(FLOWS.commit, BRANCH, "m")
        hand.run(FLOWS.upload_object, BRANCH, X, b"2")
        hand.run(FLOWS.reset_branch, BRANCH)
        before = addresses(hand)
        gone = ("object", f"mem://r/_lakefs/{made.meta_range_id}")
        hand.cells = {cell: value for cell, value in hand.cells.items() if cell != gone}
        with pytest.raises(MissingObject, match="no such object"):
            hand.run(FLOWS.background_job, **OLD)
        assert addresses(hand) == before

    @pytest.mark.parametrize(("commits", "kept"), [("all", True), ("reachable", False)])
    def test_what_only_an_unreachable_commit_holds_is_kept_where_all_commits_count(
        self, hand: Hand, commits: str, kept: bool
    ) -> None:
        hand.run(FLOWS.upload_object, BRANCH, X, b"1")
        hand.run(FLOWS.commit, BRANCH, "m")
        hand.run(FLOWS.delete_branch, BRANCH)
        hand.run(FLOWS.background_job, **at_once(commits=commits))
        assert bool(addresses(hand)) is kept


class TestAge:
    def test_an_object_is_deleted_from_its_minimum_age_on(self, hand: Hand) -> None:
        clocked = Clocked(hand)
        clocked.run(FLOWS.upload_object, BRANCH, X, b"1")
        clocked.run(FLOWS.reset_branch, BRANCH)
        clocked.now += 9
        assert clocked.run(FLOWS.background_job, reading=Reading(min_age=10)) == ()
        clocked.now += 1
        assert clocked.run(FLOWS.background_job, reading=Reading(min_age=10, margin=1)) == ()
        assert len(clocked.run(FLOWS.background_job, reading=Reading(min_age=10))) == 1

    @pytest.mark.parametrize(("cutoff", "lost"), [("start", set[str]()), ("listing", {"staged-data-is-kept"})])
    def test_an_object_that_was_put_after_the_job_began_is_safe_only_if_the_clock_was_read_before(
        self, hand: Hand, cutoff: Literal["start", "listing"], lost: set[str]
    ) -> None:
        clocked = Clocked(hand)
        reading = Reading(min_age=10, order=("uncommitted", "committed", "objects"), cutoff=cutoff)
        job = clocked.start(FLOWS.background_job, reading=reading)
        clocked.go(job, objects.ListObjects if cutoff == "start" else Now)
        clocked.run(FLOWS.upload_object, BRANCH, X, b"1")
        clocked.now += 20
        clocked.go(job)
        assert broken(hand) == lost


class TestOrders:
    @pytest.mark.parametrize("order", ORDERS, ids="-".join)
    def test_a_commit_at_any_step_of_the_job_loses_data_just_if_commits_are_listed_before_staged_entries(
        self, order: tuple[Part, ...]
    ) -> None:
        found: set[str] = set()
        for steps in range(6):
            hand = Hand.founded()
            hand.run(FLOWS.upload_object, BRANCH, X, b"1")
            job = hand.start(FLOWS.background_job, **at_once(order=order))
            job.step(steps)
            hand.run(FLOWS.commit, BRANCH, "m")
            job.finish()
            found |= broken(hand)
        wrong = order.index("committed") < order.index("uncommitted")
        assert found == ({"committed-data-is-kept"} if wrong else set())


class TestCommits:
    @pytest.mark.parametrize(("looks_again", "lost"), [(False, {"committed-data-is-kept"}), (True, set[str]())])
    def test_what_is_overwritten_under_a_commit_that_is_under_way_is_in_no_listing_until_the_commit_looks_again(
        self, hand: Hand, looks_again: bool, lost: set[str]
    ) -> None:
        hand.run(FLOWS.upload_object, BRANCH, X, b"old")
        upload = hand.start(FLOWS.upload_object, BRANCH, X, b"new").until(kv.Set)
        commit = hand.start(FLOWS.commit, BRANCH, "m", reading=Reading(looks_again=looks_again))
        commit.until(kv.ScanBatch).step()
        upload.finish()
        assert len(hand.run(FLOWS.background_job, **OLD)) == 1
        commit.finish()
        assert broken(hand) == lost
        if looks_again:
            assert hand.run(FLOWS.read_object, BRANCH, X) == b"new"

    def test_a_commit_that_looks_again_commits_what_one_that_does_not_would(self, hand: Hand) -> None:
        made = []
        for branch_id, looks_again in ((BRANCH, False), (MAIN, True)):
            hand.run(FLOWS.stage_object, branch_id, X, "ext://o", b"o")
            made.append(hand.run(FLOWS.commit, branch_id, "m", reading=Reading(looks_again=looks_again)))
        assert made[0] == made[1]


class TestCopies:
    @pytest.mark.parametrize(
        ("copies", "kept"),
        [("shallow", False), ("tracked", False), ("verified", True), ("verified apart", True), ("full", True)],
    )
    def test_a_source_that_is_deleted_after_it_was_read_is_copied_only_where_nobody_looks_again(
        self, hand: Hand, copies: Copies, kept: bool
    ) -> None:
        hand.run(FLOWS.upload_object, BRANCH, X, b"1")
        copy = hand.start(FLOWS.copy_object, MAIN, Y, BRANCH, X, reading=Reading(copies=copies))
        copy.until(objects.Copy if copies == "full" else kv.Set)
        hand.run(FLOWS.delete_object, BRANCH, X)
        hand.run(FLOWS.background_job, **at_once(records="last"))
        if kept:
            with pytest.raises((PathNotFound, DataGone)):
                copy.finish()
        else:
            copy.finish()
        assert (broken(hand) == set()) is kept

    def test_the_record_of_a_copy_keeps_its_object_while_it_is_young_and_goes_when_it_is_old(self, hand: Hand) -> None:
        clocked = Clocked(hand)
        clocked.run(FLOWS.upload_object, BRANCH, X, b"1")
        clocked.now += 20
        clocked.run(FLOWS.copy_object, BRANCH, Y, BRANCH, X, reading=Reading(copies="tracked"))
        clocked.run(FLOWS.reset_branch, BRANCH)
        job = {"reading": Reading(min_age=10, records="last")}
        assert clocked.run(FLOWS.background_job, **job) == ()
        clocked.now += 20
        assert len(clocked.run(FLOWS.background_job, **job)) == 1
        assert not [
            key for part, key in hand.snapshot().store if part == uid_partition(REPOSITORY) and b"copies" in key
        ]

    def test_a_move_leaves_one_entry_for_the_same_object_or_for_a_copy(self, hand: Hand) -> None:
        first = hand.run(FLOWS.upload_object, BRANCH, X, b"1")
        assert hand.run(FLOWS.move_object, BRANCH, X, Y).address == first.address
        assert hand.run(FLOWS.move_object, BRANCH, Y, Z, reading=Reading(copies="full")).address != first.address
        assert hand.run(FLOWS.background_job, **OLD) == (f"mem://r/{first.address}",)
        assert hand.run(FLOWS.read_object, BRANCH, Z) == b"1"


class TestAddresses:
    def test_a_grant_is_good_up_to_its_expiry(self, hand: Hand) -> None:
        clocked = Clocked(hand)
        grant = clocked.run(FLOWS.get_physical_address, BRANCH, X, reading=Reading(lifetime=10))
        hand.cells = {**hand.cells, ("object", grant.address): objects.StoredObject(b"1")}
        clocked.now += 10
        clocked.run(FLOWS.link_physical_address, BRANCH, X, grant, b"1")
        clocked.now += 1
        with pytest.raises(GrantExpired):
            clocked.run(FLOWS.link_physical_address, BRANCH, Y, grant, b"1")
        assert clocked.run(FLOWS.read_object, BRANCH, X) == b"1"

    def test_without_a_lifetime_a_grant_is_good_for_ever(self, hand: Hand) -> None:
        assert hand.run(FLOWS.get_physical_address, BRANCH, X).expires == 0

    def test_an_address_in_the_namespace_may_be_refused_and_one_outside_never_is(self, hand: Hand) -> None:
        entry = hand.run(FLOWS.upload_object, BRANCH, X, b"1")
        with pytest.raises(AddressNotAllowed):
            hand.run(FLOWS.stage_object, BRANCH, Y, f"mem://r/{entry.address}", b"1", reading=Reading(inside=False))
        hand.run(FLOWS.stage_object, BRANCH, Y, "ext://o", b"o", reading=Reading(inside=False))
        assert hand.run(FLOWS.background_job, **OLD) == ()


SMALL = [
    each
    for each in CATALOGUED
    if each.name.removeprefix("hard-delete/")
    in (
        "offline/upload-job/crash",
        "offline-cuo/staged/commit-job",
        "offline-uco/staged/commit-job",
        "offline-tracks-verified/onmain/copy_from_main:x.delete@main-job",
        "offline-tracks-first/onmain/copy_from_main:x.delete@main-job",
        "offline/late-link",
        "offline-mended/late-link",
    )
]


@pytest.mark.deep  # `lakeproof verify` runs them, with the same expectations
@pytest.mark.parametrize("scenario", SMALL, ids=lambda each: each.name)
def test_the_search_says_what_the_catalogue_expects(scenario: Scenario) -> None:
    findings = search(scenario).findings
    found = {finding.id: finding.verdict for finding in findings if finding.id in scenario.named_ids}
    assert found == {invariant_id: scenario.expected(invariant_id) for invariant_id in scenario.named_ids}


def test_no_key_of_a_copy_is_taken_for_a_record(hand: Hand) -> None:
    hand.run(FLOWS.upload_object, BRANCH, X, b"1")
    hand.run(FLOWS.copy_object, BRANCH, Y, BRANCH, X, reading=Reading(copies="tracked"))
    ((partition, key),) = [at for at, _ in hand.snapshot().store.items() if b"copies/" in at[1]]
    assert keys.parse(partition, key) is None
