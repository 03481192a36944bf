"""The law of the comparison of suspended flows: objects with equal keys have equal futures."""

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Final

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from lakeproof import Always, Call, Env, Reached, Scenario, Violation
from lakeproof.model.snapshot import Snapshot
from lakeproof.search.contents import Incomparable, parts_of
from lakeproof.search.search import search
from lakeproof.search.suspended import _LockstepWalk
from tests.differential.loops import Keeper
from tests.model.odd_values import HIDING

Operation = Callable[[Any, int], object]  # type: ignore[explicit-any]  # on the memory: an object, and an iterator
ITERATE: Final[tuple[Operation, ...]] = (
    lambda memory, _: memory.__setitem__(1, iter(memory[0])),
    lambda memory, _: next(memory[1], None),
    lambda memory, _: next(memory[1], None),
    lambda memory, _: memory.__setitem__(1, iter(())),
    lambda memory, _: list(memory[0]),
)
KINDS: Final[dict[str, tuple[Callable[[], object], tuple[Operation, ...]]]] = {
    "set": (
        lambda: {0, 8, 16},
        (
            lambda memory, n: memory[0].add(n),
            lambda memory, n: memory[0].discard(n),
            lambda memory, _: memory[0].pop(),
            lambda memory, n: memory[0].update({n, n + 1}),
            lambda memory, _: memory.__setitem__(0, memory[0].copy()),
        ),
    ),
    "frozenset": (
        lambda: frozenset({0, 8}),
        (
            lambda memory, n: memory.__setitem__(0, memory[0] | {n}),
            lambda memory, n: memory.__setitem__(0, memory[0] - {n}),
            lambda memory, n: memory.__setitem__(0, frozenset([n, *memory[0]])),
        ),
    ),
    "dict": (
        lambda: {0: 0, 1: 1, 2: 2},
        (
            lambda memory, n: memory[0].__setitem__(n, n),
            lambda memory, n: memory[0].pop(n, None),
            lambda memory, _: memory[0].popitem(),
            lambda memory, _: memory.__setitem__(1, reversed(memory[0])),
            lambda memory, _: memory.__setitem__(1, iter(memory[0].items())),
        ),
    ),
    "list": (
        lambda: [0, 1, 2],
        (
            lambda memory, n: memory[0].insert(0, n),
            lambda memory, n: memory[0].remove(n),
            lambda memory, _: memory[0].pop(),
            lambda memory, _: memory.__setitem__(1, reversed(memory[0])),
            lambda memory, _: memory.__setitem__(1, (each for each in memory[0])),
        ),
    ),
    "deque": (
        lambda: deque([0, 1], 4),
        (
            lambda memory, n: memory[0].append(n),
            lambda memory, _: memory[0].popleft(),
            lambda memory, _: memory[0].rotate(),
        ),
    ),
}
histories = st.lists(st.tuples(st.integers(0, 9), st.sampled_from((0, 1, 2, 8, 16, 24))), min_size=1, max_size=7)


def after(kind: str, history: Sequence[tuple[int, int]]) -> tuple[list[object], list[str]]:
    """What an object has become, with an iterator over it, and what each operation has returned."""
    make, operations = KINDS[kind]
    memory, returned = [make(), iter(())], list[str]()
    for which, number in history:
        operation = (*operations, *ITERATE)[which % len((*operations, *ITERATE))]
        try:
            returned.append(repr(operation(memory, number)))
        except (KeyError, ValueError, IndexError, RuntimeError) as error:
            returned.append(repr(error))
    return memory, returned


def key(kind: str, history: Sequence[tuple[int, int]]) -> Hashable:
    walk = _LockstepWalk()
    walk.visit(after(kind, history)[0], after(kind, history)[0], 0)
    return tuple(walk.tokens)


@pytest.mark.parametrize(("one", "other"), HIDING, ids=repr)
def test_what_a_class_overrides_hides_no_content(one: object, other: object) -> None:
    assert parts_of(one) != parts_of(other)


def test_the_names_of_a_function_are_a_part_of_it() -> None:
    def named(name: str) -> Callable[[], None]:
        def made() -> None:
            """Nothing."""

        made.__name__ = name
        return made

    assert parts_of(named("one")) == parts_of(named("one"))
    assert parts_of(named("one")) != parts_of(named("other"))


