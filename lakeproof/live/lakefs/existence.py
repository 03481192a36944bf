"""Whether things that come and go were there when they had to be, and only then: repositories, branches.

A *life* of a name begins with a create and ends with a delete. So a name is a register that holds a life or nothing: a
create finds nothing there and writes a life, and a delete takes it away. A client sees intervals: a call takes effect
at one moment between its beginning and its end, and one whose end is not certain at any later moment, or never. Where
no order explains all calls, a smallest part of them shows which invariant is broken. Pure.

Example: a create ends at 1, a delete runs from 2 to 3, and a get from 4 to 5 finds the repository: the get reached what
was deleted. A get from 2 to 5 shows nothing: it may have come before the delete.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from enum import Enum
from functools import partial
from typing import Final

import attrs

from lakeproof.live.lakefs.calls import NEVER, NOT_FOUND, Call
from lakeproof.live.report import NotJudged
from lakeproof.model.invariants import Finding, Reached, Violation, entries
from lakeproof.model.linearizability import history
from lakeproof.model.linearizability.frontier import frontier
from lakeproof.model.linearizability.problem import Budget, Register, Verdict
from lakeproof.model.linearizability.specifications import ANY, IS, IS_NOT, NO_WRITE

Judgement = tuple[str, Finding | NotJudged]
"""An invariant's id, and what was found of it."""
UNIQUE: Final = "create-is-unique"
INACCESSIBLE: Final = "deleted-is-inaccessible"
EFFECTIVE: Final = "create-is-effective"
REPOSITORY_SPARED: Final = "delete-spares-successor"
BRANCH_SPARED: Final = "branch-delete-spares-successor"
REFUSED_ABSENT: Final = entries.refused_write_is_absent.id
_NOTHING: Final = 0
_BUDGET: Final = Budget(configurations=20_000)


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


@attrs.frozen(eq=False)
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
            return attrs.evolve(item, kind=Kind.MISSED, sure=True)
    return None


def seen_by(call: Call, life: Hashable = None, since: float | None = None) -> Evidence:
    """A call that found something. since: it may have been so from then on."""
    return Evidence(Kind.SEEN, call.began if since is None else since, call.ended, call.shown, life)


def judge(name: str, items: Sequence[Evidence], spared: str) -> Iterator[Judgement]:
    """Judge what the calls show of one name. spared: the id under which a delete spares the successor.

    Every life has a create among the items. Of a violation, one run of the frontier for each item.
    """
    deletes = [item for item in items if item.kind is Kind.DELETE]
    alone = find_surplus([item for item in items if item.kind is Kind.CREATE], deletes)
    if alone is not None:
        calls = "; ".join(item.shown for item in alone[0])
        evidence = f"{name}: {len(alone[0])} creates succeeded where at most {alone[1]} deletes came between: {calls}"
        yield UNIQUE, Violation(UNIQUE, evidence)
    yield from _judge_refused(name, items)
    yield from _judge_seen(name, items, spared, exclusive=alone is None)
    yield from _find_tests(name, items, deletes, spared)


def find_surplus(makers: Sequence[Evidence], breakers: Sequence[Evidence]) -> tuple[Sequence[Evidence], int] | None:
    """Makers that are too many: each finds nothing, and only a breaker between two can have made it so. None: some
    order explains all.

    Returns a smallest set of such makers, in the order in which they began, and how many breakers may come between.
    """
    sure = sorted((item for item in makers if item.sure), key=lambda item: item.began)
    if not _impossible([*sure, *breakers]):
        return None
    few = _smallest(sure, lambda kept: _impossible([*kept, *breakers]))
    begins, ends = few[0].began, max(item.ended for item in few)
    return few, sum(each.ended > begins and each.began < ends for each in breakers)


def _smallest(items: Sequence[Evidence], impossible: Callable[[Sequence[Evidence]], bool]) -> Sequence[Evidence]:
    """What is impossible, and would not be without any one of it."""
    for item in items:
        fewer = [other for other in items if other is not item]
        items = fewer if impossible(fewer) else items
    return items


def _impossible(items: Sequence[Evidence], kept: Sequence[Evidence] | None = None, *, exclusive: bool = True) -> bool:
    """Whether no order explains the items, for certain."""
    return _explain(items, kept, exclusive=exclusive) is Verdict.VIOLATED


