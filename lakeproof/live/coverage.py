"""Which promises of the operations that clients call are judged, and why others are not.

The ids come from `lakeproof.model.promises`. A promise that neither a judge nor a reason is there for is an error.
"""

from collections.abc import Mapping
from typing import Final

import attrs

from lakeproof.model.calls import Kind, kind_named
from lakeproof.model.promises import promised_ids

COMMON: Final[Mapping[str, str]] = {
    "some hundred calls are too many for the monitor": "linearizable",
    "clients are never alone": "alone-is-exact",
    "a server may leave any call in doubt": "doubt-has-a-reason",
    "needs calls after the end": "id-becomes-reusable name-is-not-blocked branch-stays-committable",
}
"""Of any real store or service."""


def _kinds(names: str) -> tuple[Kind, ...]:
    return tuple(map(kind_named, names.split()))


@attrs.frozen
class Coverage:
    """kinds: what clients call, by name. reasons: why promises of these are not judged, each with their ids."""

    kinds: tuple[Kind, ...] = attrs.field(converter=_kinds)
    reasons: Mapping[str, str]

    @property
    def unjudged(self) -> Mapping[str, str]:
        """The reason by the id of a promise."""
        # `COMMON` covers all workloads, so some of its ids are no promise of these calls; ids of `reasons` must all be.
        promises = set(promised_ids(*self.kinds))
        own = {each: why for why, ids in self.reasons.items() for each in ids.split()}
        return {each: why for why, ids in COMMON.items() for each in ids.split() if each in promises} | own

    @property
    def ids(self) -> tuple[str, ...]:
        """The promises that are judged."""
        return tuple(each for each in promised_ids(*self.kinds) if each not in self.unjudged)
