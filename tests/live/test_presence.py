"""What comes and goes, against all orders of a few calls: what one explains holds, what none explains is found."""

from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from random import Random

import pytest

from lakeproof.live.lakefs import existence
from lakeproof.live.lakefs.calls import NEVER
from lakeproof.live.lakefs.existence import (
    EFFECTIVE,
    INACCESSIBLE,
    REPOSITORY_SPARED,
    UNIQUE,
    Evidence,
    Kind,
    find_surplus,
    judge,
)
from lakeproof.live.report import NotJudged
from lakeproof.model.invariants import Violation
from lakeproof.model.linearizability.problem import Budget


def create(began: int, ended: int = NEVER, life: object = None) -> Evidence:
    """Without an end: nobody knows whether it took place."""
    return Evidence(Kind.CREATE, began, ended, f"create [{began}, {ended}]", str(life or began), ended < NEVER)


def delete(began: int, ended: int = NEVER) -> Evidence:
    return Evidence(Kind.DELETE, began, ended, f"delete [{began}, {ended}]", None, ended < NEVER)


def broken(*items: Evidence) -> set[str]:
    return {name for name, finding in judge("r", items, REPOSITORY_SPARED) if isinstance(finding, Violation)}


def explained(items: list[Evidence]) -> bool:
    """Whether some order of the calls, each within its interval, explains all: the slow way. A delete of nothing is
    allowed: two that race may both succeed."""
    for order in _orders(items):
        there: str | None = None
        for item in order:
            if item.kind is Kind.CREATE:
                if there is not None:
                    break
                there = str(item.life)
            elif item.kind is Kind.DELETE:
                there = None
            elif item.kind is Kind.SEEN:
                if there is None or item.life not in {None, there}:
                    break
            elif there is not None:
                break
        else:
            return True
    return False


def _orders(items: list[Evidence]) -> Iterator[tuple[Evidence, ...]]:
    sure = [item for item in items if item.sure]
    rest = [item for item in items if not item.sure]
    for size in range(len(rest) + 1):
        for order in permutations([*sure, *rest[:size]]):
            if all(not order[j].ended < order[i].began for i in range(len(order)) for j in range(i + 1, len(order))):
                yield order


def history(rng: Random) -> list[Evidence]:
    """Up to five calls with overlapping intervals; at most one of them unanswered."""
    count = rng.randrange(1, 6)
    moments = rng.sample(range(1, 2 * count + 1), 2 * count)
    unanswered = rng.randrange(-1, 2 * count)
    items: list[Evidence] = []
    lives: list[str] = []
    for number in range(count):
        began, ended = sorted(moments[2 * number : 2 * number + 2])
        kind = rng.choice((Kind.CREATE, Kind.CREATE, Kind.DELETE, Kind.SEEN, Kind.MISSED))
        open_ = number == unanswered and kind in {Kind.CREATE, Kind.DELETE}
        life = str(began) if kind is Kind.CREATE else None
        if life:
            lives.append(life)
        if kind is Kind.SEEN and lives:
            life = rng.choice((None, *lives))
        items.append(Evidence(kind, began, NEVER if open_ else ended, kind.value, life, not open_))
    return items


def _known(item: Evidence, items: list[Evidence]) -> bool:
    """Whether what was seen can have been created among these calls: else the judge has nothing to hold it against."""
    made = (each for each in items if each.kind is Kind.CREATE and each.began < item.ended)
    return item.kind is not Kind.SEEN or any(item.life in {None, each.life} for each in made)


def test_a_violation_is_found_iff_no_order_explains_the_calls(run_seed: int) -> None:
    rng, found = Random(run_seed), Counter[str]()
    for _ in range(3_000):
        items = history(rng)
        if explained(items):
            assert broken(*items) == set(), items
        elif all(_known(each, items) for each in items):
            assert broken(*items), items
            found.update(broken(*items))
    assert set(found) == {UNIQUE, INACCESSIBLE, EFFECTIVE, REPOSITORY_SPARED}


def test_what_is_seen_after_its_end_hides_no_create_that_was_without_effect() -> None:
    seen, missed = (Evidence(*each) for each in ((Kind.SEEN, 7, 8, "seen"), (Kind.MISSED, 3, 4, "missed")))
    assert broken(create(1, 2), delete(5, 6), seen, missed) == {INACCESSIBLE, EFFECTIVE}


def test_where_the_calls_may_have_come_in_too_many_orders_nothing_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(existence, "_BUDGET", Budget(configurations=1))
    found = judge("r", [create(1), create(2), Evidence(Kind.SEEN, 3, 4, "seen")], REPOSITORY_SPARED)
    # All, since `--only` leaves out the others.
    assert {name for name, each in found if isinstance(each, NotJudged)} == {
        *(UNIQUE, INACCESSIBLE, EFFECTIVE, REPOSITORY_SPARED)
    }


def test_the_crowded_stretch_is_told() -> None:
    makers = [create(1, 2), create(3, 4), create(20, 30), create(21, 29)]
    found = find_surplus(makers, [delete(2, 3)])
    assert found is not None
    assert (len(found[0]), found[1]) == (2, 0)
    assert find_surplus(makers, [delete(2, 3), delete(22)]) is not None  # none may come between 4 and 20
    assert find_surplus(makers[:2], [delete(2, 3)]) is None
