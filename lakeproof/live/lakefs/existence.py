"""Whether things that come and go were there when they had to be, and only then: repositories, branches.

A *life* of a name begins with a create and ends with a delete. A client sees intervals: a call
takes effect at one moment between its beginning and its end, and one whose end is not certain at any later moment, or
never. Every violation is a contradiction whatever these moments are. Pure.

Example: a create ends at 1, a delete runs from 2 to 3, and a get from 4 to 5 finds the repository: the get reached what
was deleted. A get from 2 to 5 shows nothing: it may have come before the delete.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterator, Sequence
from enum import Enum
from typing import Final

import attrs

from lakeproof.live.lakefs.calls import NEVER, NOT_FOUND, Call
from lakeproof.model.invariants import Finding, Reached, Violation, entries

Judgement = tuple[str, Finding]
"""An invariant's id, and what was found of it."""
UNIQUE: Final = "create-is-unique"
INACCESSIBLE: Final = "deleted-is-inaccessible"
EFFECTIVE: Final = "create-is-effective"
REPOSITORY_SPARED: Final = "delete-spares-successor"
BRANCH_SPARED: Final = "branch-delete-spares-successor"
REFUSED_ABSENT: Final = entries.refused_write_is_absent.id


class Kind(Enum):
    """What a call says of a name."""

    CREATE = "create"
    REFUSED = "refused"
    """A create that was not done."""
    DELETE = "delete"
    SEEN = "seen"
    """It was there at some moment of the call."""
    MISSED = "missed"
    """It was not there at some moment of the call."""


@attrs.frozen
class Evidence:
    """One call's word on a name.

    began: the number of an event, or half a number after one. life: which one, of a create, and of what was seen, where
    it is known. sure: whether the call took place. shown: the call, for people.
    """

    kind: Kind
    began: float
    ended: int
    shown: str
    life: Hashable = None
    sure: bool = True


def evidence_of(call: Call, noun: str, life: Hashable) -> Evidence | None:
    """What a create, a delete or a missed get shows of what it names; None: nothing, or another kind of call. noun:
    ``repository``, ``branch`` or ``tag``. life: of a create."""
    item = Evidence(Kind.SEEN, call.began, call.ended, call.shown, None, call.ok)
    # Most calls have another noun, keep their whole name here, and match nothing.
    match call.name.removesuffix(f"_{noun}"), call.possible:
        case "create", possible:
            return attrs.evolve(item, kind=Kind.CREATE if possible else Kind.REFUSED, life=life)
        case "delete", True:
            return attrs.evolve(item, kind=Kind.DELETE)
        # Other refusals, such as 403 or 409, say nothing about whether it is there.
        case "delete" | "get", False if call.code == NOT_FOUND:
            return attrs.evolve(item, kind=Kind.MISSED)
    return None


def seen_by(call: Call, life: Hashable = None, since: float | None = None) -> Evidence:
    """A call that found something. since: it may have been so from then on."""
    return Evidence(Kind.SEEN, call.began if since is None else since, call.ended, call.shown, life)


@attrs.frozen
class _Incarnation:
    began: float
    certain: float
    """From when on it is known that it had begun; NEVER: it may never have."""
    dead: float
    """From when on it is known to be over."""
    item: Evidence


def judge(name: str, items: Sequence[Evidence], spared: str) -> Iterator[Judgement]:
    """Judge what the calls show of one name. spared: the id under which a delete spares the successor.

    Every life has a create among the items. O(n³) at worst for n items, of which a name has some dozens.
    """
    deletes = [item for item in items if item.kind is Kind.DELETE]
    yield from _unique(name, items, deletes)
    yield from _judge_refused(name, items)
    lives = _lives(items, deletes)
    yield from _inaccessible(name, items, lives)
    yield from _judge_spared(name, items, lives, deletes, spared)


