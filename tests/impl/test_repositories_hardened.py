"""Variant hardened: its four rules, and what it makes of predicates that lie and answers that are lost."""

import pytest

from lakeproof.impl.repositories import hardened
from lakeproof.impl.repositories.errors import CreationOutrun, NotUnique, RepositoryNotFound, TagExists
from lakeproof.impl.repositories.step2 import INITIAL_TIMEOUT
from lakeproof.model import kv
from lakeproof.model.records import RepositoryState
from tests.impl.stepping import Bench, R

CREATE = [
    "get repos/r",
    "set_if repos/r",
    "set repo/r/u1",
    "set commits/c.u1",
    "set branches/main",
    "set_if repos/r",
]


def created() -> Bench:
    bench = Bench()
    bench.run(hardened.create_repository, R)
    return bench


def state(bench: Bench) -> RepositoryState:
    entry = bench.entry()
    assert entry is not None
    return entry.state


def test_create_claims_notes_the_instance_writes_the_entities_and_activates() -> None:
    bench = created()
    assert bench.story == CREATE
    assert state(bench) is RepositoryState.ACTIVE


def test_bare_is_noted_too() -> None:
    bench = Bench()
    assert bench.run(hardened.create_bare_repository, R).bare
    assert bench.story == ["get repos/r", "set_if repos/r", "set repo/r/u1", "set_if repos/r"]


def test_delete_leaves_a_tombstone_which_the_next_create_replaces() -> None:
    bench = created()
    bench.run(hardened.delete_repository, R)
    assert bench.story == ["get repos/r", "set_if repos/r"]
    assert state(bench) is RepositoryState.DELETED
    for flow in (hardened.get_repository, hardened.delete_repository):
        with pytest.raises(RepositoryNotFound):
            bench.run(flow, R)
    assert bench.run(hardened.list_repositories) == ()
    made = bench.run(hardened.create_repository, R)
    assert bench.run(hardened.list_repositories) == (made,)


def test_a_claim_keeps_its_id_for_two_minutes() -> None:
    bench = Bench()
    bench.crash(4, hardened.create_repository, R)
    bench.now += INITIAL_TIMEOUT - 1
    with pytest.raises(NotUnique):
        bench.run(hardened.create_repository, R)
    bench.now += 1
    bench.run(hardened.create_repository, R)


def test_a_creator_whose_claim_was_taken_is_told_so() -> None:
    bench = Bench()
    slow = bench.begin(hardened.create_repository, R)
    slow.go(4)
    bench.now += INITIAL_TIMEOUT
    made = bench.run(hardened.create_repository, R)
    with pytest.raises(CreationOutrun):
        slow.finish()
    assert bench.run(hardened.get_repository, R) == made


def test_a_claim_can_be_deleted() -> None:
    bench = Bench()
    slow = bench.begin(hardened.create_repository, R)
    slow.go(4)
    bench.run(hardened.delete_repository, R)
    with pytest.raises(CreationOutrun):
        slow.finish()
    assert state(bench) is RepositoryState.DELETED


@pytest.mark.parametrize("effect", [1, 5])
def test_create_recognises_its_own_write_when_the_predicate_lies(effect: int) -> None:
    bench = Bench()
    made = bench.run(hardened.create_repository, R, told={effect: kv.PredicateFailed()})
    assert bench.run(hardened.get_repository, R) == made
    assert len(bench.addresses()) == 4


@pytest.mark.parametrize("effect", [1, 5])
def test_a_create_that_cannot_look_after_a_failed_predicate_is_in_doubt(effect: int) -> None:
    with pytest.raises(kv.OutcomeUnknown):
        Bench().run(hardened.create_repository, R, told={effect: kv.PredicateFailed(), effect + 1: kv.Refused()})


def test_a_lied_to_creator_whose_claim_was_deleted_meanwhile_is_in_doubt() -> None:
    bench = Bench()
    slow = bench.begin(hardened.create_repository, R, told={1: kv.PredicateFailed()})
    slow.go(2)
    bench.run(hardened.delete_repository, R)
    with pytest.raises(CreationOutrun):
        slow.finish()


@pytest.mark.parametrize("error", [kv.PredicateFailed(), kv.OutcomeUnknown()])
def test_delete_looks_again_and_is_content_when_its_target_is_gone(error: kv.KVError) -> None:
    bench = created()
    bench.run(hardened.delete_repository, R, told={1: error})
    assert bench.story == ["get repos/r", "set_if repos/r", "get repos/r"]


