"""Scenarios of the catalogue with flows of a program in the place of those in Python."""

from base64 import b64decode
from collections.abc import Hashable, Sequence
from copy import copy
from typing import Final, cast

import attrs

from lakeproof import Call, Program, Scenario
from lakeproof.impl.codec import decode_repository
from lakeproof.impl.repositories import errors
from lakeproof.model.identity import Exact
from lakeproof.model.snapshot import CallView
from lakeproof.search.results import Options
from lakeproof.search.search import search

ERRORS: Final = {
    "not_unique": errors.NotUnique,
    "repository_not_found": errors.RepositoryNotFound,
    "repository_deleting": errors.RepositoryDeleting,
    "conflict": errors.Conflict,
    "creation_outrun": errors.CreationOutrun,
}
FLOWS: Final = frozenset({"create_repository", "create_bare_repository", "delete_repository", "get_repository"})
"""Those that the program has; the others of a scenario stay in Python."""


def repository(returned: Hashable) -> Hashable:
    """The record that a flow returned, in Base64."""
    return None if returned is None else decode_repository(b64decode(cast("str", returned)))


def twin(scenario: Scenario, program: Program) -> Scenario:
    """The scenario with the program's flows."""

    def called(calls: Sequence[Call]) -> list[Call]:
        return [
            Call(
                program.flow(call.name, result=repository),
                *call.args,
                attempts=call.attempts,
                **dict(call.options),
            )
            if call.name in FLOWS
            else call
            for call in calls
        ]

    return attrs.evolve(
        scenario,
        setup=called(scenario.setup),
        clients=[called(calls) for calls in scenario.clients],
        aftermath=[attrs.evolve(each, calls=called(each.calls)) for each in scenario.aftermath],
    )


def without_causes(final: Exact) -> Exact:
    """A final state whose errors have no ``__cause__`` and no ``__context__``: those of a program have none."""
    cells, clients = cast("tuple[Hashable, tuple[tuple[CallView, ...], ...]]", final.value)
    return Exact(
        (cells, tuple(tuple(attrs.evolve(each, error=copy(each.error)) for each in calls) for calls in clients))
    )


def established(scenario: Scenario) -> dict[str, object]:
    """What a search finds out: verdicts, shortest schedules, and how large the space is."""
    found = search(scenario, options=Options(merge=True, keep_finals=True))
    return {
        "states": found.states,
        "transitions": found.transitions,
        "final states": len({without_causes(final) for final in found.finals}),
        "depth": found.depth,
        **{each.id: (each.verdict, each.counterexample) for each in found.findings},
    }
