"""A store in a process of its own, which speaks the protocol ``exec:`` on its stdin and stdout.

A child that dies, hangs or speaks nonsense makes the operations that it had not answered indefinite, and says why. The
next operation starts it again; so does one after it was stopped with `restart`.

Example: a store in memory, slow to set "8", that exits when it is to set "7". An answer may take half a second.

    life   operation      what the child says                    what comes of it
    1      3: set "8"     nothing in time                        OutcomeUnknown: no answer within 0.5 s
    1      4: get         {"id": 3, "ok": {}}, which is late     passed over: no operation waits
                          {"id": 4, "ok": {"value": "OA==", ...  "8": the set has taken effect
    1      5: set "7"     its stdout ends                        OutcomeUnknown: it ended with exit code 3
    2      6: get         {"id": 6, "error": {"kind": ...        NotFound: this one begins empty
"""

import contextlib
import os
import shlex
import signal
import subprocess
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from typing import Final

import attrs
import trio

from lakeproof.impl.stores.base import OPAQUE, Answer, Store, Unsent
from lakeproof.model import kv
from lakeproof.stores.pooled import RESTART
from lakeproof.stores.protocol import LINE_MAX, Nonsense, Reply, answer, parse, request
from lakeproof.stores.redaction import Redaction, hide_secrets

ANSWER_SECONDS: Final = 10.0
_ANSWER: Final = '{"id": 1, "error": {"kind": "not_found"}}'
END_SECONDS: Final = 2.0
"""How long a child may take to end after its stdin was closed."""
_CHUNK: Final = 1 << 16


class NotStarted(ValueError):
    """There is no such program, it may not be run, or it does not speak the protocol."""


class NoProtocol(Exception):
    """Why what a program does is not the protocol."""


class Silent(NoProtocol):
    """There was no answer in time."""


@attrs.define(eq=False)
class _Waiting:
    """A request without an answer yet."""

    answered: trio.Event = attrs.field(factory=trio.Event)
    reply: Reply | None = None
    why: str = "no answer"
    """If there will be none."""


@attrs.define(eq=False)
class _Child:
    """One life of the process."""

    process: trio.Process
    """In a process group of its own: what it has started ends with it."""
    waiting: dict[int, _Waiting] = attrs.field(factory=dict)
    forgotten: set[int] = attrs.field(factory=set)
    """Requests whose answers no operation waits for any more."""
    sending: trio.Lock = attrs.field(factory=trio.Lock)
    gone: bool = False

    def receive(self, reply: Reply) -> None:
        """Raises Nonsense if there is no such request."""
        waiting = self.waiting.pop(reply.id, None)
        if waiting is not None:
            waiting.reply = reply
            waiting.answered.set()
        # An answer after the timeout is late, not wrong. Each id is forgotten once, so a second answer to it is
        # nonsense.
        elif reply.id not in self.forgotten:
            raise Nonsense(f"an answer to {reply.id}, without a request, or answered already")
        self.forgotten.discard(reply.id)

    def fail(self, why: str) -> None:
        """It sends nothing more, and it and what it has started are killed."""
        first, self.gone = not self.gone, True
        for waiting in self.waiting.values():
            waiting.why = why
            waiting.answered.set()
        self.waiting.clear()
        # What it has started may outlive it, with its number. Only once: later that may be the number of another group.
        if first:
            with contextlib.suppress(OSError):
                os.killpg(self.process.pid, signal.SIGKILL)


