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
from tests.designs.planting import race, replaced, verdicts

REPOSITORIES = RepositoryDesign(
    name="planted/repositories", flows=hardened.FLOWS, source="tests", refuted=HOLDS, leaves_garbage=True
)


def test_a_create_of_a_branch_that_does_not_know_its_own_is_found() -> None:
    sound = attrs.evolve(HARDENED_ALONE, refuted=HOLDS)
    words, faults = "create_branch-delete_b-get_b", Faults(false_predicates=1)
    assert verdicts(race(sound, words, "create", faults))["linearizable"] == "holds"
    blind = entities.entity_flows(hardened.get_repository, entities.uid_partition)
    faulty = attrs.evolve(sound, flows=attrs.evolve(hardened.FLOWS, create_branch=blind["create_branch"]))
    assert verdicts(race(faulty, words, "create", faults))["linearizable"] == "violated"


UNLOOKED = "            await _still_there(env, repository, **reading)\n        return "
DEFINITE = (
    "            found = await env.store.find(partition, key)\n        except kv.KVError as error:\n            raise"
)
ANY_INSTANCE = "        if found.instance_uid != repository.instance_uid:\n            raise kv.OutcomeUnknown\n"


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (f"{UNLOOKED}branch", "            pass\n        return branch", "create_branch-create_branch.delete.clean"),
        (f"{UNLOOKED}Tag", "            pass\n        return Tag", "tag-tag.delete.clean"),
        (ANY_INSTANCE, "", "create_branch-create_branch.delete.create.clean.create_branch"),
        (ANY_INSTANCE, "", "tag-tag.delete.create.clean.tag"),
        (f"{DEFINITE} kv.OutcomeUnknown from error", DEFINITE, "tag-tag"),
    ],
)
def test_a_creation_that_answers_wrongly_is_found(
    before: str, after: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client must not answer that it has made a record when its repository was deleted and cleaned before its write,
    nor that it has not when a look was refused."""
    faults = Faults(refusals=1, false_predicates=1) if after else Faults()
    assert verdicts(race(REPOSITORIES, words, "create", faults))["linearizable"] == "holds"
    replaced(monkeypatch, entities, before, after)
    made = entities.entity_flows(hardened.get_repository, entities.uid_partition, knows_its_own=True)
    faulty = attrs.evolve(REPOSITORIES, flows=attrs.evolve(hardened.FLOWS, **made))
    assert verdicts(race(faulty, words, "create", faults))["linearizable"] == "violated"
