"""The catalogue: every flow of every design, with what is expected of it and why."""

from lakeproof.scenario import Scenario


def catalogue() -> tuple[Scenario, ...]:
    """All scenarios, in order of design and variant; the deep ones too."""
    from lakeproof.scenarios import (
        branches,
        commits,
        dumps,
        hard_delete_no_copies,
        hard_delete_object_path,
        hard_delete_offline,
        hard_delete_online,
        hard_delete_reference_counter,
        hard_delete_reference_tracking,
        hard_delete_today,
        hard_delete_token_states,
        hardened,
        kv3,
        merges,
        migrations,
        naive,
        retention,
        step1,
        step2,
        tags,
        under_deletion,
    )

    repositories = (naive, kv3, step1, step2, hardened)
    graveler = (branches, tags, commits, merges, under_deletion, dumps, migrations)
    hard_delete = (
        hard_delete_today,
        hard_delete_object_path,
        hard_delete_reference_counter,
        hard_delete_reference_tracking,
        hard_delete_token_states,
        hard_delete_no_copies,
        hard_delete_offline,
        hard_delete_online,
        retention,
    )
    modules = (*repositories, *graveler, *hard_delete)
    return tuple(scenario for module in modules for scenario in module.SCENARIOS)
