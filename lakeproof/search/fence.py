"""The fence around user code: flows, invariants, observers, the file that they are in.

What such code does must not become a verdict by accident. It may raise anything (SystemExit, CancelledError), loop
without end, or await what is no effect. Here is what the search needs to say so: the line, in words that are the same
on every run; and a watch that ends a loop.

The watch is a timer of the process: its handler runs in the main thread between two instructions of the code that it
watches, and raises `Hangs` there if that code was entered too long ago. In other threads nothing is watched.

Example: a flow waits in ``while not done: pass``. After `CALL_SECONDS_MAX` it is interrupted, and all that is not
decided by then is inconclusive: "mine.py:7: runs on without an effect for more than 30 s". What an exception says is
shown without the addresses of objects, which differ from run to run; its ``__str__`` is user code and may raise, too.

>>> in_one_line(ValueError("no such row", object()))
"ValueError: ('no such row', <object object>)"
>>> class Odd(Exception):
...     def __str__(self) -> str:
...         raise KeyError
>>> in_one_line(Odd())
'Odd: (its __str__ raises KeyError)'
"""

import inspect
import os
import re
import signal
import threading
import time
import warnings
from array import array
from collections.abc import AsyncGenerator, Coroutine, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import FrameType
from typing import Any, Final

from lakeproof.impl.frames import COLLECTOR, Spot, awaitable_name, is_protected, raised_at, running_at, spot
from lakeproof.impl.printable import printable, safe_repr
from lakeproof.search.board import Board

CALL_SECONDS_MAX: Final = 30.0
"""How long a flow may run from one effect to the next, or an invariant on one state, unless a limit is shorter."""

LOAD_SECONDS_MAX: Final = 60.0
"""How long a file with scenarios may take to execute."""

HUNG: Final = -signal.SIGVTALRM
"""How a process ended whose code could not be interrupted, as of `subprocess`: by a signal, since that code may exit
with any number."""

SWALLOWED_MAX: Final = 10
"""So often code may catch `Hangs` before its process is ended."""

_TICK_SECONDS: Final = 0.2
_ADDRESS: Final = re.compile(r" at 0x[0-9a-fA-F]+")
_MESSAGE_MAX: Final = 300


class NotAnEffect(Exception):
    """A flow awaited something other than what ``env`` offers. The message says what; ``place`` is ``FILE:LINE``."""

    def __init__(self, place: str, message: str) -> None:
        super().__init__(place, message)
        self.place = place

    def __str__(self) -> str:
        return str(self.args[1])


class Undecided(BaseException):
    """User code did what allows no verdict: what is not decided by then is inconclusive. The message says what it did.
    BaseException: the code itself must not take it for an answer."""


class Hangs(Undecided):
    """User code ran for too long without an effect."""

    def __init__(self, seconds: float, place: str) -> None:
        super().__init__(seconds, place)

    def __str__(self) -> str:
        seconds, place = self.args
        return f"{place}: runs on without an effect for more than {seconds:g} s; end the loop, or await env in it"


class Watch:
    """Notices that user code does not come back. One for the process."""

    def __init__(self) -> None:
        self.board: Board = array("d", (0.0, CALL_SECONDS_MAX))
        """Where another process may read it."""
        self._limit_seconds = CALL_SECONDS_MAX
        self._entered: float | None = None
        self._ticks = 0
        self._outermost = _Outermost(self)

    @property
    def since(self) -> float | None:
        """When the code that runs now was entered; None: none does."""
        return self.board[0] or None

    @since.setter
    def since(self, entered: float | None) -> None:
        self.board[0] = entered or 0.0

    @contextmanager
    def set_up(self, limit_seconds: float) -> Iterator[None]:
        """Watch all user code that is entered within. No more than a note of the limit outside the main thread."""
        before, self._limit_seconds = self._limit_seconds, limit_seconds
        self.board[1] = limit_seconds
        # Python lets only the main thread set handlers of signals, and runs them there.
        if threading.current_thread() is not threading.main_thread():
            try:
                yield
            finally:
                self._limit_seconds = before
            return
        # SIGALRM ends a process that has no handler for it: the handler comes before the timer, and goes after it.
        handler = signal.signal(signal.SIGALRM, self._ticked)
        timer = signal.setitimer(signal.ITIMER_REAL, _TICK_SECONDS, _TICK_SECONDS)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, *timer)
            signal.signal(signal.SIGALRM, handler)
            self._limit_seconds = before

    def _ticked(self, _: int, frame: FrameType | None) -> None:
        since = self.since
        # Another stretch of code than at the last tick: its time begins now. Up to one tick is not counted.
        if since is None or since != self._entered:
            self._entered, self._ticks = since, 0
            return
        self._ticks += 1  # not the time that has passed: Ctrl-Z stops the process, and nothing runs meanwhile
        # How many ticks past the limit: Hangs is raised at each of them, as the code may catch it.
        over = self._ticks - int(self._limit_seconds / _TICK_SECONDS)
        if over <= 0:
            return
        hangs = Hangs(self._limit_seconds, _place(running_at(frame)))
        if over > SWALLOWED_MAX:  # it catches every exception: nothing but its process can be ended
            # Not print: the handler may have interrupted one, whose buffer must not be entered twice.
            os.write(2, f"lakeproof: {hangs}, and take every exception for an answer no more\n".encode())
            signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGVTALRM)
        raise hangs

    def over(self) -> AbstractContextManager[None]:
        """Code of the user's runs within. May be nested: the outermost counts."""
        # The innermost would end the watch of the others when it is left.
        return self._outermost if self.since is None else _NESTED


