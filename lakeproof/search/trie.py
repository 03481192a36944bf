"""The parts of a behaviour trie: histories of replies, and the classes that they are merged into."""

from collections.abc import Hashable, Sequence

import attrs

from lakeproof.impl.effects import Effect, Local
from lakeproof.impl.parallel import MAIN
from lakeproof.model.identity import Exact, identity
from lakeproof.model.snapshot import CallView, Status
from lakeproof.search.execution import Answered, Execution, Program
from lakeproof.search.observers import observe_effect
from lakeproof.search.replies import RESTARTED, TaskReply
from lakeproof.search.semantics import Cells

Suffix = Exact
"""Replies (a tuple) that are played to a node to see what it does."""

NO_REPLIES: Suffix = Exact(())


def seen_of(calls: Sequence[CallView]) -> tuple[Hashable, ...]:
    """The identity of what is visible of a client: of arguments, too, which a flow may have changed."""
    return tuple([(call.name, call.status, _call_identity(call)) for call in calls])


def _call_identity(call: CallView) -> Hashable:
    return identity((call.args, call.value, call.error, call.observed))


class Raw:
    """A history of replies, as a node of the trie: what the client asks for next, and what it has answered so far."""

    __slots__ = ("asks", "began", "begins", "broken", "calls", "crashed_calls", "crashed_visible", "current",
                 "depth", "exact", "index", "kept", "minted", "minted_alone", "names", "observed", "op",
                 "open", "parent", "reply", "signatures", "tasks", "visible")  # fmt: skip

    def __init__(self, run: Execution, parent: "Raw | None", reply: object) -> None:
        self.parent = parent
        self.reply = reply
        # For `Execution.follow`, which sends known replies past `send`; where there are tasks, `send` itself observes.
        op = None if parent is None or isinstance(reply, TaskReply) or reply is RESTARTED else parent.op
        shown = run.program.observers and op is not None and type(op) is not Local
        self.observed = observe_effect(op, reply) if op is not None and shown else None
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.op: Effect | None = run.op
        self.open = run.open
        self.asks: Hashable = run.asks
        self.begins = run.begins and run.op is not None  # no call begins at the end
        self.index = run.index
        self.began: int = parent.began if parent is not None and parent.index == run.index else self.depth
        """The depth at which the call under way began."""
        self.exact: Hashable = None
        """The exact state that the client is in, where that was compared: see `Automaton`."""
        self.calls: tuple[CallView, ...] = tuple(run.finished)
        # A call that has performed no effect is invisible: a crash at this point shows nothing of it.
        self.crashed_calls = self.calls
        self.current: CallView | None = run.current_view() if run.op is not None else None
        self.broken = run.broken
        self.kept = run.kept
        self.names = tuple(run.mint.names)
        self.minted = run.mint.used
        self.minted_alone = False
        """Whether it mints an identifier when it runs on alone."""
        self.tasks = [task for task, _ in self.open if task != MAIN]
        # Views hold what flows return and raise: values are compared by identity, never by ==. Effects and replies hold
        # exact types only (see `lakeproof.impl.wellformed`): they may be keys as they are.
        seen = seen_of(self.calls)
        self.visible: Hashable = seen
        self.crashed_visible: Hashable = seen
        if self.current is not None:
            name, key = self.current.name, _call_identity(self.current)
            if not run.begins:
                self.calls = (*self.calls, self.current)
                self.crashed_calls = (*self.crashed_calls, attrs.evolve(self.current, status=Status.CRASHED))
                self.visible = (*seen, (name, Status.PENDING, key))
                self.crashed_visible = (*seen, (name, Status.CRASHED, key))
        self.signatures: dict[Suffix, Hashable] = {}  # by experiment: what it does then

    @property
    def effects(self) -> int:
        """How many the call under way has performed."""
        return self.depth - self.began

    def history(self) -> list[Answered]:
        """What was requested and answered, oldest first."""
        path: list[Answered] = []
        node = self
        # Not a recursion: histories may be longer than Python's stack.
        while node.parent is not None:
            path.append((node.parent.asks, node.reply, node.observed))
            node = node.parent
        return path[::-1]


@attrs.define(eq=False)
class Trie:
    """The histories of one program that were run so far, from its first effect on.

    What a flow asks for after a history depends on its program alone; what it does then alone, on the store as the
    setup left it, and on the clock. So a search that starts over, with other merges or none, need not run them again.
    Flows may change between searches: a trie serves one.
    """

    program: Program
    cells: Cells
    now: int
    root: Raw | None = None
    children: dict[tuple[Raw, object], Raw] = attrs.field(factory=dict, repr=False)
    """By history and reply, which is exact. Not in the histories: with their parents they would be cycles, and a search
    would leave its largest part to the garbage collector."""


class Node:
    """A class of raw nodes with, as far as anybody has seen, the same future."""

    __slots__ = ("broken", "calls", "children", "crashed", "id", "key", "members", "op", "open", "rank",
                 "representative", "visible")  # fmt: skip

    def __init__(self, node_id: int, key: Hashable, representative: Raw, rank: int, crashed: bool) -> None:
        self.id = node_id
        self.key = key
        self.rank = rank
        self.representative = representative
        self.members: list[Raw] = [representative]
        self.children: dict[object, int] = {}
        self.crashed = crashed
        # The representative of a crashed client still waits; this client does not.
        self.op: Effect | None = None if crashed else representative.op
        """The effect that the client waits for, the first one if several are open; None at its end."""
        self.open: tuple[tuple[str, Effect], ...] = () if crashed else representative.open
        """All effects that it waits for, by task."""
        self.calls = representative.crashed_calls if crashed else representative.calls
        """What is visible of the client: its calls so far."""
        self.visible = representative.crashed_visible if crashed else representative.visible
        """The identity of `calls`."""
        self.broken = representative.broken and not crashed
        """Whether the client ended here by raising what is no answer."""

    def effect(self, task: str) -> Effect | None:
        """The open effect of a task; None if it waits for none."""
        return next((op for name, op in self.open if name == task), None)

    @property
    def restarts(self) -> bool:
        """Whether the client can restart here: also where it has ended, if no exception has ended it."""
        return self.representative.kept != () and not self.crashed and not self.broken
