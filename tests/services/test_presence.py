"""What comes and goes, against all orders of a few calls: what one explains holds, what none explains is found."""

from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from random import Random

from lakeproof.live.lakefs.calls import NEVER
from lakeproof.live.lakefs.existence import (
    BRANCH_SPARED,
    EFFECTIVE,
    INACCESSIBLE,
    REPOSITORY_SPARED,
    UNIQUE,
    Kind,
    Touch,
    crowded,
    judge,
)
from lakeproof.model.invariants import Violation


def create(began: int, ended: int = NEVER, life: object = None) -> Touch:
    """Without an end: nobody knows whether it took place."""
    return Touch(Kind.CREATE, began, ended, f"create [{began}, {ended}]", str(life or began), ended < NEVER)


def delete(began: int, ended: int = NEVER) -> Touch:
    return Touch(Kind.DELETE, began, ended, f"delete [{began}, {ended}]", None, ended < NEVER)


def seen(began: int, ended: int, life: object = None) -> Touch:
    return Touch(Kind.SEEN, began, ended, f"seen [{began}, {ended}]", None if life is None else str(life))


def missed(began: int, ended: int) -> Touch:
    return Touch(Kind.MISSED, began, ended, f"missed [{began}, {ended}]")


def broken(*touches: Touch) -> set[str]:
    return {name for name, finding in judge("r", touches, REPOSITORY_SPARED) if isinstance(finding, Violation)}


def test_a_deleted_branch_has_an_id_of_its_own() -> None:
    touches = (create(1, 2), delete(3, 4), create(5, 6), missed(7, 8))
    [found] = [name for name, finding in judge("b", touches, BRANCH_SPARED) if isinstance(finding, Violation)]
    assert found == BRANCH_SPARED


def explained(touches: list[Touch]) -> bool:
    """Whether some order of the calls, each within its interval, explains all: the slow way. A delete of nothing is
    allowed: two that race may both succeed."""
    for order in _orders(touches):
        there: str | None = None
        for touch in order:
            if touch.kind is Kind.CREATE:
                if there is not None:
                    break
                there = str(touch.life)
            elif touch.kind is Kind.DELETE:
                there = None
            elif touch.kind is Kind.SEEN:
                if there is None or touch.life not in {None, there}:
                    break
            elif there is not None:
                break
        else:
            return True
    return False


def _orders(touches: list[Touch]) -> Iterator[tuple[Touch, ...]]:
    sure = [touch for touch in touches if touch.sure]
    rest = [touch for touch in touches if not touch.sure]
    for size in range(len(rest) + 1):
        for order in permutations([*sure, *rest[:size]]):
            if all(not order[j].ended < order[i].began for i in range(len(order)) for j in range(i + 1, len(order))):
                yield order


def history(rng: Random) -> list[Touch]:
    """Up to five calls with overlapping intervals; at most one of them unanswered."""
    count = rng.randrange(1, 6)
    moments = rng.sample(range(1, 2 * count + 1), 2 * count)
    unanswered = rng.randrange(-1, 2 * count)
    touches: list[Touch] = []
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
        touches.append(Touch(kind, began, NEVER if open_ else ended, kind.value, life, not open_))
    return touches


def _known(touch: Touch, touches: list[Touch]) -> bool:
    """Whether what was seen can have been created among these calls: else the judge has nothing to hold it against."""
    made = (each for each in touches if each.kind is Kind.CREATE and each.began < touch.ended)
    return touch.kind is not Kind.SEEN or any(touch.life in {None, each.life} for each in made)


def test_what_some_order_explains_is_no_violation(run_seed: int) -> None:
    rng = Random(run_seed)
    for _ in range(1_000):
        touches = history(rng)
        if explained(touches):
            assert broken(*touches) == set(), touches


def test_most_of_what_no_order_explains_is_found_under_each_name() -> None:
    rng, missed, found = Random(1), 0, Counter[str]()
    for _ in range(3_000):
        touches = history(rng)
        if all(_known(each, touches) for each in touches) and not explained(touches):
            names = broken(*touches)
            missed += not names
            found.update(names)
    assert set(found) == {UNIQUE, INACCESSIBLE, EFFECTIVE, REPOSITORY_SPARED}
    assert sum(found.values()) > 20 * missed


def test_the_crowded_stretch_is_told() -> None:
    makers = [create(1, 2), create(3, 4), create(20, 30), create(21, 29)]
    found = crowded(makers, [delete(2, 3)])
    assert found is not None
    assert (len(found[0]), found[1]) == (2, 0)
    assert crowded(makers, [delete(2, 3), delete(22)]) is not None  # none may come between 4 and 20
    assert crowded(makers[:2], [delete(2, 3)]) is None
