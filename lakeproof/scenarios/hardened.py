"""``hardened``: the repair. Nothing is refuted, under every fault of the budget."""

from typing import Final

from lakeproof.impl.repositories import hardened
from lakeproof.scenario import Call, Faults
from lakeproof.scenarios._life_cycle import JUMP, MORE_FAULTS, Variant, call, scenario, scenarios

HARDENED = Variant(
    name="hardened",
    flows=hardened,
    source="impl/repositories/hardened.py: four rules",
    refuted={},
    faults=MORE_FAULTS,
    leaves_garbage=True,
)

SETUP_INSTANCE: Final = "s1"
"""The unique identifier of the repository that the setup creates: the first that client "s" mints."""

NAMED: Final = [
    [call(HARDENED, "delete")],
    [Call(hardened.delete_repository, "r", instance_uid=SETUP_INSTANCE)],
    [call(HARDENED, "create")],
]
"""A delete, somebody who takes it up knowing which instance was meant, and a create."""

EVERYTHING: Final = {
    "/refused-in-doubt": Faults(refusals=1, lost_answers=1, false_predicates=1),
    "/late-write-and-crash": Faults(lost_answers=2, duplicates=1, crashes=1),
    "/late-write-and-clock-jump": Faults(lost_answers=1, false_predicates=1, duplicates=1, clock_jumps=(JUMP,)),
}
"""Faults that meet: where a flow that is in doubt meets the next one."""

CROWDS: Final = {
    ("delete-delete-create-create-clean", "/late-write"): MORE_FAULTS["/late-write"],
    ("delete-create-create-clean-branch", "/false-predicate-and-clock-jump"): Faults(
        false_predicates=1, clock_jumps=(JUMP,)
    ),
}
"""Five clients, the cleaner among them, and the faults that a state machine of entries has most to fear from."""

SCENARIOS = [
    *scenarios(HARDENED),
    *(
        scenario(HARDENED, "delete-named-create", f, exists=True, suffix=s, clients=NAMED)
        for s, f in MORE_FAULTS.items()
    ),
    *(
        scenario(HARDENED, race, faults, exists=exists, suffix=suffix)
        for race, exists in (("delete-delete-create", True), ("delete-create-create", True), ("create-delete", False))
        for suffix, faults in EVERYTHING.items()
    ),
    *(scenario(HARDENED, race, faults, exists=True, suffix=suffix) for (race, suffix), faults in CROWDS.items()),
]