class ChildStore(Store):
    """Use `child_store` to open one.

    seconds: how long an answer may take; then its outcome is unknown, and the process lives on.
    """

    capabilities = frozenset({OPAQUE})  # a token of `get` may be anything but the value
    faults = frozenset({RESTART})

    def __init__(self, command: Sequence[str], nursery: trio.Nursery, seconds: float, dsn: str = "") -> None:
        self.command, self.seconds = tuple(command), seconds
        dsn = " ".join(dsn.split()) or f"exec:{' '.join(shlex.join(self.command).split())}"
        self.name = hide_secrets(dsn)
        self.nonsense = ""
        """The first line that was no answer at all, of any life, and what was expected."""
        self._redaction = Redaction([dsn])
        self.lives = 0
        self._nursery = nursery
        self._child: _Child | None = None
        self._starting = trio.Lock()
        self._number = 0

    async def start(self) -> None:
        """Raises NotStarted."""
        async with self._starting:
            # Many operations may meet a dead child at once. The lock lets the first one start a new life, and the
            # others use it.
            if self._child is None or self._child.gone:
                self._child = await self._started()

    async def greet(self) -> None:
        """Ask for a key, and have any answer that the protocol knows. Raises NotStarted, and the program is killed."""
        await self.start()
        try:
            with contextlib.suppress(kv.KVError):
                await self._ask(kv.Get(b"lakeproof", b"awake"))
        except NoProtocol as error:
            if self._child is not None:
                # Killed at once: a program that speaks something else need not end when its stdin is closed.
                self._child.fail("it does not speak the protocol")
            longer = ", or give it longer with --timeout" if isinstance(error, Silent) else ""
            raise NotStarted(
                f"{self.name}: does not speak the protocol exec: expected a line such as {_ANSWER} in answer to its "
                f"first request, got: {self._redaction.hide(str(error))}; see docs/targets.md{longer}"
            ) from error

    async def restart(self) -> str:
        """Kill the process, whatever it does. The next operation starts it again."""
        if self._child is None or self._child.gone:
            return "the process was down already"
        self._child.fail("the process was killed on request")
        return "the process killed"

    async def stop(self) -> None:
        """Close its stdin, and wait for its end; not for long."""
        child = self._child
        if child is None:
            return
        # A cancelled run must not leave the process behind, nor a zombie: both waits end, the second one after SIGKILL.
        with trio.CancelScope(shield=True):
            assert child.process.stdin is not None
            with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                await child.process.stdin.aclose()
            with trio.move_on_after(END_SECONDS):
                await child.process.wait()
            child.fail("closed")
            await child.process.wait()

    async def apply(self, op: kv.Op) -> Answer:
        return await self.perform(op)

    async def perform(self, op: kv.Op) -> Answer:
        """What is wrong with an operation, the implementation is to find out."""
        try:
            return await self._ask(op)
        except NoProtocol as error:
            raise kv.OutcomeUnknown(self._redaction.hide(f"{self.name}: {error}")) from error
        except kv.KVError as error:
            error.args = tuple(self._redaction.hide(str(word)) for word in error.args)
            raise

    async def _ask(self, op: kv.Op) -> Answer:
        """Raises KVError as the program says, and NoProtocol if there is no answer, or none that has a meaning."""
        self._number += 1
        number = self._number
        # Before the process is started: an operation that the protocol lacks is refused without one.
        line = request(number, op)
        try:
            await self.start()
        except NotStarted as error:
            raise Unsent(str(error)) from error
        child = self._child
        assert child is not None
        # Registered before the line is sent: the reader may see the answer before this task runs again.
        waiting = child.waiting[number] = _Waiting()
        try:
            with trio.move_on_after(self.seconds) as scope:
                await self._send(child, line)
                await waiting.answered.wait()
        finally:
            # On a timeout and on cancellation alike, the answer may still come.
            if child.waiting.pop(number, None) is not None and waiting.reply is None:
                child.forgotten.add(number)
        if waiting.reply is None:  # a reply in the same tick as the timeout counts
            if scope.cancelled_caught:
                raise Silent(f"no answer within {self.seconds:g} s")
            raise NoProtocol(waiting.why)
        try:
            return answer(op, waiting.reply)
        except Nonsense as error:
            raise NoProtocol(f"nonsense: {error}") from error

    async def _started(self) -> _Child:
        try:
            process = await trio.lowlevel.open_process(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
        except OSError as error:
            raise NotStarted(
                f"{self.name}: cannot be started: {error.strerror or error}; name a program, as in exec:python3 kv.py"
            ) from error
        self.lives += 1
        child = _Child(process)
        self._nursery.start_soon(self._read, child)
        return child

    async def _send(self, child: _Child, line: bytes) -> None:
        """A line goes out whole, or the child is done for."""
        assert child.process.stdin is not None
        async with child.sending:  # send_all may block half-way, where another line must not begin
            if child.gone:
                return
            whole = False
            try:
                # A cancelled operation finishes its line, for the rest of a line that was cut would run into the next
                # request.
                with trio.CancelScope(shield=True), trio.move_on_after(self.seconds):
                    await child.process.stdin.send_all(line)
                    whole = True
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return  # the reader finds out how it ended
            if not whole:
                child.fail(f"it read nothing for {self.seconds:g} s; killed")

    async def _read(self, child: _Child) -> None:
        try:
            async with contextlib.aclosing(_lines(child.process)) as lines:
                async for line in lines:
                    child.receive(parse(line))
        except Nonsense as error:
            self.nonsense = self.nonsense or self._redaction.hide(str(error))
            child.fail(f"nonsense: {error}; killed")
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass
        if not child.gone:  # its stdout has ended, and not by `fail`
            # The exit code explains the end best. A program that only closes stdout would be waited for in vain.
            with trio.move_on_after(END_SECONDS):
                await child.process.wait()
            code = child.process.returncode
            end = "" if code is None else f"exit code {code}" if code >= 0 else f"signal {-code}"
            child.fail(f"it ended with {end}" if end else "it closed its stdout")
        with trio.CancelScope(shield=True):
            await child.process.wait()


async def _lines(process: trio.Process) -> AsyncGenerator[bytes, None]:
    assert process.stdout is not None
    rest = bytearray()
    while True:
        chunk = await process.stdout.receive_some(_CHUNK)
        if not chunk:
            if rest:
                raise Nonsense(f"{bytes(rest[:100])!r}: the output ends within a line")
            return
        rest += chunk
        # Only where a line ends is the buffer split, else a long line would be copied for each chunk of it.
        if b"\n" in chunk:
            *lines, last = bytes(rest).split(b"\n")
            rest = bytearray(last)
            for line in lines:
                yield line
        if len(rest) > LINE_MAX:  # a program that never ends its line must not fill the memory
            raise Nonsense(f"a line of more than {LINE_MAX:,} bytes; expected one answer")


@contextlib.asynccontextmanager
async def child_store(
    command: Sequence[str], seconds: float = ANSWER_SECONDS, *, dsn: str = ""
) -> AsyncIterator[ChildStore]:
    """A store whose process lives as long as this. Raises NotStarted.

    dsn: how it was named, for messages, which show no secret of it.
    """
    failure: Exception | None = None
    async with trio.open_nursery() as nursery:
        store = ChildStore(command, nursery, seconds, dsn)
        try:
            await store.start()
            yield store
        except Exception as error:  # noqa: BLE001  # raised below, as itself and not as a group of one
            failure = error
        finally:
            await store.stop()
            nursery.cancel_scope.cancel()
    if failure is not None:
        raise failure