@pytest.mark.parametrize("error", [kv.PredicateFailed(), kv.OutcomeUnknown()])
def test_delete_never_hits_the_successor_of_its_target(error: kv.KVError) -> None:
    bench = created()
    slow = bench.begin(hardened.delete_repository, R, told={1: error})
    slow.go(2)
    made = bench.run(hardened.create_repository, R)
    slow.finish()
    assert bench.run(hardened.get_repository, R) == made


def test_delete_follows_its_target_through_a_change_of_state() -> None:
    bench = Bench()
    creator = bench.begin(hardened.create_repository, R)
    creator.go(5)
    deleter = bench.begin(hardened.delete_repository, R)
    deleter.go(1)
    creator.finish()
    deleter.finish()
    assert state(bench) is RepositoryState.DELETED


def test_a_delete_in_doubt_does_not_claim_that_nothing_happened() -> None:
    bench = created()
    with pytest.raises(kv.OutcomeUnknown):
        bench.run(hardened.delete_repository, R, told={1: kv.OutcomeUnknown(), 2: kv.Refused()})
    bench = created()
    with pytest.raises(kv.Refused):
        bench.run(hardened.delete_repository, R, told={0: kv.Refused()})


def test_a_retry_that_names_its_instance_does_not_hit_another_one() -> None:
    bench = created()
    first = bench.run(hardened.get_repository, R)
    bench.run(hardened.delete_repository, R)
    second = bench.run(hardened.create_repository, R)
    with pytest.raises(RepositoryNotFound):
        bench.run(hardened.delete_repository, R, instance_uid=first.instance_uid)
    bench.run(hardened.delete_repository, R, instance_uid=second.instance_uid)


def test_the_cleaner_empties_dead_partitions_only_and_keeps_its_records() -> None:
    bench = created()
    bench.run(hardened.delete_repository, R)
    made = bench.run(hardened.create_repository, R)
    assert bench.run(hardened.clean, batch_size=1) == 1
    uid = made.instance_uid
    assert bench.addresses() == [
        "graveler repos/r",
        "graveler_deleted repo/r/u1",
        f"graveler_deleted repo/r/{uid}",
        f"r-{uid} branches/main",
        f"r-{uid} commits/c.{uid}",
    ]


def test_an_entity_that_arrives_after_the_cleaner_is_found_by_its_next_run() -> None:
    bench = created()
    late = bench.begin(hardened.create_branch, R, "b")
    late.go(2)
    bench.run(hardened.delete_repository, R)
    bench.run(hardened.clean)
    with pytest.raises(kv.OutcomeUnknown):
        late.finish()  # it does not know whether its branch was there while the repository was
    assert "r-u1 branches/b" in bench.addresses()
    bench.run(hardened.clean)
    assert bench.addresses() == ["graveler repos/r", "graveler_deleted repo/r/u1"]


def test_the_cleaner_leaves_a_young_claim_alone_and_ends_an_old_one() -> None:
    bench = Bench()
    slow = bench.begin(hardened.create_repository, R)
    slow.go(5)
    assert bench.run(hardened.clean) == 0
    bench.now += INITIAL_TIMEOUT
    assert bench.run(hardened.clean) == 1
    with pytest.raises(CreationOutrun):
        slow.finish()
    assert bench.addresses() == ["graveler repos/r", "graveler_deleted repo/r/u1"]


def test_a_failure_makes_the_cleaner_skip_the_instance() -> None:
    bench = created()
    bench.run(hardened.delete_repository, R)
    assert bench.run(hardened.clean, told={1: kv.Refused()}) == 0
    assert "r-u1 branches/main" in bench.addresses()


class TestTags:
    def test_a_predicate_that_failed_falsely_is_no_definite_answer(self) -> None:
        bench = Bench()
        bench.run(hardened.create_repository, R)
        with pytest.raises(kv.OutcomeUnknown):
            bench.run(hardened.create_tag, R, "t", told={3: kv.PredicateFailed()})
        with pytest.raises(TagExists):
            bench.run(hardened.create_tag, R, "t")
        assert bench.story == ["get repos/r", "get branches/main", "get tags/t"]

    def test_a_read_that_fails_after_it_is_none_either(self) -> None:
        bench = Bench()
        bench.run(hardened.create_repository, R)
        with pytest.raises(kv.OutcomeUnknown):
            bench.run(hardened.create_tag, R, "t", told={3: kv.PredicateFailed(), 4: kv.Refused()})
