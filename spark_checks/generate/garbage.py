"""What is left of repositories that were deleted: legal, and unreachable. Pure.

Of every six instances, in turn: (0) its id was created anew, and a cleanup record leads to what is left; (1) its id is
free, and a cleanup record leads there; (2) the entry is marked as deleting, and leads there; (3) nothing is left but
the cleanup record; (4) nothing but the tombstone of `lakeproof.impl.repositories.hardened`; (5) no garbage but a bare
repository.
"""

from typing import Final

from lakeproof.model.records import RepositoryState
from lakeproof.spark_checks.generate.planted import Place, Planted, branch, cleanup, commit, repository, tag
from lakeproof.spark_checks.generate.sizes import DAY

_STATES: Final = {2: RepositoryState.DELETING, 4: RepositoryState.DELETED, 5: RepositoryState.ACTIVE}


def left(i: int, place: Place) -> Planted:
    """Of instance number i. ``place``: of an accessible repository."""
    kind = i % 6
    repository_id = place.repository_id if kind == 0 else f"gone-{i}"
    uid = place.name("gone", i)
    date = place.now - DAY - place.number("gone", i) % (300 * DAY)
    made = Planted()
    if kind in _STATES:
        made += repository(repository_id, uid, date, state=_STATES[kind], bare=kind == 5)
    if kind in (0, 1, 3):
        made += cleanup(repository_id, uid)
    if kind > 2:
        return made
    home = f"{repository_id}-{uid}"
    ids = [place.content_id(f"gone {at}", i) for at in range(3)]
    first = commit(home, ids[0], date, generation=1, instance=uid)
    later = [commit(home, ids[at], date + at, parents=(ids[at - 1],), generation=at + 1) for at in (1, 2)]
    token = f"{repository_id}-main:{uid}.{place.name('gone token', i)}"
    return sum([first, *later, branch(home, "main", ids[2], token), tag(home, "v0", ids[0])], made)
