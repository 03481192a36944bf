"""What it means that a search with its levels elsewhere agrees with the local one."""

from typing import Final

from lakeproof.scenario import Scenario
from lakeproof.search.search import Limits, Options, Result, search
from lakeproof.spark_checks.explore.levels import SparkLevels
from lakeproof.spark_checks.explore.search import on
from lakeproof.verify.loader import Source, scenario_named

CATALOGUE: Final = (
    "repositories/naive/delete-create",
    "repositories/naive/delete-create/crash",
    "repositories/naive/delete-create/lost-answer",
    "repositories/naive/delete-create/false-predicate",
    "repositories/naive/delete-create/clock-jump",
    "repositories/naive/delete-get/crash",
    "repositories/naive/delete-create_branch/false-predicate",
    "repositories/naive/delete-create/late-write",
    "repositories/naive/delete-create/paged-scan-failure",
    "repositories/kv3/delete-get",
    "repositories/step1/delete-create/late-write",
    "repositories/hardened/delete-create/refusal",
    "branches/plain/create_branch-delete_branch/crash",
    "branches/plain/create_branch-delete_branch/lost-answer",
    "tags/plain/tag-tag/crash",
    "commits/lock-free/write-commit",
    "commits/lock-free/write.commit-delete_branch",
    "merges/by-set-if/merge-merge",
    "merges/by-set-if/merge-merge/false-predicate",
    "under-deletion/kv3/create_branch-delete/crash",
    "dumps/branches-first/commit/paged",
    "migrations/by-version/alone/crash",
    "hard-delete/today/upload-reset",
    "retention/text/create_branch-mark.sweep",
)
"""Small scenarios of all designs: holding and violated, with every kind of fault, monitors, step invariants, clocks,
objects, aftermaths."""


ENOUGH: Final = Limits(states_max=250)
"""None has so many states, unless a search goes round in circles."""


def scenario_of(name: str) -> Scenario:
    return scenario_named(Source().load(), name, name)


def told(result: Result) -> dict[str, object]:
    """All that must be equal. What an invariant reached before it was violated depends on the order in a level; and
    there may be several shortest counterexamples."""
    return {
        "counts": (result.states, result.transitions, result.depth, result.widest, result.final_states),
        "end": (result.complete, result.stopped),
        "verdicts": {
            finding.id: (finding.verdict, finding.why, finding.reached if finding.verdict != "violated" else 0)
            for finding in result.findings
        },
        "lengths": {
            finding.id: len(finding.counterexample.moves) for finding in result.findings if finding.counterexample
        },
    }


def compare(scenario: Scenario, engine: SparkLevels, options: Options, driver_states: int = 0) -> Result:
    """Search both ways, and expect the same."""
    here = search(scenario, ENOUGH, options)
    there = search(scenario, ENOUGH, options, searching=on(engine, driver_states))
    assert told(there) == told(here), scenario.name
    return there
