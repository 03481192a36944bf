"""A process that runs flows: its life, and lines to and from it, each with a time limit.

Whatever the process does that is no line of the protocol makes it `ProgramFailed`: no verdict comes of it. A second
process, the guard, kills what is left when this one ends, however that ends.

Example: what a `ProgramLife` sends (->) and receives (<-). It has run flow 1; flow 2 begins with a known reply, "7".
The three lines are one write, and three answers are due.

    ->  {"reset":1}
    ->  {"start":2,"call":"copy","args":[],"options":{}}
    ->  {"flow":2,"effect":1,"ok":{"value":"Nw==","predicate":"Nw=="}}
    <-  {"reset": 1}
    <-  {"flow": 2, "effect": 1, "op": "get", "partition": "cA==", "key": "bg=="}
    <-  the end of its stdout

What follows is a `ProgramFailed`, 'it ended with exit code 3; the end of its stderr: "panic: no 7"'.
"""

import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from typing import Final

import attrs

from lakeproof.languages.protocol import LINE_MAX, Nonsense, greeting
from lakeproof.languages.reader import read_greeting
from lakeproof.scenario import ScenarioError
from lakeproof.search.fence import Hangs, Undecided, message_of

ANSWER_SECONDS: Final = 10.0
"""How long a program may take for its next line, unless its scenario says otherwise."""
START_SECONDS_MIN: Final = 20.0
"""At least so long it may take for its first line: some compile themselves."""
END_SECONDS: Final = 1.0
"""How long a process may take to end after it has closed its stdout, to learn its exit code."""
_CHUNK: Final = 1 << 16
_STDERR_KEPT: Final = 400

# `read` fails when lakeproof's end of the pipe closes, also that of a killed process. Blanks around each number keep
# `12` from being found in `312`.
_GUARD: Final = """
kept=" "
while read -r what group; do
  case $what in
    begun) kept="$kept$group " ;;
    ended) kept="${kept%% $group *} ${kept#* $group }" ;;
  esac
done
for group in $kept; do kill -KILL "-$group"; done
"""
"""Keeps the process groups that live; its stdin ends with lakeproof's process, and then it kills them."""


class ProgramFailed(Undecided):
    """A program that runs flows did not keep to the protocol: it ended, was silent, or sent nonsense."""


class NotStarted(ScenarioError):
    """There is no such program, or it may not be run."""


@attrs.frozen
class Command:
    """What is started: words, and the folder that it is started in. ``seconds``: for each line. ``stamps``: when the
    files among the words were written, so that a program that was built anew is another one."""

    words: tuple[str, ...]
    folder: str | None
    seconds: float
    stamps: tuple[int, ...] = ()

    @classmethod
    def as_it_is(cls, words: tuple[str, ...], folder: str | None, seconds: float) -> "Command":
        """The command with the files as they are now. Cost: a look at each word."""
        stamps = []
        for word in words:
            with contextlib.suppress(OSError, ValueError):  # most words name no file
                stamps.append(os.stat(os.path.join(folder or "", word)).st_mtime_ns)  # noqa: PTH116, PTH118  # each run
        return cls(words, folder, seconds, tuple(stamps))

    def __str__(self) -> str:
        return " ".join(self.words)


