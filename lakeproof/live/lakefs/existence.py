"""Whether things that come and go were there when they had to be, and only then: repositories, branches.

A *life* of a name begins with a create and ends with a delete. What is told of it from outside are intervals: a call
takes effect at one moment between its beginning and its end, and one whose end is not known at any later moment, or
never. Every violation is a contradiction whatever these moments are. Pure.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterator, Sequence
from enum import Enum
from typing import Final

import attrs

from lakeproof.live.lakefs.calls import NEVER
from lakeproof.model.invariants import Finding, Reached, Violation

Judgement = tuple[str, Finding]
"""An invariant's id, and what was found of it."""
UNIQUE: Final = "create-is-unique"
INACCESSIBLE: Final = "deleted-is-inaccessible"
EFFECTIVE: Final = "create-is-effective"
REPOSITORY_SPARED: Final = "delete-spares-successor"
BRANCH_SPARED: Final = "branch-delete-spares-successor"


class Kind(Enum):
    """What a call says of a name."""

    CREATE = "create"
    REFUSED = "refused"
    """A create that found the name taken."""
    DELETE = "delete"
    SEEN = "seen"
    """It was there at some moment of the call."""
    MISSED = "missed"
    """It was not there at some moment of the call."""


@attrs.frozen
class Touch:
    """One call's word on a name.

    began: the number of an event, or half a number after one. life: which one, of a create, and of what was seen, where
    it can be told. sure: whether the call took place. shown: the call, for people.
    """

    kind: Kind
    began: float
    ended: int
    shown: str
    life: Hashable = None
    sure: bool = True


@attrs.frozen
class _Life:
    began: float
    known: float
    """From when on it is known that it had begun; NEVER: it may never have."""
    dead: float
    """From when on it is known to be over."""
    touch: Touch


def judge(name: str, touches: Sequence[Touch], spared: str) -> Iterator[Judgement]:
    """Hold what was told of one name against itself. spared: the id under which a delete spares the successor.

    Every life has a create among the touches. O(n³) at worst for n touches, of which a name has some dozens.
    """
    deletes = [touch for touch in touches if touch.kind is Kind.DELETE]
    yield from _unique(name, touches, deletes)
    lives = _lives(touches, deletes)
    yield from _inaccessible(name, touches, lives)
    yield from _spared(name, touches, lives, deletes, spared)


def crowded(makers: Sequence[Touch], breakers: Sequence[Touch]) -> tuple[Sequence[Touch], int] | None:
    """Makers that are too many: in a stretch of time that holds so many makers that succeeded, each but the first
    needs a breaker of its own that may have taken effect in it. None: there is no such stretch.

    Returns the fewest such makers, in the order in which they began, and how many breakers there were. O(m² log b).
    """
    sure = sorted((touch for touch in makers if touch.sure), key=lambda touch: touch.ended)
    begins = sorted(touch.began for touch in breakers)
    ends = sorted(touch.ended for touch in breakers)
    fewest: tuple[Sequence[Touch], int] | None = None
    for first in sure:
        inside: list[Touch] = []
        for touch in sure:
            if touch.began < first.began:
                continue
            inside.append(touch)
            may = bisect_left(begins, touch.ended) - bisect_right(ends, first.began)
            if len(inside) - 1 > may:
                if fewest is None or len(inside) < len(fewest[0]):
                    fewest = sorted(inside, key=lambda each: each.began), may
                break
    return fewest


def _unique(name: str, touches: Sequence[Touch], deletes: Sequence[Touch]) -> Iterator[Judgement]:
    creates = [touch for touch in touches if touch.kind is Kind.CREATE]
    found = crowded(creates, deletes)
    if found is not None:
        those, may = found
        calls = "; ".join(touch.shown for touch in those)
        evidence = f"{name}: {len(those)} creates succeeded where at most {may} deletes came between: {calls}"
        yield UNIQUE, Violation(UNIQUE, evidence)
        return
    sure = [touch for touch in creates if touch.sure]
    for touch in touches:
        if touch.kind is Kind.REFUSED and any(each.began < touch.ended for each in sure):
            yield UNIQUE, Reached(f"{name}: {touch.shown} was refused")


