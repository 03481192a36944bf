"""Runs of flows, and the processes that they share.

A flow is a function of the replies that it has seen. So what it does after known replies is known, and a run begins
without a process: it answers from memory, as far as that goes. With the first reply that is new, or where the flow is
known to end, it takes a process, starts the flow there, sends all replies at once, and compares: what differs from
memory is an error. Each end, and each new step, is the doing of a process; a re-run takes one round trip.

Processes are taken in turn, two at least, so that what differs from one process to another (the order of a hash table,
say) shows as well. When more than CHILDREN_MAX are needed, the run that took its process first gives it away, and
begins in another one when it goes on.

Example: a flow reads, and writes what it has read. Four runs of it, and what each sends to a process at once:

    run  is answered       process     sends at once, in one round trip each
    1    "5", then ok      1, new      the start | "5" | ok
    2    "5", then ok      2, new      nothing, until it ends: then the start, "5" and ok; all is as before
    3    "5", is dropped   none        nothing: memory knows the read, and the write of "5"
    4    "6", then ok      1           nothing, until "6", which is new: a reset, the start and "6" | ok
"""

import atexit
import os
import weakref
from collections import OrderedDict, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from typing import Final

from lakeproof.languages import protocol
from lakeproof.languages.child import GUARD, Command, ProgramFailed, ProgramLife
from lakeproof.languages.protocol import Asks, Message, Mints, Nonsense, Opens, Raises, Returns
from lakeproof.languages.reader import read_acknowledgement, read_message
from lakeproof.search.execution import NondeterministicFlow

CHILDREN_MIN: Final = 2
"""Processes of one command that are used in turn."""
CHILDREN_MAX: Final = 8
"""Processes of one command, at most."""
NO_REPLY: Final = (0, "")  # what the first step of a flow follows on
KNOWN_MAX: Final = 200_000
"""Steps of flows that are remembered; then memory begins anew."""


Reply = tuple[int, str]
"""The number of an effect, and the reply to it."""


class ReplyTree:
    """What a flow does after some replies, and after further ones."""

    __slots__ = ("following", "message", "opened")

    def __init__(self, message: Message, opened: int) -> None:
        self.message = message
        self.opened = opened
        """How many effects the flow has requested, with those of this step."""
        self.following: dict[Reply, ReplyTree] = {}

    @property
    def ends(self) -> bool:
        return isinstance(self.message, Returns | Raises)


class Pool:
    """The processes of this process. Not for several threads at once."""

    def __init__(self) -> None:
        self._owner = os.getpid()
        self._idle: dict[Command, list[ProgramLife]] = defaultdict(list)
        # Weak: a run that is dropped must end, which gives its process back.
        self._lent: dict[Command, OrderedDict[int, weakref.ref[FlowRun]]] = defaultdict(OrderedDict)
        self._known: dict[tuple[Command, str, str], ReplyTree] = {}
        self._steps = 0
        self.started = 0
        """How many processes were started."""

    def take(self, command: Command, run: "FlowRun") -> ProgramLife:
        """A process for a run: an idle one, a new one, or that of the oldest other run. Raises NotStarted."""
        self._look_who_asks()
        lent, idle = self._lent[command], self._idle[command]
        if not idle and len(lent) >= CHILDREN_MAX:
            # It can begin again elsewhere, since memory has all its replies: that costs one round trip.
            _, oldest = lent.popitem(last=False)
            if (other := oldest()) is not None:
                other.give_away()
        # Two processes take turns even if one would do: what differs between them must show.
        new = not idle or len(idle) + len(lent) < CHILDREN_MIN
        child = self._new(command) if new else idle.pop(0)  # the one that has rested longest
        lent[id(run)] = weakref.ref(run)
        return child

    def known(self, command: Command, call: str, arguments: str) -> ReplyTree | None:
        """The beginning of a flow, if it is known."""
        self._look_who_asks()
        return self._known.get((command, call, arguments))

    def learn(self, message: Message, run: "FlowRun", after: ReplyTree | None, reply: Reply) -> ReplyTree:
        """Remember a step: the first one of a run, or what follows a reply after a known one."""
        self._steps += 1
        if self._steps > KNOWN_MAX:
            # Runs that are under way keep the steps of their own path.
            self._known, self._steps = {}, 1
        found = ReplyTree(message, protocol.count_opened(message) + (0 if after is None else after.opened))
        if after is None:
            self._known[run.what] = found
        else:
            after.following[reply] = found
        return found

    def _look_who_asks(self) -> None:
        if self._owner != os.getpid():  # a fork: the processes are the parent's
            self.__init__()  # type: ignore[misc]  # to begin anew is what is meant

    def give_back(self, command: Command, run: "FlowRun", child: ProgramLife) -> None:
        """A run needs its process no more."""
        self._lent[command].pop(id(run), None)
        if self._owner != os.getpid() or child.over:
            return
        # A line that is due would be taken for the answer to the next request.
        if child.busy or not child.resets or len(self._idle[command]) >= CHILDREN_MAX:
            child.close()
        else:
            self._idle[command].append(child)
        if not child.resets and not self._idle[command]:
            self._idle[command].append(self._new(command))  # ahead: it starts while the search goes on

    def end_idle(self, command: Command) -> None:
        """End the processes of a command that wait: another one of it has failed."""
        idle = self._idle[command]
        while idle:
            idle.pop().close()

    def close(self) -> None:
        """End all processes, also those that are lent."""
        if self._owner != os.getpid():
            return
        for lent in self._lent.values():
            for ref in list(lent.values()):
                if (run := ref()) is not None:
                    run.give_away()
            lent.clear()
        self._known, self._steps = {}, 0
        for idle in self._idle.values():
            while idle:
                idle.pop().close()
        GUARD.dismiss()

    def _new(self, command: Command) -> ProgramLife:
        self.started += 1
        return ProgramLife(command)


