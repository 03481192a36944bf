"""Creations in a repository that comes and goes: what a client must not answer is found.

They are closures over the flows of a design, which are made anew: a changed text would not reach them. What else a
programmer could write is in `planted/`.
"""

import attrs
import pytest

from lakeproof.designs.alone import HARDENED_ALONE
from lakeproof.designs.designs import HOLDS
from lakeproof.designs.repository_designs import RepositoryDesign
from lakeproof.impl.repositories import entities, hardened
from lakeproof.scenario import Faults
from tests.planting import race, replaced, verdicts

REPOSITORIES = RepositoryDesign(
    name="planted/repositories", flows=hardened.FLOWS, source="tests", refuted=HOLDS, leaves_garbage=True
)


ALONE = attrs.evolve(HARDENED_ALONE, refuted=HOLDS)
"""Its specification is of one branch, so that a refusal is an answer."""

UNLOOKED = "            await _still_there(env, repository, **reading)\n        return "
PASSED = "            pass\n        return "
LOOKED = "await env.store.find(partition, key)\n        except kv.KVError as error:\n            raise"
ANY_INSTANCE = "        if found.instance_uid != repository.instance_uid:\n            raise kv.OutcomeUnknown\n"
IN_DOUBT = "encode(branch)):\n                raise "
FALSE, UNREAD = Faults(false_predicates=1), Faults(refusals=1, false_predicates=1)


@pytest.mark.parametrize(
    ("design", "words", "faults", "before", "after"),
    [
        (ALONE, "create_branch-delete_b-get_b", FALSE, "            if not doubts:\n", "            if doubts:\n"),
        (
            ALONE,
            "create_branch-get_b.delete_b.create_branch",
            FALSE,
            f"{IN_DOUBT}kv.OutcomeUnknown",
            f"{IN_DOUBT}BranchExists(branch_id)",
        ),
        (ALONE, "create_branch-create_branch", UNREAD, f"{LOOKED} kv.OutcomeUnknown from error", LOOKED),
        (REPOSITORIES, "create_branch-create_branch.delete.clean", Faults(), f"{UNLOOKED}branch", f"{PASSED}branch"),
        (REPOSITORIES, "tag-tag.delete.clean", Faults(), f"{UNLOOKED}Tag", f"{PASSED}Tag"),
        (REPOSITORIES, "create_branch-create_branch.delete.create.clean.create_branch", Faults(), ANY_INSTANCE, ""),
        (REPOSITORIES, "tag-tag.delete.create.clean.tag", Faults(), ANY_INSTANCE, ""),
    ],
)
def test_a_creation_that_answers_wrongly_is_found(
    design: RepositoryDesign, words: str, faults: Faults, before: str, after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client must not answer that it has made a record when its repository was deleted and cleaned before its write,
    nor that it has not when it may have."""
    assert verdicts(race(design, words, "create", faults))["linearizable"] == "holds"
    replaced(monkeypatch, entities, before, after)
    made = entities.entity_flows(hardened.get_repository, entities.uid_partition, doubts=True)
    faulty = attrs.evolve(design, flows=attrs.evolve(hardened.FLOWS, **made))
    assert verdicts(race(faulty, words, "create", faults))["linearizable"] == "violated"
