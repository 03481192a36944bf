"""Bugs planted in the cleaner that reclaims data, and in what notes tokens for it: each is found."""

from typing import Any

import pytest

from lakeproof.designs.deleted_data import RECLAIMING, UPLOADED
from lakeproof.designs.designs import rows
from lakeproof.designs.races import fault
from lakeproof.impl.codec import decode_repository
from lakeproof.impl.refs import branches
from lakeproof.impl.repositories import hardened, reclaiming
from lakeproof.model import kv
from lakeproof.scenario import Faults, Scenario
from tests.designs.planting import NO_FAULT, Planted, tiered
from tests.machines.planting import nothing, yes
from tools.catalogues import everything


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


def unnamed(repository: object, name: str) -> str:
    return name


def of(words: str, faults: Faults) -> Scenario:
    (row,) = rows(RECLAIMING, words, fault("", faults), UPLOADED)
    return row.scenario()


RECLAIMED = "deleted-data-is-reclaimed"
PLANTED = [
    Planted(where=where, name=name, instead=instead, scenario=of(words, faults), invariant=invariant)
    for where, name, instead, words, faults, invariant in [
        (reclaiming._Noting, "_prepare", no_note, "create_branch-delete.clean", NO_FAULT, RECLAIMED),
        (reclaiming._Noting, "perform", perform_first, "upload-commit-delete.clean", Faults(crashes=1), RECLAIMED),
        (reclaiming._Emptying, "_drop", drop_nothing, "delete.clean", NO_FAULT, RECLAIMED),
        (reclaiming, "address_name", unnamed, "upload-delete.clean", NO_FAULT, RECLAIMED),
        (hardened, "is_dead", yes, "upload-clean", NO_FAULT, "deletion-spares-live-data"),
    ]
]


@pytest.mark.parametrize("planted", tiered(PLANTED))
def test_a_fault_planted_in_what_reclaims_data_is_found(planted: Planted, monkeypatch: pytest.MonkeyPatch) -> None:
    assert planted.is_found(monkeypatch)


def test_a_delete_by_tombstone_that_does_not_look_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "hard-delete/no_copies-careful/staged/delete_branch-delete_branch/false-predicate"
    (scenario,) = (each for each in everything() if each.name == name)
    invariant = "failed-call-changed-nothing"
    planted = Planted(where=branches, name="_look", instead=nothing, scenario=scenario, invariant=invariant)
    assert planted.is_found(monkeypatch)
