"""What a conditional write says of the path: it answers by what a read at some moment within its interval could find.

A create that succeeds has found the path absent; one that answers `PathExists` has found a value. A replacement that
succeeds has found the expected identity; one that answers `EntryChanged` has found another value, or none. So each such
write is put to `lakeproof.model.invariants.entries.read_is_legal` as a read of its path; what the write itself brings
explains nothing. Source: docs/designs/branches.md; lakeFS' ``pkg/graveler``, "SetIf" of staged entries.
"""

from collections.abc import Callable, Hashable
from typing import Final

import attrs

from lakeproof.model import calls
from lakeproof.model.calls import Role
from lakeproof.model.committed import Entry
from lakeproof.model.contents import Contents
from lakeproof.model.errors import EntryChanged, PathExists, PathNotFound
from lakeproof.model.invariants._base import Finding, Monitor, Reached, Violation
from lakeproof.model.invariants.changes import values
from lakeproof.model.invariants.entries import READS, read_is_legal
from lakeproof.model.snapshot import CallView, Event, Invoked, Returned, Status

ID: Final = "conditional-write-saw-absence"
MEANING: Final = (
    "a conditional write succeeds only if its path was absent, or had the expected value, at some moment within its "
    "interval; and it is refused only if that was not so at some moment"
)
CONDITIONAL: Final = frozenset({calls.CREATE_ENTRY, calls.REPLACE_ENTRY})

Advance = Callable[[Hashable, Event], tuple[Hashable, tuple[Finding, ...]]]


@attrs.frozen(cache_hash=True)
class _ReadState:
    reads: Hashable
    """What reads may find: a state of `read_is_legal`."""
    named: frozenset[tuple[bytes, bytes]] = frozenset()
    """Each (path, identity) that a call has brought, or tried to."""


def conditional_write_saw_absence(initial: Contents | None = None, branch_id: str = "main") -> Monitor:
    """The monitor of conditional writes. Arguments as those of `read_is_legal`."""
    reads = read_is_legal(initial, branch_id)
    return Monitor(
        id=ID,
        meaning=MEANING,
        initial=_ReadState(reads.initial, frozenset((initial or {}).items())),
        advance=lambda state, event: _advance_reads(reads.advance, state, event),
    )


def _advance_reads(advance: Advance, state: Hashable, event: Event) -> tuple[Hashable, tuple[Finding, ...]]:
    assert isinstance(state, _ReadState)
    kind = event.kind if isinstance(event, Invoked) else event.call.kind
    if kind in READS:
        return state, ()  # real reads are judged by `read_is_legal`
    if isinstance(event, Invoked):
        before = state.reads
        if kind in CONDITIONAL:
            before, _ = advance(before, Invoked(event.client, _shadow(event), calls.GET_ENTRY.name, event.args))
        brought = {(path, value) for path, value in values(event.name, event.args) if value is not None}
        after, _ = advance(before, event)
        return attrs.evolve(state, reads=after, named=state.named | brought), ()
    found: tuple[Finding, ...] = ()
    between = state.reads
    if kind in CONDITIONAL:
        found = tuple(_judge_refusal(advance, state, event))
        # The read ends whatever it has found: its verdict is already in `found`, and this one is thrown away.
        between, _ = advance(between, _read(event, None))
    after, _ = advance(between, event)
    return attrs.evolve(state, reads=after), found


def _shadow(event: Event) -> int:
    """The number of the read that stands for a conditional write: no call has it."""
    # Negative: the calls of a client are numbered from 0.
    return -1 - event.index


def _read(event: Returned, identity: bytes | None) -> Returned:
    """That read, as if it had found this."""
    path = event.call.arguments.data(Role.PATH)
    entry = None if identity is None else Entry(path=path, identity=identity, data=b"")
    status = Status.OK if entry is not None else Status.FAIL
    view = CallView(calls.GET_ENTRY.name, event.call.args, status, entry, PathNotFound(path) if entry is None else None)
    return Returned(event.client, _shadow(event), view)


def _judge_refusal(advance: Advance, state: _ReadState, event: Returned) -> list[Finding]:
    call = event.call
    arguments = call.arguments
    path, own = arguments.data(Role.PATH), arguments.data(Role.VALUE)
    wanted = None if call.kind is calls.CREATE_ENTRY else arguments.data(Role.EXPECTED)

    def legal(identity: bytes | None) -> bool:
        # A question to the monitor: its next state is thrown away.
        _, findings = advance(state.reads, _read(event, identity))
        return not any(isinstance(each, Violation) for each in findings)

    shown, was = f"{call.name}({path!r}, {own!r})", _value(wanted)
    if call.status is Status.OK:
        if legal(wanted):
            return [Reached(f"{call.name} succeeded, and its path could be as it wants it")]
        return [Violation(ID, f"{shown} succeeded, and its path never was {was}")]
    # In doubt, or refused for another reason: such an answer says nothing of the path.
    if not isinstance(call.error, PathExists | EntryChanged):
        return []
    # The write's own value has become legal for its read, as for each read under way: it must not explain the refusal.
    others: set[bytes | None] = {value for at, value in state.named if at == path and value != own}
    # A refusal is right if any other value was possible: which one it has met, it does not say.
    if any(legal(value) for value in (others | {None}) - {wanted}):
        return [Reached(f"{call.name} was refused, and its path could be otherwise")]
    return [Violation(ID, f"{shown} was refused, and its path always was {was}")]


def _value(identity: bytes | None) -> str:
    return "absent" if identity is None else repr(identity)