class _Guard:
    """The process that outlives this one."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def note(self, what: str, group: int) -> None:
        # A forked process has a guard of its own: that of its parent waits for the parent to end.
        if self._process is None or self._owner != os.getpid():
            self._owner = os.getpid()
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", _GUARD],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                start_new_session=True,  # out of reach of Ctrl-C in the terminal
            )
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # killed from outside: then it guards nothing more
            self._process.stdin.write(f"{what} {group}\n".encode())

    def dismiss(self) -> None:
        """End it, where nothing is left to guard."""
        if self._process is not None and self._owner == os.getpid():
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process.wait()
        self._process = None


GUARD: Final = _Guard()


class ProgramLife:
    """One life of a program. Lines go out whole and come in one at a time.

    Raises:
        NotStarted.
    """

    def __init__(self, command: Command) -> None:
        self.command = command
        self.number = 0
        """Of the flow that it was given last, which must be reset before the next one; 0: it was given none."""
        self.busy = False
        """Whether a line is due: what interrupts that leaves the process in an unknown state."""
        self.resets = True
        self._received = bytearray()
        self._stderr = b""
        self._mute = False
        """Whether it has closed its stderr."""
        try:
            self._process = subprocess.Popen(
                command.words,
                cwd=command.folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,  # a group of its own, for `killpg` and against Ctrl-C
            )
        except (OSError, ValueError) as error:
            where = "" if command.folder is None else f" in {command.folder}"
            raise NotStarted(
                f"program {command}{where}: cannot be started: {getattr(error, 'strerror', None) or error}; "
                f"build it first, and name it as a shell does"
            ) from error
        GUARD.note("begun", self._process.pid)
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._in, self._out, self._err = process.stdin.fileno(), process.stdout.fileno(), process.stderr.fileno()
        # Both pipes may be full at once. A call that blocks would wait for a program that waits for us.
        for file in (self._in, self._out, self._err):
            os.set_blocking(file, False)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)
        self._greeted = False

    def exchange(self, lines: Sequence[bytes]) -> Iterator[bytes]:
        """Send lines, all at once, and receive one in answer to each. The answers must be taken to the last one.

        Raises:
            ProgramFailed: there is no answer in time, or more than that.
        """
        self.busy = True
        try:
            self._send(b"".join(lines))
            for due in range(len(lines), 0, -1):
                line = self._line(self.command.seconds)
                if due == 1:
                    if self._received:  # more lines than were due
                        raise self.failed(f"{bytes(self._received[:80])!r} without a request; one line answers one")
                    self.busy = False
                yield line
        except Hangs:  # the watch over flows is more impatient than this program's limit
            raise self.failed("no line in time") from None

    def greet(self) -> None:
        """Wait for its first line, if that has not come yet. Raises ProgramFailed."""
        if self._greeted:
            return
        self.busy = self._greeted = True
        try:
            self._send(greeting())
            line = self._line(max(self.command.seconds, START_SECONDS_MIN))
            self.resets = read_greeting(line)
        except Hangs:
            raise self.failed("no line in time") from None
        except Nonsense as error:
            raise self.failed(f"does not speak the protocol flow: {error}; see docs/flow-protocol.md") from error
        self.busy = False

    def failed(self, what: str) -> ProgramFailed:
        """The error that says what it did, with the end of what it wrote to stderr. It is over."""
        self.close()
        written = " ".join(self._stderr[-_STDERR_KEPT:].decode(errors="replace").split())
        stderr = f'; the end of its stderr: "{written}"' if written else ""
        return ProgramFailed(message_of(Exception(f"program {self.command}: {what}{stderr}")))

    def close(self) -> None:
        """Kill it, with all that it has started. Never raises."""
        if self.over:
            return
        self._drain_stderr()  # what it wrote last says why it failed
        with contextlib.suppress(OSError):
            # The whole group: what the program has started would outlive it.
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        GUARD.note("ended", self._process.pid)
        for file in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert file is not None
            with contextlib.suppress(OSError):
                file.close()

    @property
    def over(self) -> bool:
        """Whether it was closed."""
        return self._process.stdin is None or self._process.stdin.closed

    def _send(self, content: bytes) -> None:
        deadline = time.monotonic() + self.command.seconds
        while content:
            try:
                content = content[os.write(self._in, content) :]
                continue
            except BlockingIOError:
                pass
            except OSError:  # it has closed its stdin, most often by ending
                raise self.failed(self._ended()) from None
            left = deadline - time.monotonic()
            if left <= 0:
                raise self.failed(f"it read nothing for {self.command.seconds:g} s")
            self._poll.register(self._in, select.POLLOUT)
            ready = self._poll.poll(left * 1000)
            self._poll.unregister(self._in)
            self._read([file for file, _ in ready if file != self._in])  # it may wait until its answers so far are read

    def _line(self, seconds: float) -> bytes:
        deadline, looked = 0.0, 0
        while True:
            end = self._received.find(b"\n", looked)
            if end >= 0:
                line = bytes(self._received[:end])
                del self._received[: end + 1]
                return line
            looked = len(self._received)  # only what comes now can have the line end
            if looked > LINE_MAX:
                raise self.failed(f"a line of more than {LINE_MAX:,} bytes")
            # The time begins when there is nothing left to read: what was sent ahead does not count against a line.
            deadline = deadline or time.monotonic() + seconds
            self._wait(deadline, seconds)

    def _wait(self, deadline: float, seconds: float) -> None:
        """Receive more, of whichever it writes to. Raises ProgramFailed."""
        left = deadline - time.monotonic()
        events = self._poll.poll(left * 1000) if left > 0 else []
        if not events:
            raise self.failed(f"no line within {seconds:g} s")
        self._read([file for file, _ in events])

    def _read(self, files: Sequence[int]) -> None:
        """Take what these have. Raises ProgramFailed: its stdout has ended."""
        for file in files:
            if file == self._err:
                self._drain_stderr()
                continue
            chunk = os.read(file, _CHUNK)
            if not chunk:
                rest = f" within the line {bytes(self._received[:80])!r}" if self._received else ""
                raise self.failed(f"{self._ended()}{rest}")
            self._received += chunk

    def _drain_stderr(self) -> None:
        """Keep the end of what it has written, so that a full pipe never blocks it."""
        with contextlib.suppress(OSError):
            for _ in range(0 if self._mute else 16):  # at most 1 MiB, also of one that never stops
                chunk = os.read(self._err, _CHUNK)
                if not chunk:
                    self._mute = True
                    self._poll.unregister(self._err)
                    return
                self._stderr = (self._stderr + chunk)[-_STDERR_KEPT:]

    def _ended(self) -> str:
        try:
            code = self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            return "it closed its stdin or stdout"
        return f"it ended with exit code {code}" if code >= 0 else f"it was ended by {signal.Signals(-code).name}"