@pytest.mark.deep
@pytest.mark.parametrize("kind", KINDS)
@given(st.lists(histories, min_size=30, max_size=60), st.lists(histories.map(tuple), min_size=3, max_size=3))
@settings(max_examples=60, phases=[Phase.reuse, Phase.generate])  # a failure names the two histories
def test_objects_with_equal_keys_answer_alike_from_now_on(
    kind: str, many: list[list[tuple[int, int]]], futures: list[tuple[tuple[int, int], ...]]
) -> None:
    alike = defaultdict[Hashable, list[list[tuple[int, int]]]](list)
    for history in many:
        try:
            alike[key(kind, history)].append(history)
        except Incomparable:
            continue
    for group in alike.values():
        for future in futures:
            answers = {tuple(after(kind, [*each, *future])[1][len(each) :]): each for each in group}
            assert len(answers) == 1, answers


def begun(numbers: dict[int, int]) -> tuple[dict[int, int], Iterator[int]]:
    """A dict, and an iterator that has given the first of its keys."""
    over = iter(numbers)
    next(over)
    return numbers, over


def with_a_gap() -> tuple[dict[int, int], Iterator[int]]:
    """As ``begun({0: 0, 2: 0, 3: 0})``, as far as anybody sees."""
    numbers, over = begun({0: 0, 1: 0, 2: 0})
    numbers[3] = numbers.pop(1)
    return numbers, over


def test_an_iterator_that_goes_astray_when_its_dict_is_packed_is_told_from_one_that_does_not() -> None:
    (one, over), (other, others) = with_a_gap(), begun({0: 0, 2: 0, 3: 0})
    assert (list(one), over.__reduce__()) == (list(other), others.__reduce__())
    for each in (one, other):
        each[4], each[5] = each.pop(0), each.pop(2)  # the first dict has no room for 5, and closes its gaps
    assert next(over) != next(others)
    with pytest.raises(Incomparable, match="something was removed"):
        _LockstepWalk().visit(with_a_gap(), with_a_gap(), 0)


async def take_turns(env: Env) -> None:
    """Of a pool, whatever is not busy is taken. Key 7 must not be."""
    pool = set(range(1, 8))
    while pool:
        await env.store.get(b"p", b"pause")
        number = pool.pop()
        if (await env.store.get(b"p", b"%d" % number)).value == b"busy":
            pool.add(number)
        else:
            await env.store.set(b"p", b"bad", b"")
            return


async def wait_for_an_order(env: Env) -> None:
    """The order of a frozenset shows in which order it was made."""
    while True:
        turn = await env.store.find(b"p", b"turn")
        left = frozenset([0, 8] if turn is None else [8, 0])
        turn = None
        await env.store.find(b"p", b"pause")
        if next(iter(left)) == 8:
            await env.store.set(b"p", b"bad", b"")
            return


async def give_the_turn(env: Env) -> None:
    for _ in range(9):
        await env.store.find(b"p", b"pause")
    await env.store.set(b"p", b"turn", b"")


async def fill(env: Env) -> None:
    for number in range(1, 8):
        await env.store.set(b"p", b"%d" % number, b"free" if number == 7 else b"busy")
    await env.store.set(b"p", b"pause", b"")


def nothing_is_bad(seen: Snapshot) -> Iterator[Violation | Reached]:
    yield Violation("nothing-is-bad", "it is") if (b"p", b"bad") in seen.store else Reached("seen")


@pytest.mark.parametrize(
    "flows", [(take_turns,), (wait_for_an_order, give_the_turn)], ids=lambda flows: flows[0].__name__
)
def test_a_loop_that_hangs_on_the_order_of_a_set_is_not_closed_too_early(
    flows: tuple[Keeper, ...],
) -> None:
    invariant = Always(id="nothing-is-bad", meaning="bad is never written", check=nothing_is_bad)
    scenario = Scenario(name="x", setup=[Call(fill)], clients=[[Call(flow)] for flow in flows], invariants=[invariant])
    [finding] = (each for each in search(scenario).findings if each.id == "nothing-is-bad")
    assert finding.verdict == "violated"