def find_surplus(makers: Sequence[Evidence], breakers: Sequence[Evidence]) -> tuple[Sequence[Evidence], int] | None:
    """Makers that are too many: in a stretch of time that holds so many makers that succeeded, each but the first
    needs a breaker of its own that may have taken effect in it. None: there is no such stretch.

    Returns the fewest such makers, in the order in which they began, and how many breakers there were. O(m² log b).
    """
    # By their ends, so that the stretch from `first` grows to the right, and takes in makers one by one.
    sure = sorted((item for item in makers if item.sure), key=lambda item: item.ended)
    begins = sorted(item.began for item in breakers)
    ends = sorted(item.ended for item in breakers)
    fewest: tuple[Sequence[Evidence], int] | None = None
    for first in sure:
        inside: list[Evidence] = []
        for item in sure:
            if item.began < first.began:  # not wholly inside the stretch
                continue
            inside.append(item)
            # Breakers that began before the stretch ended, less those that were over when it began: what remains
            # overlaps it.
            may = bisect_left(begins, item.ended) - bisect_right(ends, first.began)
            # Longer stretches from `first` need not be looked at: this one is the shortest, and has the fewest makers.
            if len(inside) - 1 > may:
                if fewest is None or len(inside) < len(fewest[0]):
                    fewest = sorted(inside, key=lambda each: each.began), may
                break
    return fewest


def _unique(name: str, items: Sequence[Evidence], deletes: Sequence[Evidence]) -> Iterator[Judgement]:
    creates = [item for item in items if item.kind is Kind.CREATE]
    found = find_surplus(creates, deletes)
    if found is not None:
        those, may = found
        calls = "; ".join(item.shown for item in those)
        evidence = f"{name}: {len(those)} creates succeeded where at most {may} deletes came between: {calls}"
        yield UNIQUE, Violation(UNIQUE, evidence)
        return
    sure = [item for item in creates if item.sure]
    for item in items:
        if item.kind is Kind.REFUSED and any(each.began < item.ended for each in sure):
            yield UNIQUE, Reached(f"{name}: {item.shown} was refused")


def _judge_refused(name: str, items: Sequence[Evidence]) -> Iterator[Judgement]:
    """What was seen, and only creates that were refused can have made."""
    creates = [item for item in items if item.kind in {Kind.CREATE, Kind.REFUSED}]
    for item in items:
        # All creates that the item may have found. One that was not refused explains it.
        may = [each for each in creates if each.began < item.ended and item.life in {None, each.life}]
        if item.kind is Kind.SEEN and may and all(each.kind is Kind.REFUSED for each in may):
            evidence = f"{name}: {may[0].shown} was refused, and {item.shown} found what it had made"
            yield REFUSED_ABSENT, Violation(REFUSED_ABSENT, evidence)
            return


def _lives(items: Sequence[Evidence], deletes: Sequence[Evidence]) -> list[_Incarnation]:
    begun = []
    for item in items:
        if item.kind is Kind.CREATE:
            # A create without an answer is certain as soon as its own life was seen.
            same = item.life is not None
            seen = [each.ended for each in items if same and each.kind is Kind.SEEN and each.life == item.life]
            begun.append((item, min([item.ended if item.sure else NEVER, *seen])))
    lives = []
    for item, certain in begun:
        # A delete that succeeded found something. Whatever it was, this life is over at its end: either it was this
        # one, or this one was gone already.
        ends = [each.ended for each in deletes if each.sure and each.began > certain]
        ends += [later for other, later in begun if other.began > certain]  # its create found the name free
        lives.append(_Incarnation(item.began, certain, min(ends, default=NEVER), item))
    return lives


def _over(item: Evidence, lives: Sequence[_Incarnation]) -> list[_Incarnation]:
    """What an item must have reached though it was over: empty if it may have reached something else."""
    over = [life for life in lives if life.dead < item.began]
    if item.life is not None:
        return [life for life in over if life.item.life == item.life]
    # Without a known life the item may have reached any one that is not over, also one that a lost create made.
    return over if not any(life.began < item.ended and life not in over for life in lives) else []