def _lives(touches: Sequence[Touch], deletes: Sequence[Touch]) -> list[_Life]:
    begun = []
    for touch in touches:
        if touch.kind is Kind.CREATE:
            told = [each.ended for each in touches if each.kind is Kind.SEEN and each.life == touch.life]
            seen = told if touch.life is not None else []
            begun.append((touch, min([touch.ended if touch.sure else NEVER, *seen])))
    lives = []
    for touch, known in begun:
        ends = [each.ended for each in deletes if each.sure and each.began > known]
        ends += [later for other, later in begun if other.began > known]  # its create found the name free
        lives.append(_Life(touch.began, known, min(ends, default=NEVER), touch))
    return lives


def _over(touch: Touch, lives: Sequence[_Life]) -> list[_Life]:
    """What a touch must have reached though it was over: empty if it may have reached something else."""
    over = [life for life in lives if life.dead < touch.began]
    if touch.life is not None:
        return [life for life in over if life.touch.life == touch.life]
    return over if not any(life.began < touch.ended and life not in over for life in lives) else []


def _inaccessible(name: str, touches: Sequence[Touch], lives: Sequence[_Life]) -> Iterator[Judgement]:
    for touch in touches:
        over = any(life.dead < touch.began for life in lives)
        if touch.kind is Kind.MISSED and over:
            yield INACCESSIBLE, Reached(f"{name}: {touch.shown} found nothing")
        if touch.kind is not Kind.SEEN:
            continue
        mine = _over(touch, lives)
        if mine:
            evidence = f"{name}: {touch.shown} reached what had been deleted; {_whole(mine[-1], touches)}"
            yield INACCESSIBLE, Violation(INACCESSIBLE, evidence)
            return
        if over:
            yield INACCESSIBLE, Reached(f"{name}: {touch.shown} found another life than the deleted one")


def _whole(life: _Life, touches: Sequence[Touch]) -> str:
    """A life that is over, from its create to what has ended it."""
    end = next((each for each in touches if each.kind is Kind.DELETE and each.ended == life.dead), None)
    ended = f", {end.shown} had ended it" if end else ", and a later create had found the name free"
    return f"{life.touch.shown} had made it{ended}"


def _spared(
    name: str, touches: Sequence[Touch], lives: Sequence[_Life], deletes: Sequence[Touch], spared: str
) -> Iterator[Judgement]:
    for touch in touches:
        if touch.kind not in {Kind.MISSED, Kind.SEEN}:
            continue
        for life in lives:
            if life.known >= touch.began or _may_have_gone(life.began, touch, deletes):
                continue
            before = [each for each in deletes if each.ended < life.began]
            if touch.kind is Kind.MISSED:
                made = life.touch.shown
                what = f"{name}: {touch.shown} found nothing, and no client can have deleted what {made} made"
                broken = spared if before else EFFECTIVE
                yield broken, Violation(broken, what + _before(before))
                return
            yield EFFECTIVE, Reached(f"{name}: {touch.shown} found what {life.touch.shown} had made")
            if before:
                yield spared, Reached(f"{name}: {touch.shown} found what was made after a delete")
    yield from _vanished(name, touches, lives, deletes, spared)


def _before(deletes: Sequence[Touch]) -> str:
    return f"; {deletes[-1].shown} was over before" if deletes else ""


def _vanished(
    name: str, touches: Sequence[Touch], lives: Sequence[_Life], deletes: Sequence[Touch], spared: str
) -> Iterator[Judgement]:
    """What was seen after all the deletes that can have met it, whichever life it was, and then missed. A touch that
    reached what was over is no proof of life: it is blamed for that alone."""
    seen = [touch for touch in touches if touch.kind is Kind.SEEN and not _over(touch, lives)]
    for touch in touches:
        before = [each for each in seen if touch.kind is Kind.MISSED and each.ended < touch.began]
        last = max(before, key=lambda each: each.began, default=None)
        if last is not None and not _may_have_gone(last.began, touch, deletes):
            what = f"{name}: {touch.shown} found nothing, and no client can have deleted what {last.shown} reached"
            earlier = [each for each in deletes if each.ended < last.began]
            # A successor is another life than one that is over.
            broken = spared if earlier and any(life.dead < last.began for life in lives) else EFFECTIVE
            yield broken, Violation(broken, what + _before(earlier))
            return


def _may_have_gone(since: float, touch: Touch, deletes: Sequence[Touch]) -> bool:
    """Whether a delete can have taken what was there at some moment from then on, before a touch was over."""
    return any(each.ended > since and each.began < touch.ended for each in deletes)
