"""The catalogue: every flow of every design, with what is expected of it and why."""

from lakeproof.scenario import Scenario


def catalogue() -> tuple[Scenario, ...]:
    """All scenarios, in order of design and variant."""
    from lakeproof.scenarios import hardened, kv3, naive, step1, step2

    return tuple(scenario for module in (naive, kv3, step1, step2, hardened) for scenario in module.SCENARIOS)