def _explain(items: Sequence[Evidence], kept: Sequence[Evidence] | None = None, *, exclusive: bool = True) -> Verdict:
    """Whether some order explains the items. INCONCLUSIVE if that is too much work, for a name with many lost calls.

    kept: what the others did may have happened at any time or never. exclusive: whether a create must find nothing.
    """
    lives: dict[Hashable, int] = {}
    guard, rows = IS if exclusive else ANY, []
    for item in items:
        known = kept is None or item in kept
        # Doubled, half a number after an event is whole; what returns at a number is over before a call with it.
        call = int(2 * item.began) if known else -2
        returned = 2 * item.ended + 1 if known and item.sure else history.NEVER
        life = lives.setdefault(item.life, len(lives) + 1)
        match item.kind:
            case Kind.CREATE:
                rows.append((call, returned, guard, _NOTHING, life))
            case Kind.DELETE:
                rows.append((call, returned, ANY, _NOTHING, _NOTHING))
            case Kind.MISSED if known:
                rows.append((call, returned, IS, _NOTHING, NO_WRITE))
            case Kind.SEEN if known:
                rows.append((call, returned, *((IS_NOT, _NOTHING) if item.life is None else (IS, life)), NO_WRITE))
    problem = Register(_NOTHING)
    for number, row in enumerate(sorted(rows)):
        problem.add(number, *row)
    problem.simplify()
    return frontier(problem, _BUDGET).verdict


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


def _judge_seen(name: str, items: Sequence[Evidence], spared: str, *, exclusive: bool) -> Iterator[Judgement]:
    """What was seen and missed: each alone with the creates and deletes, and then together."""
    creates = [item for item in items if item.kind is Kind.CREATE]
    # What no create explains was there all the same. So it is judged by whether it goes on being there.
    ghosts = [item for item in items if item.kind is Kind.SEEN and not any(_may_find(item, each) for each in creates)]
    lost = [attrs.evolve(item, kind=Kind.CREATE, began=-1, ended=NEVER, sure=False) for item in ghosts]
    parts = (
        [item for item in items if item.kind is not Kind.MISSED and item not in ghosts],
        [item for item in items if item.kind is not Kind.SEEN],
        [*lost, *items],
    )
    violated = False
    for part in parts:
        if violated and part is parts[-1]:
            return  # it contains what is violated already
        alone = exclusive and not (lost and part is parts[-1])
        verdict = _explain(part, exclusive=alone)
        if verdict is not Verdict.VIOLATED:
            if verdict is Verdict.INCONCLUSIVE:
                why = NotJudged(f"{name}: the calls may have come in too many orders")
                yield from ((each, why) for each in (UNIQUE, INACCESSIBLE, EFFECTIVE, spared))
            continue
        violated = True
        few = _smallest(part, partial(_impossible, part, exclusive=alone))
        what = f"no order explains {'; '.join(item.shown for item in few)}"
        gone = [item for item in few if item.kind is Kind.MISSED]
        seen = [item for item in few if item.kind is Kind.SEEN]
        if not gone:
            # Creates alone where `find_surplus` had too many orders to look at.
            broken, reached = (INACCESSIBLE, f"{seen[-1].shown} reached what was not there; ") if seen else (UNIQUE, "")
            yield broken, Violation(broken, f"{name}: {reached}{what}")
            continue
        # A delete that was over before what must be there began is the suspect, if there is one: it must have taken
        # effect on its successor.
        since = max((item.began for item in few if item.kind is Kind.CREATE), default=0)
        suspect = [item for item in items if item.kind is Kind.DELETE and item.ended < since]
        broken = spared if suspect else EFFECTIVE
        before = f"; {suspect[-1].shown} was over before" if suspect else ""
        yield broken, Violation(broken, f"{name}: {gone[-1].shown} found nothing; {what}{before}")


def _may_find(item: Evidence, create: Evidence) -> bool:
    return item.life == create.life if item.life is not None else create.began < item.ended


def _find_tests(name: str, items: Sequence[Evidence], deletes: Sequence[Evidence], spared: str) -> Iterator[Judgement]:
    """Which calls put an invariant to the test."""
    sure = [item for item in items if item.kind is Kind.CREATE and item.sure]
    over = [each.ended for each in deletes if each.sure and any(create.ended < each.began for create in sure)]
    for item in items:
        if item.kind is Kind.REFUSED and any(each.began < item.ended for each in sure):
            yield UNIQUE, Reached(f"{name}: {item.shown} was refused")
        if item.kind in {Kind.SEEN, Kind.MISSED} and any(ended < item.began for ended in over):
            found = "nothing" if item.kind is Kind.MISSED else "another life than the deleted one"
            yield INACCESSIBLE, Reached(f"{name}: {item.shown} found {found}")
        for create in sure if item.kind is Kind.SEEN else ():
            # It must be there: it is certain before the item, and no delete can have met it.
            gone = any(each.ended > create.began and each.began < item.ended for each in deletes)
            if create.ended < item.began and not gone:
                yield EFFECTIVE, Reached(f"{name}: {item.shown} found what {create.shown} had made")
                if any(each.ended < create.began for each in deletes):
                    yield spared, Reached(f"{name}: {item.shown} found what was made after a delete")
