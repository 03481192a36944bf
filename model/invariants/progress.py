"""A call tries again, and gives up, only for a reason that it has met.

A *reason* is another record of its branch than it had read before, or a failed predicate. A call that stages a path
once more, or writes one commit record more, has met as many reasons as it has tried again. A call that answers
`BranchBusy`, `RefChanged` or `WriteNotSettled` has met one. So without other clients, and without a `SetIf` that is
reported as failed, each call ends at its first attempt; a call that spins is found in its second one.
Source: graveler-on-kv.md, "Update Commits, staging and lock-free": "retry if the token changed".
"""

from collections import Counter
from collections.abc import Hashable, Iterator
from typing import Final

from lakeproof.model import kv
from lakeproof.model.errors import BranchBusy, GravelerError, RefChanged
from lakeproof.model.identifiers import BranchID
from lakeproof.model.invariants._base import Finding, Observer, Reached, Reads, Violation, always
from lakeproof.model.records import Branch, Commit, StagedEntry
from lakeproof.model.snapshot import Observed, Snapshot

IN_VAIN: Final = "in vain"
BEATEN: Final = "beaten"


def gives_up(error: Exception | None) -> bool:
    """Whether a call says that others came first as often as it was willing to try, in doubt or not."""
    return isinstance(error, BranchBusy | RefChanged) or (isinstance(error, GravelerError) and not error.definite)


def _attempts(seen: tuple[Observed, ...]) -> Hashable:
    """IN_VAIN: it has tried again without a reason. BEATEN: it has met one. "": neither."""
    reasons = 0
    known: dict[BranchID, Branch] = {}
    tries: Counter[bytes | None] = Counter()
    for each in seen:
        if isinstance(each.read, Branch):
            before = known.get(each.read.branch_id, each.read)
            # The first read is compared with itself: it is no reason.
            reasons += before != each.read
            known[each.read.branch_id] = each.read
        if isinstance(each.written, StagedEntry):
            tries[each.written.key] += 1
            tried = tries[each.written.key]
        elif isinstance(each.written, Commit):
            tries[None] += 1
            tried = tries[None]
        else:
            tried = 0
        # The first attempt needs no reason.
        if tried - 1 > reasons:
            return IN_VAIN
        # After the check: the predicate of this very write can only justify the next attempt.
        reasons += isinstance(each.reply, kv.PredicateFailed)
    return BEATEN if reasons else ""


ATTEMPTS: Final = Observer("attempts", _attempts)


@always(
    "a call tries again, and gives up, only if a record that it read has changed or a predicate has failed",
    reads=frozenset({Reads.CLIENTS}),
    observers=(ATTEMPTS,),
)
def call_makes_progress(snapshot: Snapshot) -> Iterator[Finding]:
    for call in snapshot.calls():
        met = call.saw(ATTEMPTS.name)
        if met == IN_VAIN:
            yield Violation("call-makes-progress", f"{call.name} tries again, and nothing that it read has changed")
        elif gives_up(call.error) and met != BEATEN:
            evidence = f"{call.name} gave up with {call.error!r}, and nothing that it read has changed"
            yield Violation("call-makes-progress", evidence)
        elif call.done:
            yield Reached(f"{call.name} ended")
