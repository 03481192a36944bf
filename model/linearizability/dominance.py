"""Which configurations of the frontier are at least as good as others: those keep, these go.

Example: the register holds 7. Bit 0 is an open read of 7, bit 1 an open write of 8.

>>> looking, writing = 0b01, 0b10
>>> neither, has_read, has_written = (7, 0b00, 0, 0, 0), (7, 0b01, 0, 0, 0), (7, 0b10, 0, 0, 0)

A read that has taken effect can only help: whatever can follow on ``neither`` can follow on ``has_read``. A write that
has taken effect and one that still must do so lead to different values: neither configuration dominates the other.

>>> dominates(has_read, neither, looking, writing, 0), dominates(neither, has_read, looking, writing, 0)
(True, False)
>>> dominates(has_written, neither, looking, writing, 0), dominates(neither, has_written, looking, writing, 0)
(False, False)
>>> drop_dominated([neither, has_read, has_written], looking, writing, 0) == [has_read, has_written]
True

A write that may have been hidden behind another one can pass for both, and dominates both.

>>> may_be_hidden = (7, 0b00, 0b10, 0, 0)
>>> dominates(may_be_hidden, has_written, looking, writing, 0), dominates(may_be_hidden, neither, looking, writing, 0)
(True, True)
"""

from collections.abc import Iterable

Configuration = tuple[int, int, int, int, int]
"""Value; open operations that took effect; those that may have been hidden and did not take effect; how many optional
operations may have been hidden; how often each kind of optional operation took effect, a field of bits each."""


def drop_dominated(
    configurations: Iterable[Configuration], looking: int, writing: int, guards: int
) -> list[Configuration]:
    """The configurations that no other one dominates. They must be distinct. Cost: pairs of one value.

    looking, writing: the bits of operations that only look, and of plain writes. guards: the bit above each field of
    optional operations.
    """
    by_value: dict[int, list[Configuration]] = {}
    for configuration in configurations:
        by_value.setdefault(configuration[0], []).append(configuration)
    kept: list[Configuration] = []
    for those in by_value.values():
        if len(those) == 1:
            kept += those
            continue
        # Any order is correct. With the dominating ones first, `best` stays short.
        those.sort(key=_promise, reverse=True)
        best: list[Configuration] = []
        for one in those:
            if not any(dominates(other, one, looking, writing, guards) for other in best):
                best = [other for other in best if not dominates(one, other, looking, writing, guards)]
                best.append(one)
        kept += best
    return kept


def _promise(configuration: Configuration) -> int:
    """What dominates comes early, more often than not."""
    # An optional operation that is still unused is an option for good; a hidden one is so only until its return.
    return configuration[2].bit_count() - 8 * configuration[4].bit_count()


def promising(configurations: Iterable[Configuration], most: int) -> list[Configuration]:
    """At most so many of the configurations: of each value the best one, then of each the second, and so on."""
    places: dict[int, int] = {}
    ranked = []
    for configuration in sorted(configurations, key=_promise, reverse=True):
        place = places[configuration[0]] = places.get(configuration[0], 0) + 1
        ranked.append((place, configuration))
    # Stable: within a place the promise decides. A beam with one value alone would miss the orders of all others.
    ranked.sort(key=lambda pair: pair[0])
    return [configuration for _, configuration in ranked[:most]]


def dominates(one: Configuration, other: Configuration, looking: int, writing: int, guards: int) -> bool:
    """Whether all that can follow on the other, of the same value, can follow on the one.

    To have looked is best; to have been able to, hidden, is better than not. A plain write that can pass for hidden is
    best; one that became visible, and one that can still do so and must, differ. So do both for a compare-and-set.
    """
    _, used, hidden, ranks, spent = one
    _, used_, hidden_, ranks_, spent_ = other
    if ranks < ranks_:
        return False
    # One subtraction compares all fields: one of `spent` that exceeds its counterpart borrows from its guard bit.
    if spent != spent_ and ((spent_ | guards) - spent) & guards != guards:
        return False
    if used_ & looking & ~used:
        return False
    if used & ~looking & ~used_:  # the one has used a write that the other one has not
        return False
    if used_ & ~looking & ~used & ~(hidden & writing):  # the other way round, but for a write that can pass for it
        return False
    return not hidden_ & ~(hidden | (used & looking))
