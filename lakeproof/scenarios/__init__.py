"""The catalogue: every flow of every design, with what is expected of it and why."""

from lakeproof.scenario import Scenario


def catalogue() -> tuple[Scenario, ...]:
    """All scenarios, in order of design and variant; the deep ones too."""
    from lakeproof.scenarios import (
        branches,
        commits,
        dumps,
        hardened,
        kv3,
        merges,
        migrations,
        naive,
        step1,
        step2,
        tags,
        under_deletion,
    )

    modules = (naive, kv3, step1, step2, hardened, branches, tags, commits, merges, under_deletion, dumps, migrations)
    return tuple(scenario for module in modules for scenario in module.SCENARIOS)
