"""Pull requests: each is a small record, and some order of the calls on it must explain their answers.

A pull request has a title, a status and, once merged, a commit. It is merged only while it is open. The calls of one
are few, so all orders are tried that respect the intervals (J. Wing, C. Gong, Testing and Verifying Concurrent Objects,
1993). A call that was refused did nothing; one that was not answered takes effect at some moment, or never.

Example: merge [1, 6] ok c1, edit [2, 5] ok, get [7, 8] finds it open. No order explains that: the merge takes effect
before the get, no call opens a pull request, and an edit leaves all but the title alone.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import attrs

from lakeproof.live.lakefs.calls import NEVER, NOT_FOUND, Call
from lakeproof.live.lakefs.promises import PULL_LINEARIZABLE
from lakeproof.live.report import Judged, NotJudged
from lakeproof.model.invariants import Reached, Violation

OPEN: Final = "open"
ORDERS_MAX: Final = 20_000
"""Of one pull request: beyond that it is not judged, and nothing is reported to hold. Only many calls without an answer
lead there."""
ON_ONE: Final = frozenset({"get_pull", "edit_pull", "close_pull", "merge_pull"})


@attrs.frozen
class Pull:
    """commit: empty, it has none; None, that of a merge whose answer is not known."""

    title: str
    status: str = OPEN
    commit: str | None = ""


Order = tuple[Pull, frozenset[int]]
"""What a pull request is after some of its calls, and which of those that are under way are among them."""


def judge_pulls(calls: Sequence[Call]) -> Iterator[Judged]:
    """The pull requests of a repository, each by itself."""
    by_id: dict[str, list[Call]] = defaultdict(list)
    for call in calls:
        if call.name in ON_ONE:
            by_id[call.args[3]].append(call)
    for create in calls:
        if create.name == "create_pull" and create.ok:
            yield from _judge(create, by_id[str(create.value)])


def _judge(create: Call, calls: Sequence[Call]) -> Iterator[Judged]:
    for call in calls:
        if call.name == "get_pull" and call.code == NOT_FOUND and call.began > create.ended:
            evidence = f"{call.shown} found nothing, and {create.shown} had created it"
            yield PULL_LINEARIZABLE, Violation(PULL_LINEARIZABLE, evidence)
            return
    # A read without an answer says nothing.
    mine = [call for call in calls if call.ok or (call.possible and call.name != "get_pull")]
    orders: set[Order] = {(Pull(create.args[3]), frozenset())}
    changed = False  # until then a get proves little
    # One step for each end, in order of time: at its end a call must have taken effect. Those without an end may stay
    # out of every order.
    for call in sorted((call for call in mine if call.ended < NEVER), key=lambda each: each.ended):
        orders = _orders_at_end(orders, mine.index(call), mine)
        if len(orders) > ORDERS_MAX:
            why = f"the calls of pull request {create.value} may have come in more than {ORDERS_MAX:,} orders"
            yield PULL_LINEARIZABLE, NotJudged(why)
            return
        if not orders:
            yield PULL_LINEARIZABLE, Violation(PULL_LINEARIZABLE, _describe_unexplained(create, call, calls))
            return
        if call.name == "get_pull" and changed:
            yield PULL_LINEARIZABLE, Reached(f"{_describe(call)} is explained")
        changed = changed or call.name in {"close_pull", "merge_pull"}


def _orders_at_end(orders: Iterable[Order], number: int, calls: Sequence[Call]) -> set[Order]:
    """The orders in which a call has taken effect by its end."""
    begun = [each for each, call in enumerate(calls) if call.began < calls[number].ended]
    over = {each for each, call in enumerate(calls) if call.ended < calls[number].ended}
    todo, seen, found = list(orders), set(orders), set[Order]()
    while todo and len(seen) <= ORDERS_MAX:
        pull, done = todo.pop()
        if number in done:
            # A call that is over need not be remembered. This keeps the orders few.
            found.add((pull, done - {number}))
            continue
        for each in begun:
            if each in over or each in done:  # over: it is in every order already
                continue
            after = _after(pull, calls[each])
            # Two orders of the same calls that lead to the same record have the same future, and count as one.
            if after is not None and (order := (after, done | {each})) not in seen:
                seen.add(order)
                todo.append(order)
    return found if len(seen) <= ORDERS_MAX else seen  # too many, which the caller sees by their number


def _after(pull: Pull, call: Call) -> Pull | None:
    """What a pull request is after a call; None: it cannot have been answered so."""
    if call.name == "edit_pull":
        return attrs.evolve(pull, title=call.args[4])
    if call.name == "close_pull":
        return attrs.evolve(pull, status="closed")
    if call.name == "merge_pull":
        # Without an answer any commit may be its own. The first get that finds it merged settles which one.
        commit = str(call.value) if call.ok else None
        return attrs.evolve(pull, status="merged", commit=commit) if pull.status == OPEN else None
    assert isinstance(call.value, tuple), "it was answered"
    title, status, commit_id = call.value
    if (title, status) != (pull.title, pull.status) or pull.commit not in {commit_id, None}:
        return None
    return attrs.evolve(pull, commit=str(commit_id))


def _describe_unexplained(create: Call, call: Call, calls: Sequence[Call]) -> str:
    earlier = [each for each in calls if each.began < call.ended and each is not call]
    before = "; ".join(_describe(each) for each in earlier)
    return f"{_describe(call)} is explained by no order of the calls: {_describe(create)}; {before}"


def _describe(call: Call) -> str:
    return f"{call.shown} {call.value}" if call.ok and call.value is not None else call.shown
