"""Bugs planted in the cleaner that reclaims data, and in what notes tokens for it: each is found."""

from collections.abc import Callable
from typing import Any

import pytest

from lakeproof.explore.search import Limits, search
from lakeproof.impl.codec import decode_repository
from lakeproof.impl.refs import branches
from lakeproof.impl.repositories import hardened, reclaiming
from lakeproof.model import kv
from lakeproof.scenario import Faults, Scenario
from lakeproof.scenarios import catalogue
from lakeproof.scenarios.deleted_data import RECLAIMING, UPLOADED
from lakeproof.scenarios.designs import rows
from lakeproof.scenarios.races import fault


def scenario_of(race: str, faults: Faults) -> Scenario:
    (row,) = rows(RECLAIMING, race, fault("", faults), UPLOADED)
    return row.scenario()


def verdicts(scenario: Scenario) -> dict[str, str]:
    return {found.id: found.verdict for found in search(scenario, Limits(seconds_max=60)).findings}


async def no_note(self: object, op: object) -> None:
    """Note nothing."""


async def perform_first(self: Any, op: Any) -> object:  # type: ignore[explicit-any]
    """Write first, and note afterwards."""
    reply = await super(reclaiming._Noting, self).perform(op)
    if isinstance(op, kv.Set | kv.SetIf):
        await self._prepare(op)
    if isinstance(op, kv.Get) and isinstance(reply, kv.ValueWithPredicate) and op.partition == b"graveler":
        self._seen.repository = decode_repository(reply.value)
    return reply


async def drop_nothing(self: object, token: object, space: object) -> None:
    """Leave the staging area as it is."""


async def is_dead(*_: object) -> bool:
    return True


def unnamed(repository: object, name: str) -> str:
    return name


RECLAIMED = "deleted-data-is-reclaimed"
PATCHED: dict[str, tuple[object, str, Callable[..., Any], str, Faults, str]] = {  # type: ignore[explicit-any]
    "no token is noted": (reclaiming._Noting, "_prepare", no_note, "create_branch-delete.clean", Faults(), RECLAIMED),
    "a token is noted after it was opened": (
        reclaiming._Noting,
        "perform",
        perform_first,
        "upload-commit-delete.clean",
        Faults(crashes=1),
        RECLAIMED,
    ),
    "the cleaner leaves staging areas": (
        reclaiming._Emptying,
        "_drop",
        drop_nothing,
        "delete.clean",
        Faults(),
        RECLAIMED,
    ),
    "addresses do not name the instance": (
        reclaiming,
        "address_name",
        unnamed,
        "upload-delete.clean",
        Faults(),
        RECLAIMED,
    ),
    "the cleaner takes every instance for dead": (
        hardened,
        "is_dead",
        is_dead,
        "upload-clean",
        Faults(),
        "deletion-spares-live-data",
    ),
}


@pytest.mark.parametrize("bug", PATCHED)
def test_a_bug_planted_in_what_reclaims_data_is_found(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    where, name, planted, race, faults, invariant = PATCHED[bug]
    scenario = scenario_of(race, faults)
    assert verdicts(scenario)[invariant] in ("holds", "inconclusive")
    monkeypatch.setattr(where, name, planted)
    assert verdicts(scenario)[invariant] == "violated"


def test_a_delete_by_tombstone_that_does_not_look_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "hard-delete/no_copies-careful/staged/delete_branch-delete_branch/false-predicate"
    (scenario,) = (each for each in catalogue() if each.name == name)
    assert verdicts(scenario)["failed-call-changed-nothing"] == "holds"

    async def nothing(*_: object) -> None:
        return None

    monkeypatch.setattr(branches, "_look", nothing)
    assert verdicts(scenario)["failed-call-changed-nothing"] == "violated"
