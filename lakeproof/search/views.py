"""What invariants are shown: of a transition, of a final state; and what is read off the calls of every scenario.

The search and the stepped world take it from here, so that both judge the same.
"""

from collections.abc import Hashable, Iterable, Sequence
from typing import Final

from lakeproof.impl.effects import Effect, Local, Now, Sleep, Wake
from lakeproof.impl.parallel import Withdrawn
from lakeproof.impl.printable import safe_repr
from lakeproof.model.channels import Receive, Send
from lakeproof.model.invariants import Finding, Reads, Violation
from lakeproof.model.records import Repository
from lakeproof.model.snapshot import CallView, Outcome, Status, Transition, UnhandledException
from lakeproof.model.watches import StartWatch
from lakeproof.scenario import NO_UNHANDLED_EXCEPTION
from lakeproof.search.fence import message_of
from lakeproof.search.semantics import Cells, apply, patch
from lakeproof.search.setup import Setting, snapshot

# No clients: a transition is judged once for all states that differ in what clients remember.
STEP_READS: Final = frozenset({Reads.STORE, Reads.OBJECTS, Reads.CLOCK})
STEP_REPAIR: Final = "a step invariant reads the stores and now: what it must know of the client, an Observer can keep"
UNSEEN: Final = (Local, Withdrawn, Sleep, Wake, Send, Receive, StartWatch)
"""Effects that concern no store: no *step* invariant looks at them."""
END_READS: Final = frozenset({Reads.STORE, Reads.OBJECTS})
END_REPAIR: Final = "at_end reads the stores: what it must know besides, the monitor's state can keep"


def transition(setting: Setting, now: int, client: int, call: CallView, op: Effect, cells: Cells) -> Transition:
    """What a *step* invariant sees of an effect on these cells, at this time of the stores."""
    # The clock is no cell, so `apply` does not answer it; it differs by client.
    reply, writes = (setting.now(client, now), {}) if isinstance(op, Now) else apply(cells, op, now)
    # Computed anew, not taken from the tables: what is judged must not depend on what the search has compiled.
    before, after = snapshot(cells, now, ()), snapshot(patch(cells, writes), now, ())
    return Transition(
        client, call, op, reply, before.only(STEP_READS, STEP_REPAIR), after.only(STEP_READS, STEP_REPAIR)
    )


def unhandled_errors(clients: Iterable[Sequence[CallView]]) -> list[Finding]:
    """The violations of `NO_UNHANDLED_EXCEPTION` among what is visible of clients."""
    return [
        Violation(NO_UNHANDLED_EXCEPTION, f"{call.name}({', '.join(map(_argument, call.args))}) raised {call.error}")
        for calls in clients
        for call in calls
        # A client that crashed by a fault has the same status, and no error.
        if call.status is Status.CRASHED and isinstance(call.error, UnhandledException)
    ]


def unhandled_after(outcomes: Iterable[Outcome]) -> list[Finding]:
    """The same for the calls of an aftermath."""
    raised = [outcome.error for outcome in outcomes if isinstance(outcome.error, UnhandledException)]
    return [Violation(NO_UNHANDLED_EXCEPTION, f"a call of the aftermath raised {error}") for error in raised]


def _argument(value: Hashable) -> str:
    return message_of(Exception(safe_repr(value.repository_id if isinstance(value, Repository) else value)))
