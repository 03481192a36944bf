"""What comes and goes, from hand-made histories: legal ones hold, and each contradiction has its name."""

from collections.abc import Iterator
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.model.invariants import Reached, Violation
from lakeproof.services.calls import NEVER
from lakeproof.services.presence import (
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


def reached(*touches: Touch) -> set[str]:
    return {name for name, finding in judge("r", touches, REPOSITORY_SPARED) if isinstance(finding, Reached)}


LEGAL = {
    "nothing": (),
    "created, seen, deleted, missed": (create(1, 2), seen(3, 4, 1), delete(5, 6), missed(7, 8)),
    "one life after the other": (create(1, 2), delete(3, 4), create(5, 6), seen(7, 8, 5)),
    "creates overlap, a delete may come between": (create(1, 9), create(2, 8), delete(3, 4)),
    "a delete that nobody answered may come at any later time": (create(1, 2), delete(3), create(5, 6), missed(7, 8)),
    "seen while the delete is under way": (create(1, 2), delete(3, 8), seen(4, 7, 1)),
    "missed while the delete is under way": (create(1, 2), delete(3, 8), missed(4, 7)),
    "missed while the create is under way": (create(1, 8), missed(2, 7)),
    "a create that nobody answered may have happened": (create(1), seen(5, 6, 1)),
    "or not": (create(1), missed(5, 6)),
    "and may come after a delete": (create(1), create(2, 3), delete(4, 5), seen(6, 7)),
    "two deletes of one life that race": (create(1, 2), delete(3, 6), delete(4, 5), missed(7, 8)),
    "seen after one delete, and missed after another": (
        create(1, 2),
        delete(3, 6),
        seen(4, 7),
        delete(8, 9),
        missed(10, 11),
    ),
    "seen before a delete had ended, and missed": (create(1, 2), delete(3, 6), seen(4, 5), missed(7, 8)),
    "another life is seen after the delete": (create(1, 2), delete(3, 4), create(5, 8), seen(6, 7)),
}
ILLEGAL = {
    "two creates overlap": (UNIQUE, (create(1, 4), create(2, 3))),
    "created while it is there": (UNIQUE, (create(1, 2), create(3, 4))),
    "the only delete was over before": (UNIQUE, (delete(1, 2), create(3, 4), create(5, 6))),
    "the only delete came after": (UNIQUE, (create(1, 2), create(3, 4), delete(5, 6))),
    "one delete for three creates": (UNIQUE, (create(1, 9), create(2, 8), create(3, 7), delete(4, 5))),
    "seen after the delete": (INACCESSIBLE, (create(1, 2), delete(3, 4), seen(5, 6, 1))),
    "something is reached after the delete": (INACCESSIBLE, (create(1, 2), delete(3, 4), seen(5, 6))),
    "the old life is seen beside the new one": (
        INACCESSIBLE,
        (create(1, 2), delete(3, 4), create(5, 6), seen(7, 8, 1)),
    ),
    "the old life is seen, and the delete was not answered": (
        INACCESSIBLE,
        (create(1, 2), delete(3), create(5, 6), seen(7, 8, 1)),
    ),
    "one that nobody answered was seen, deleted, and seen": (
        INACCESSIBLE,
        (create(1), seen(2, 3, 1), delete(4, 5), seen(6, 7, 1)),
    ),
    "gone, and nobody deletes": (EFFECTIVE, (create(1, 2), missed(3, 4))),
    "gone before anybody deletes": (EFFECTIVE, (create(1, 2), missed(3, 4), delete(5, 6))),
    "gone, and only the one before it was deleted": (
        REPOSITORY_SPARED,
        (create(1, 2), delete(3, 4), create(5, 6), missed(7, 8)),
    ),
    "gone after the delete that its create may have met": (
        REPOSITORY_SPARED,
        (create(1, 2), create(3, 6), delete(4, 5), seen(7, 8), missed(9, 10)),
    ),
    "seen and gone, though nobody knows of a create that took place": (
        EFFECTIVE,
        (create(1), seen(2, 3), missed(4, 5)),
    ),
}


@pytest.mark.parametrize("touches", LEGAL.values(), ids=list(LEGAL))
def test_a_legal_history_holds(touches: tuple[Touch, ...]) -> None:
    assert broken(*touches) == set()


@pytest.mark.parametrize(("name", "touches"), ILLEGAL.values(), ids=list(ILLEGAL))
def test_a_contradiction_is_found_under_its_name(name: str, touches: tuple[Touch, ...]) -> None:
    assert broken(*touches) == {name}


def test_a_deleted_branch_has_an_id_of_its_own() -> None:
    touches = (create(1, 2), delete(3, 4), create(5, 6), missed(7, 8))
    [found] = [name for name, finding in judge("b", touches, BRANCH_SPARED) if isinstance(finding, Violation)]
    assert found == BRANCH_SPARED


def test_the_evidence_names_the_calls() -> None:
    _, found = next(iter(judge("r", (create(1, 4), create(2, 3)), REPOSITORY_SPARED)))
    assert isinstance(found, Violation)
    told = "r: 2 creates succeeded where at most 0 deletes came between: create [1, 4]; create [2, 3]"
    assert found.evidence == told


def test_what_was_put_to_the_test_is_counted() -> None:
    refused = Touch(Kind.REFUSED, 3, 4, "refused")
    assert reached(create(1, 2), refused) == {UNIQUE}
    assert reached(create(1, 2), delete(3, 4), create(5, 6), seen(7, 8, 5)) == {
        INACCESSIBLE,
        EFFECTIVE,
        REPOSITORY_SPARED,
    }
    assert reached(create(1, 2)) == set()


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


@st.composite
def histories(draw: st.DrawFn) -> list[Touch]:
    """Up to five calls with overlapping intervals; at most one of them unanswered."""
    count = draw(st.integers(1, 5))
    moments = draw(st.permutations(range(1, 2 * count + 1)))
    unanswered = draw(st.integers(-1, 2 * count))
    touches: list[Touch] = []
    lives: list[str] = []
    for number in range(count):
        began, ended = sorted(moments[2 * number : 2 * number + 2])
        kind = draw(st.sampled_from([Kind.CREATE, Kind.CREATE, Kind.DELETE, Kind.SEEN, Kind.MISSED]))
        open_ = number == unanswered and kind in {Kind.CREATE, Kind.DELETE}
        life = str(began) if kind is Kind.CREATE else None
        if life:
            lives.append(life)
        if kind is Kind.SEEN and lives:
            life = draw(st.sampled_from([None, *lives]))
        touches.append(Touch(kind, began, NEVER if open_ else ended, kind.value, life, not open_))
    return touches


@given(histories())
def test_what_some_order_explains_is_no_violation(touches: list[Touch]) -> None:
    if explained(touches):
        assert broken(*touches) == set()


def test_the_crowded_stretch_is_told() -> None:
    makers = [create(1, 2), create(3, 4), create(20, 30), create(21, 29)]
    found = crowded(makers, [delete(2, 3)])
    assert found is not None
    assert (len(found[0]), found[1]) == (2, 0)
    assert crowded(makers, [delete(2, 3), delete(22)]) is not None  # none may come between 4 and 20
    assert crowded(makers[:2], [delete(2, 3)]) is None
