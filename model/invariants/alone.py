"""A client that is alone: no other one, and no fault. Then an operation has one right answer, and leaves one store.

And what holds of answers in any company: they are in the terms of the operation, not of the store.
Source: docs/reference/invariants.md, "What each operation promises".
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from typing import Final

from lakeproof.model import calls, keys, kv, ref_specification
from lakeproof.model.invariants._base import Eventually, Finding, Observer, Reached, Reads, Violation, eventually
from lakeproof.model.invariants.repositories import owner
from lakeproof.model.records import Repository
from lakeproof.model.repository_specification import Living, Rules, Unsettled, find_differences, replay_calls
from lakeproof.model.snapshot import CallView, Observed, Snapshot, Status
from lakeproof.model.solo import Misanswered

ALONE_IS_EXACT: Final = "alone-is-exact"
Problems = Callable[[tuple[CallView, ...], Snapshot], Iterator[str]]
"""What is wrong with the calls of a client that was alone, and with what they have left. May raise Misanswered."""


def alone_is_exact(problems: Problems) -> Eventually:
    """The invariant by a sequential specification, for scenarios of one client without faults, or with faults that its
    flows make good."""

    def check(snapshot: Snapshot) -> Iterator[Finding]:
        (made,) = snapshot.clients  # exactly one, else the scenario is at fault
        try:
            found = list(problems(made, snapshot))
        except Unsettled:  # no verdict: a call in doubt may or may not have happened
            return
        except Misanswered as wrong:
            found = [str(wrong)]
        yield from (Violation(ALONE_IS_EXACT, each) for each in found)
        if not found:
            yield Reached(f"{len(made)} calls alone are answered, and leave, what the specification says")

    return Eventually(
        id=ALONE_IS_EXACT,
        meaning="a client that is alone is answered, call by call, what the sequential specification says, and the "
        "store ends up just as it says",
        check=check,
        reads=frozenset({Reads.STORE, Reads.CLIENTS, Reads.CLOCK}),
    )


def of_repositories(rules: Rules) -> Problems:
    """By the specification of repositories with what is in them."""
    return lambda made, snapshot: find_differences(
        replay_calls(Living(rules=rules, now=snapshot.now), made), snapshot, owner
    )


def of_refs(initial: ref_specification.Named, repository: Repository) -> Problems:
    """By the specification of the refs of a repository, of which this is there when the client begins."""
    return lambda made, snapshot: ref_specification.find_differences(
        ref_specification.replay_calls(initial, made), snapshot, repository
    )


OF_THE_STORE: Final = (kv.NotFound, kv.PredicateFailed)


@eventually(
    "no operation hands on that a key of the store is absent, or that a predicate has failed: it says what that means",
    reads=frozenset({Reads.CLIENTS}),
)
def answers_in_its_terms(snapshot: Snapshot) -> Iterator[Finding]:
    for call in snapshot.calls():
        if isinstance(call.error, OF_THE_STORE):
            evidence = f"{call.name} answered with the store's {call.error!r}, which says nothing of the operation"
            yield Violation("answers-in-its-terms", evidence)
        elif call.done:
            yield Reached(f"{call.name} answered")


def _may_have_written(seen: tuple[Observed, ...]) -> Hashable:
    """Whether a write of the call may have been applied: one that was neither refused nor is yet to come."""
    return any(kv.writes_of(each.op) and not isinstance(each.reply, kv.Refused) for each in seen)


@eventually(
    "a call answers with an indefinite error only if a write of its own may have been applied",
    reads=frozenset({Reads.CLIENTS}),
    observers=(Observer("wrote", _may_have_written),),
)
def doubt_has_a_reason(snapshot: Snapshot) -> Iterator[Finding]:
    for call in snapshot.calls():
        # ``is False``: None means that the observer is not attached.
        if call.status is Status.INFO and call.saw("wrote") is False:
            yield Violation("doubt-has-a-reason", f"{call.name} answered {call.error!r}, and has written nothing")
        elif call.done:
            yield Reached(f"{call.name} answered")


def _cleaning(seen: tuple[Observed, ...]) -> Hashable:
    """What a run of the cleaner came to: how many partitions it emptied, whether its list of instances broke, and the
    repositories of which it listed more instances than it attended to.

    To attend to an instance is to read the entry of its repository, or to have an effect in its partition.
    """
    # The cleaner's own variables cannot be seen: where it is in its work follows from the partitions that it touches.
    begun: list[bytes] = []
    failed: set[bytes] = set()
    listed: Counter[bytes] = Counter()
    reads: Counter[bytes] = Counter()
    broken = False
    for each in seen:
        partition = getattr(each.op, "partition", b"")
        fails = isinstance(each.reply, kv.KVError)
        if partition == keys.DELETED and isinstance(each.op, kv.ScanBatch):
            broken = broken or fails
            if isinstance(each.reply, kv.Batch):
                listed.update(
                    entry.key.removeprefix(keys.CLEANUP_PREFIX).rpartition(b"/")[0] for entry in each.reply.entries
                )
        # Its record, or more of the partition that it is emptying: a failure counts against that one.
        elif partition == keys.DELETED or (begun and partition == begun[-1]):
            failed.update(begun[-1:] if fails else ())
        elif partition != keys.GRAVELER:  # the first effect in another partition: the next instance
            begun.append(partition)
            failed.update([partition] if fails else ())
        elif isinstance(each.op, kv.Get):
            reads[each.op.key.removeprefix(keys.REPOSITORIES_PREFIX)] += 1
    # By repository id: records and reads name that, and one id can have several instances in the list.
    emptied = Counter(partition.rpartition(b"-")[0] for partition in set(begun))
    # An instance that is in use is attended to by a read alone.
    left = [name for name, count in sorted(listed.items()) if count > max(emptied[name], reads[name])]
    return len(set(begun) - failed), broken, tuple(left)


@eventually(
    "a run of the cleaner attends to every instance that it lists, skips one whose cleaning fails, and returns "
    "how many partitions it has emptied; it fails only if its list of instances cannot be read",
    reads=frozenset({Reads.CLIENTS}),
    observers=(Observer("cleaning", _cleaning),),
)
def cleaner_goes_on(snapshot: Snapshot) -> Iterator[Finding]:
    for call in snapshot.calls(calls.CLEAN):
        seen = call.saw("cleaning")
        if not call.done or not isinstance(seen, tuple):
            continue
        emptied, broken, left = seen
        if broken:
            yield Reached(f"clean answered {call.status.value} after its list of instances broke")
        elif left:
            names = ", ".join(name.decode() for name in left)
            yield Violation("cleaner-goes-on", f"clean listed an instance of {names} and did not attend to it")
        elif call.value != emptied:
            answer = call.value if call.error is None else call.error
            yield Violation("cleaner-goes-on", f"clean answered {answer!r} and has emptied {emptied} partitions")
        else:
            yield Reached(f"clean emptied {emptied} partitions")


ALL: Final = (answers_in_its_terms, doubt_has_a_reason, cleaner_goes_on)
"""What is no matter of a specification."""
