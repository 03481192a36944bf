"""Today's life cycle of repositories, of a client alone; and the data that a delete leaves."""

from typing import Final

from lakefs_today import repositories
from lakefs_today.scenarios.repositories import UPSTREAM
from lakeproof.designs.alone import (
    ENTITY_LIVES,
    HALF_DELETED,
    HALF_DONE,
    IN_DOUBT,
    REFUSES_DELETING,
    alone,
    faulty,
    lives,
)
from lakeproof.designs.deleted_data import RECLAIMABLE, as_it_is, leaving
from lakeproof.designs.races import Refuted
from lakeproof.designs.repository_designs import FAILED
from lakeproof.model import calls
from lakeproof.model.errors import RepositoryDeleting
from lakeproof.model.invariants.alone import ALONE_IS_EXACT
from lakeproof.model.repository_specification import Rules, Standing

ALONE: Final = alone(
    UPSTREAM,
    Rules(refuses={**REFUSES_DELETING, (calls.CREATE_REPOSITORY, Standing.DELETING): RepositoryDeleting}),
    {
        ALONE_IS_EXACT: Refuted(
            "a create asks last whether the id is free: one that is refused has written a branch and a commit, and "
            "nothing leads to them",
            "alone/create.get.create.create_bare.* alone/create_bare.get.create_bare.create.* alone/old.*",
        ),
        FAILED: Refuted(HALF_DONE, f"{IN_DOUBT} alone/delete/refused-in-doubt"),
    },
)

ROWS = [
    *lives(ALONE, HALF_DELETED + ENTITY_LIVES),
    *faulty(ALONE),
    *leaving(as_it_is("upstream", repositories.FLOWS), only=RECLAIMABLE),
]