class _Outermost(AbstractContextManager[None]):
    """Entered for each answer of an invariant, so it is no generator, which takes five times as long."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    def __enter__(self) -> None:
        self._watch.since = time.monotonic()

    def __exit__(self, *_: object) -> None:
        self._watch.since = None


_NESTED: Final = nullcontext()
WATCH: Final = Watch()


class Forgotten:
    """Notices what a flow drops: coroutines that it made and did not await, generators that it left half-way. What they
    would do never takes place. What the collector frees was dropped earlier, by a run that is over."""

    def __init__(self) -> None:
        self.found = ""
        """What was dropped last, in words for a message."""
        self.listening = False
        """Whether a flow is under way, or being cleared up at its end: what is dropped now is its doing."""

    def generator(self, dropped: AsyncGenerator[Any, Any]) -> None:  # type: ignore[explicit-any]  # as sys has it
        """An asynchronous generator of a flow was dropped half-way. Nothing of it runs any more; an event loop would
        run the rest of it at some time."""
        # What the collector frees may be of an earlier run; and a generator that has nothing left to run loses nothing.
        # Those that it holds are not meant: each that goes with it is dropped by itself.
        if self.listening and not COLLECTOR.collects and is_protected(dropped, unknown=False):
            name = getattr(dropped, "__qualname__", "a generator")
            self.found = f"leaves {name} half-way, whose rest is not run; close it: aclosing(...)"

    @contextmanager
    def noticed(self) -> Iterator[None]:
        """Take in what Python would warn of. What comes of abandoned clients is no mistake."""
        before = getattr(warnings, _HOOK, None)
        # In place of the function that warns: a filter of warnings would do, if flows could not set filters, too.
        setattr(warnings, _HOOK, self._coroutine)
        try:
            yield
        finally:
            setattr(warnings, _HOOK, before)

    def _coroutine(self, dropped: Coroutine[Any, Any, Any]) -> None:  # type: ignore[explicit-any]
        # Outside of user code, the search itself drops coroutines: those of the clients that it abandons.
        if WATCH.since is not None and not COLLECTOR.collects:
            frame = inspect.currentframe()
            at = running_at(frame.f_back if frame else None)  # None: its flow has ended, and all that it holds goes
            place = "" if at is None else f" (dropped at {at})"
            name = getattr(dropped, "__qualname__", "a coroutine")
            self.found = f"never awaits {name}{place}: it has not taken place; write await"


# CPython looks this function up by its name when it frees a coroutine that never ran.
_HOOK: Final = "_warn_unawaited_coroutine"

FORGOTTEN: Final = Forgotten()


class Interrupts:
    """Tells a Ctrl-C from a KeyboardInterrupt that user code raised."""

    def __init__(self) -> None:
        self.came = False

    @contextmanager
    def noticed(self) -> Iterator[None]:
        """Note that Ctrl-C was pressed, before it is raised as usual."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.getsignal(signal.SIGINT)
        # Another handler is there (ours, of an outer `noticed`, or of an event loop): it stays in charge.
        if before is not signal.default_int_handler:
            yield
            return

        def note(number: int, frame: FrameType | None) -> None:
            # Before the exception: a flow that catches every exception must not take a Ctrl-C for an answer of its own.
            self.came = True
            signal.default_int_handler(number, frame)

        self.came = False  # one that an earlier search has noted says nothing of this one
        signal.signal(signal.SIGINT, note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


INTERRUPTS: Final = Interrupts()


def is_ours(error: BaseException) -> bool:
    """Whether an exception that comes out of user code is not of that code: Ctrl-C, no memory left, or no verdict."""
    # A flow may raise KeyboardInterrupt itself: then it is what the call ended with, like any other exception.
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTS.came
    return isinstance(error, MemoryError | Undecided)


def is_definite(error: Exception) -> bool | None:
    """What its class says of a failed call: whether nothing has happened; None: it is no answer."""
    try:
        found = getattr(error, "definite", None)
    except Exception as odd:  # a property of it is user code, too
        if is_ours(odd):
            raise
        found = None
    return found if isinstance(found, bool) else None


def kind_of(error: BaseException) -> str:
    """The name of an exception's class, without its module."""
    kind = type(error)
    return kind.__qualname__ if kind.__module__ in ("builtins", "__main__") else kind.__name__


def message_of(error: BaseException) -> str:
    """What an exception says, on one line, without what differs from run to run. Never raises."""
    try:
        text = str(error)
    except Exception as odd:  # noqa: BLE001  # its __str__ is user code, too
        text = f"(its __str__ raises {type(odd).__name__})"
    line = printable(_ADDRESS.sub("", " ".join(text.split())))  # an address differs from run to run
    return line if len(line) <= _MESSAGE_MAX else f"{line[: _MESSAGE_MAX - 3]}..."


def in_one_line(error: BaseException) -> str:
    """``Kind: message``."""
    return f"{kind_of(error)}: {message_of(error)}".removesuffix(": ")


def place_of(error: BaseException) -> str:
    """``FILE:LINE`` of the code that raised an exception."""
    return _place(raised_at(error))


def foreign(coroutine: object, yielded: object) -> NotAnEffect:
    """What to say of a coroutine that is suspended at something that is no effect."""
    what = awaitable_name(coroutine)
    handed = "" if yielded is None else f" (which yielded {message_of(Exception(safe_repr(yielded)))})"
    return NotAnEffect(
        _place(spot(coroutine)),
        f"the flow awaits {what}{handed}; a flow may only await what env offers: env.store, env.objects, env.clock. "
        f"Leave it out: each effect is a schedule point, and time passes by env.clock.sleep, or by clock_jumps",
    )


def _place(at: Spot | None) -> str:
    return "an unknown line" if at is None else str(at)
