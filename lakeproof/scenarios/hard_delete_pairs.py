"""Every operation of a proposal, and every two, and then its background job: generated from the vocabulary.

A race that is picked shows what its author thought of. Here no operation is left out: each, and each two one after the
other by one client, and each two at once by two clients (deep), in a repository that has staged and committed objects
on two branches that have parted. Then the job runs after its grace time, and all that is shown must exist.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations_with_replacement, product
from typing import Final

import attrs

from lakeproof.scenario import Aftermath
from lakeproof.scenarios import hard_delete_no_copies as no_copies
from lakeproof.scenarios import hard_delete_object_path as object_path
from lakeproof.scenarios import hard_delete_offline as offline
from lakeproof.scenarios import hard_delete_online as online
from lakeproof.scenarios import hard_delete_reference_counter as counter
from lakeproof.scenarios import hard_delete_reference_tracking as tracking
from lakeproof.scenarios import hard_delete_today as today
from lakeproof.scenarios import hard_delete_token_states as tokens
from lakeproof.scenarios._hard_delete import ObjectDesign
from lakeproof.scenarios.designs import HOLDS, Row, built, rows
from lakeproof.scenarios.hard_delete_alone import kept
from lakeproof.scenarios.races import NONE, Before, Race, Refuted

LIVED_IN: Final = Before("", "upload:y.commit.upload.upload@main.commit@main")
"""Branch b: y is committed and x is staged. Branch main: another x is committed. Neither head is the other's ancestor."""


@attrs.frozen(kw_only=True)
class PairsDesign(ObjectDesign):
    """A proposal of which every pair is searched."""

    judged: ObjectDesign

    def aftermath(self, race: Race) -> Sequence[Aftermath]:
        asked = self.judged.aftermath(race)
        return [*asked, *kept(asked)]


def operations(design: ObjectDesign) -> list[str]:
    """The words of a design that change something, but for its job: each flow once, where it calls it by itself."""
    left_out = {"job", "read"}
    return [
        name
        for name, word in design.known.items()
        if "@" not in name and name not in left_out and word.flow(design.flows) is not None
    ]


def pairs(design: ObjectDesign, refuted: Mapping[str, Refuted] = HOLDS) -> Iterator[Row]:
    names = operations(design)
    one = PairsDesign(
        name=f"{design.name}-pairs",
        flows=design.flows,
        source=design.source,
        words=design.words,
        options=design.options,
        refuted=refuted,
        judged=design,
        one_entry=design.one_entry,
        grace=design.grace,
        before_jobs=design.before_jobs,
        jobs=design.jobs,
    )
    alone = [*names, *(f"{a}.{b}" for a, b in product(names, repeat=2))]
    yield from rows(one, " ".join(alone), NONE, LIVED_IN)
    yield from rows(one, " ".join(f"{a}-{b}" for a, b in combinations_with_replacement(names, 2)), NONE, LIVED_IN, deep=True)


ROWS = [
    *pairs(today.TODAY),
    *pairs(object_path.PATH),
    *pairs(counter.TEXT),
    *pairs(tracking.TEXT),
    *pairs(tokens.TEXT),
    *pairs(no_copies.TEXT),
    *pairs(offline.OFFLINE),
    *pairs(online.UNTIMED),
]

SCENARIOS = built(ROWS)
