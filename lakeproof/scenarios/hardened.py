"""``hardened``: the repair. Nothing is refuted, under every fault of the budget."""

from impl.repositories import hardened
from lakeproof.scenarios._life_cycle import MORE_FAULTS, Variant, scenarios

HARDENED = Variant(
    name="hardened",
    flows=hardened,
    source="impl/repositories/hardened.py: four rules",
    refuted={},
    faults=MORE_FAULTS,
    leaves_garbage=True,
)

SCENARIOS = list(scenarios(HARDENED))