POOL: Final = Pool()
atexit.register(POOL.close)


class FlowRun:
    """One run of a flow. ``arguments``: of `lakeproof.languages.protocol.arguments`.

    Raises:
        NotStarted: there is no such program.
        ProgramFailed: it did not keep to the protocol.
        NondeterministicFlow: it did not do again what it did before.
    """

    def __init__(self, command: Command, call: str, arguments: str) -> None:
        self.what = (command, call, arguments)
        self._child: ProgramLife | None = None
        self._replies: list[Reply] = []
        self._path: list[ReplyTree] = []
        begun = POOL.known(*self.what)
        # An end is never taken from memory alone: in each run a process must come to it again.
        if begun is None or begun.ends:
            self._catch_up()
        else:
            self._path.append(begun)
            self.now = begun.message

    now: Message
    """What the flow waits for, or how it ended."""

    @property
    def state_key(self) -> Hashable:
        """The state that the flow says it is in; None where it does not say."""
        key = self.now.state_key if isinstance(self.now, Asks) else None
        return None if key is None else (self.what, key)  # of this call: states of two calls are not compared

    def answer(self, number: int, reply: str) -> None:
        """Answer an effect that the flow waits for; `now` is what it does then."""
        known = self._path[-1].following.get((number, reply))
        self._replies.append((number, reply))
        if self._child is not None:
            (line,) = self._exchanged(self._child, [protocol.answer(self._child.number, number, reply)])
            self._hear(self._child, line, len(self._replies))
        # No process is at this point. All replies go out together, and what comes back is compared with memory.
        elif known is None or known.ends:
            self._catch_up()
        else:
            self._path.append(known)
            self.now = known.message

    def answer_last(self, reply: str) -> None:
        """Answer the one effect that the flow waits for."""
        assert isinstance(self.now, Asks)
        self.answer(self.now.number, reply)

    def give_away(self) -> None:
        """Let another run have the process. This one can go on later, or never."""
        child, self._child = self._child, None
        if child is not None:
            POOL.give_back(self.what[0], self, child)

    def __del__(self) -> None:
        """A run that is dropped is over."""
        if getattr(self, "_child", None) is not None:
            self.give_away()

    def _catch_up(self) -> None:
        """Take a process, and the flow in it to where this run is: all replies are sent at once."""
        command, call, arguments = self.what
        child = self._child = POOL.take(command, self)
        try:
            child.greet()
        except ProgramFailed as error:
            raise self._named(error) from None
        lines = [protocol.reset(child.number)] if child.number else []  # the flow that the process ran before
        resets = len(lines)
        child.number += 1  # late lines of the flow before have another number
        lines.append(protocol.start(child.number, call, arguments))
        lines += [protocol.answer(child.number, number, reply) for number, reply in self._replies]
        # Answers to the reset come before 0, the first step is at 0, and what follows reply n is at n.
        for at, line in enumerate(self._exchanged(child, lines), start=-resets):
            if at >= 0:
                self._hear(child, line, at)
                continue
            try:
                read_acknowledgement(line, child.number - 1)  # the flow before this one
            except Nonsense as error:
                raise self._failed(child, str(error)) from error

    def _exchanged(self, child: ProgramLife, lines: list[bytes]) -> Iterator[bytes]:
        try:
            yield from child.exchange(lines)
        except ProgramFailed as error:
            raise self._named(error) from None

    def _hear(self, child: ProgramLife, line: bytes, at: int) -> None:
        """What the flow does after so many replies: something new, or what it did before."""
        # At 0 there is no step before.
        after, reply = (self._path[at - 1], self._replies[at - 1]) if at else (None, NO_REPLY)
        opened = 0 if after is None else after.opened
        try:
            message = read_message(line, child.number, opened + 1)
            _fits(message, self._open_tasks(at) if opened > at else [])  # each reply has closed one
        except Nonsense as error:
            raise self._failed(child, str(error)) from error
        known = POOL.known(*self.what) if after is None else after.following.get(reply)
        # Its own path first: the memory of all runs may have begun anew since.
        known = self._path[at] if at < len(self._path) else known or POOL.learn(message, self, after, reply)
        if known.message != message:
            # None of the processes is trusted any more: which one was right is not known.
            child.close()
            POOL.end_idle(self.what[0])
            raise NondeterministicFlow(
                f"{self.what[1]} of program {self.what[0]} is not deterministic: after the same replies it "
                f"{_describe_line(message)}, and before {_describe_line(known.message)}. A flow may only use "
                f"env: no clock, random or order "
                f"of maps"
            )
        if at == len(self._path):
            self._path.append(known)
        self.now = message

    def _open_tasks(self, at: int) -> list[str]:
        """The tasks whose effects are open after so many replies."""
        answered = {number for number, _ in self._replies[:at]}
        lines = [step.message for step in self._path[:at] if isinstance(step.message, Opens)]
        return [task for line in lines for task, each in line.effects if each.number not in answered]

    def _failed(self, child: ProgramLife, what: str) -> ProgramFailed:
        return self._named(child.failed(what))

    def _named(self, error: ProgramFailed) -> ProgramFailed:
        """The error, with the flow that it happened in."""
        POOL.end_idle(self.what[0])
        effects = len(self._replies)
        return ProgramFailed(f"{error} (in {self.what[1]}, after {effects} effect{'' if effects == 1 else 's'})")


def _fits(message: Message, open_tasks: Sequence[str]) -> None:
    """Raises Nonsense: the flow goes on or ends as if no other effect were open, or waits although none is."""
    if isinstance(message, Opens):
        if not message.effects and not open_tasks:
            raise Nonsense("nothing is open, and the flow neither asks for an effect nor ends")
        for task, _ in message.effects:
            if task in open_tasks:
                raise Nonsense(f"task {task!r} asks for a second effect, and its first is open; expected one at a time")
    elif open_tasks:
        effects = "1 effect is" if len(open_tasks) == 1 else f"{len(open_tasks)} effects are"
        raise Nonsense(f"the flow {_describe_line(message)}, and {effects} open; wait for all tasks of a group")


def _describe_line(message: Message) -> str:
    match message:
        case Opens():
            return ", ".join(f"{_describe_line(each)} in task {task}" for task, each in message.effects) or "waited"
        case Asks():
            return f"requested {message.effect!r}{'' if message.state is None else f' in the state {message.state}'}"
        case Mints():
            return f"requested a fresh {message.kind!r}"
        case Returns():
            return f"returned {message.value!r}"
        case Raises():
            return f"raised {message.kind} ({message.message!r})"