def _inaccessible(name: str, items: Sequence[Evidence], lives: Sequence[_Incarnation]) -> Iterator[Judgement]:
    for item in items:
        over = any(life.dead < item.began for life in lives)
        if item.kind is Kind.MISSED and over:
            yield INACCESSIBLE, Reached(f"{name}: {item.shown} found nothing")
        if item.kind is not Kind.SEEN:
            continue
        mine = _over(item, lives)
        if mine:
            evidence = f"{name}: {item.shown} reached what had been deleted; {_whole(mine[-1], items)}"
            yield INACCESSIBLE, Violation(INACCESSIBLE, evidence)
            return
        if over:
            yield INACCESSIBLE, Reached(f"{name}: {item.shown} found another life than the deleted one")


def _whole(life: _Incarnation, items: Sequence[Evidence]) -> str:
    """A life that is over, from its create to what has ended it."""
    end = next((each for each in items if each.kind is Kind.DELETE and each.ended == life.dead), None)
    ended = f", {end.shown} had ended it" if end else ", and a later create had found the name free"
    return f"{life.item.shown} had made it{ended}"


def _judge_spared(
    name: str, items: Sequence[Evidence], lives: Sequence[_Incarnation], deletes: Sequence[Evidence], spared: str
) -> Iterator[Judgement]:
    for item in items:
        if item.kind not in {Kind.MISSED, Kind.SEEN}:
            continue
        for life in lives:
            # Only a life that is certain before the item, and that no delete can have met, must be there.
            if life.certain >= item.began or _may_have_gone(life.began, item, deletes):
                continue
            before = [each for each in deletes if each.ended < life.began]
            if item.kind is Kind.MISSED:
                made = life.item.shown
                what = f"{name}: {item.shown} found nothing, and no client can have deleted what {made} made"
                # A delete that was over before the life began is the suspect, if there is one: it must have taken
                # effect on its successor.
                broken = spared if before else EFFECTIVE
                yield broken, Violation(broken, what + _before(before))
                return
            yield EFFECTIVE, Reached(f"{name}: {item.shown} found what {life.item.shown} had made")
            if before:
                yield spared, Reached(f"{name}: {item.shown} found what was made after a delete")
    yield from _judge_vanished(name, items, lives, deletes, spared)


def _before(deletes: Sequence[Evidence]) -> str:
    return f"; {deletes[-1].shown} was over before" if deletes else ""


def _judge_vanished(
    name: str, items: Sequence[Evidence], lives: Sequence[_Incarnation], deletes: Sequence[Evidence], spared: str
) -> Iterator[Judgement]:
    """What was seen after all the deletes that can have met it, whichever life it was, and then missed. An item that
    reached what was over is no proof of life: it is blamed for that alone."""
    seen = [item for item in items if item.kind is Kind.SEEN and not _over(item, lives)]
    for item in items:
        before = [each for each in seen if item.kind is Kind.MISSED and each.ended < item.began]
        # The sighting that began last leaves the fewest deletes that may have come after it.
        last = max(before, key=lambda each: each.began, default=None)
        if last is not None and not _may_have_gone(last.began, item, deletes):
            what = f"{name}: {item.shown} found nothing, and no client can have deleted what {last.shown} reached"
            earlier = [each for each in deletes if each.ended < last.began]
            # A successor is another life than one that is over.
            broken = spared if earlier and any(life.dead < last.began for life in lives) else EFFECTIVE
            yield broken, Violation(broken, what + _before(earlier))
            return


def _may_have_gone(since: float, item: Evidence, deletes: Sequence[Evidence]) -> bool:
    """Whether a delete can have taken what was there at some moment from then on, before an item was over."""
    return any(each.ended > since and each.began < item.ended for each in deletes)  # one without an answer never ends
