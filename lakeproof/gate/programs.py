"""The processes of a program under test: started once, called many times, killed and started anew for a crash."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from random import SystemRandom
from typing import Final

import attrs
import trio

from lakeproof.gate.arrivals import READ_BYTES, Arrivals, write_all
from lakeproof.gate.fronts.http import listening
from lakeproof.gate.quiet import kill_all
from lakeproof.words import Unusable

READY_SECONDS: Final = 60.0
READY_POLL_SECONDS: Final = 0.02
ENDING_SECONDS: Final = 1.0
"""For a call to end by itself whose result is not waited for any more."""
PORTS: Final = range(20_000, 32_768)
"""For services. Below those that systems give to connections, and to who asks for any: these come and go."""
_TURN: Final = count(SystemRandom().randrange(len(PORTS)))
"""Whose turn it is. One after the other, as services that start at the same time have not bound theirs yet; from chance
on, as other gates begin elsewhere, with the same seed, too."""
PASSED_ON: Final = (
    *("PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "SYSTEMROOT"),
    *("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "VIRTUAL_ENV", "JAVA_HOME", "LAKEPROOF_LAKEFS"),
)
"""The variables of this process that those of a program have, too. All others are left out, such as proxies and the
accounts of a user at Amazon; the scenario may name more."""
FIXED: Final = {
    "PYTHONHASHSEED": "0",
    "TZ": "UTC",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
}
"""The same in each run, so that a program does the same."""

_ADOPTER: Final = str(Path(__file__).with_name("adopter.py"))
_LINUX: Final = sys.platform == "linux"


class ProgramError(Unusable):
    """A process did not start, died, or answered something else than a line of JSON. One line."""


@attrs.frozen
class Returned:
    """How a call ended."""

    value: object = None
    error: str = ""
    """The type of what it raised; empty: it returned."""
    message: str = ""

    @property
    def ok(self) -> bool:
        return not self.error


def environment_of(own: Mapping[str, str]) -> dict[str, str]:
    """All variables of a process. own: of its client."""
    # The client's own come last, and so may replace what is fixed.
    return {name: os.environ[name] for name in PASSED_ON if name in os.environ} | FIXED | dict(own)


class _Killable:
    """A process that leads a group of its own, once it is started."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.environment = dict(environment)
        self._process: trio.Process | None = None

    @property
    def pids(self) -> tuple[int, ...]:
        """Of what runs for its client."""
        return () if self._process is None else (self._process.pid,)

    @property
    def code(self) -> int | None:
        """With which it has ended; None: it has not."""
        return None if self._process is None else self._process.poll()

    async def _open(self, command: Sequence[str], pipe: int) -> None:
        """Start it, below a process that adopts what outlives it. pipe: what its stdin and its stdout are."""
        variables = environment_of(self.environment)
        adopter = (sys.executable, "-IS", _ADOPTER, variables.get("LC_CTYPE", "")) if _LINUX else ()
        # In a session of its own: Ctrl-C is for the gate, which ends its processes.
        self._process = await trio.lowlevel.open_process(
            [*adopter, *command], stdin=pipe, stdout=pipe, env=variables, start_new_session=True
        )

    def crash(self) -> None:
        """Kill it. A call under way raises ProgramError."""
        if self._process is not None:
            kill_all(self._process.pid)

    async def kill(self) -> None:
        """Kill it, and wait until it is gone."""
        process, self._process = self._process, None
        if process is None:
            return
        kill_all(process.pid)
        # Also when the gate is cancelled: a process that was not waited for stays as a zombie.
        with trio.CancelScope(shield=True):
            await process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    await pipe.aclose()


class ClientProcess(_Killable):
    """One process, as one client. Its calls run one after the other."""

    def __init__(
        self, file: Path, environment: Mapping[str, str], arrivals: Arrivals, service: "Service | None" = None
    ) -> None:
        super().__init__(environment)
        self.file = file
        self.arrivals = arrivals
        """Where what it returns is seen before it is read."""
        self.service = service
        self._rest = b""

    @property
    def pids(self) -> tuple[int, ...]:
        return super().pids if self.service is None else (*super().pids, *self.service.pids)

    @property
    def ended(self) -> str:
        """Which process has ended by itself, and how; empty: none."""
        if self.service is not None and self.service.code is not None:
            return f"{' '.join(self.service.command)}: the service ended with code {self.service.code}"
        return "" if self.code is None else f"{self.file}: the process ended with code {self.code}"

    async def start(self) -> None:
        """Start the processes and wait until the file is loaded, and the service listens.

        Raises:
            ProgramError: one has not.
        """
        if self.service is not None:
            self.environment["SERVICE_URL"] = await self.service.start()
        served = () if self.service is None else self.service.pids
        command = [sys.executable, "-m", "lakeproof.gate.child", str(self.file), *map(str, served)]
        await self._open(command, subprocess.PIPE)
        with trio.move_on_after(READY_SECONDS) as scope:
            await self._line()
        if scope.cancelled_caught:
            await self.kill()
            raise ProgramError(f"{self.file}: not loaded within {READY_SECONDS:g} s")

    async def call(self, name: str, args: tuple[object, ...]) -> Returned:
        """Call a function of the file.

        Raises:
            ProgramError: the process died.
        """
        process = self._process
        if process is None or process.stdin is None:
            raise ProgramError(f"{self.file}: the process is not running")
        line = json.dumps({"call": name, "args": args}) + "\n"
        try:
            await write_all(_number(process.stdin), line.encode())
        except BrokenPipeError:
            raise ProgramError(f"{self.file}: the process has died before {name}") from None
        answer = await self._line()
        if "error" in answer:
            return Returned(error=str(answer["error"]), message=str(answer.get("message", "")))
        return Returned(value=answer.get("ok"))

    async def _line(self) -> dict[str, object]:
        process = self._process
        assert process is not None
        assert process.stdout is not None
        pipe = _number(process.stdout)
        # What a call has returned is unread until it is read here: until then the program is not quiet.
        self.arrivals.expect(pipe)
        try:
            while b"\n" not in self._rest:
                await trio.lowlevel.wait_readable(pipe)
                more = os.read(pipe, READ_BYTES)
                if not more:
                    await process.wait()  # a process closes its pipes before it has ended
                    raise ProgramError(f"{self.file}: the process ended with code {process.returncode}")
                self._rest += more
        finally:
            self.arrivals.ignore(pipe)
        line, _, self._rest = self._rest.partition(b"\n")
        try:
            found = json.loads(line)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise ProgramError(f"{self.file}: the process answered {line[:80]!r}, not an object in JSON")
        return found

    async def ends(self) -> bool:
        """Whether a call that was given up ends soon."""
        with trio.move_on_after(ENDING_SECONDS), suppress(ProgramError):
            await self._line()
            return True
        return False

    def crash(self) -> None:
        if self.service is not None:
            self.service.crash()
        super().crash()

    async def restart(self) -> None:
        """End the processes, and start them anew."""
        await self.kill()
        await self.start()

    async def kill(self) -> None:
        if self.service is not None:
            await self.service.kill()
        # It is of a process that ends, and must not be taken for an answer of the next one.
        self._rest = b""
        await super().kill()


class Service(_Killable):
    """A server that works for one client: a command, and the port that it is given."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        super().__init__(environment)
        self.command = tuple(command)

    async def start(self) -> str:
        """Start it, and wait until it listens. Returns its address.

        Raises:
            ProgramError: it cannot be started, ends, or does not listen in time.
        """
        port = _free_port()
        # The interpreter of the gate, whose packages the service may import, and not the first one of PATH.
        words = [sys.executable if each == "python" else each.replace("{port}", str(port)) for each in self.command]
        if shutil.which(words[0], path=environment_of(self.environment).get("PATH")) is None:
            raise ProgramError(f"{words[0]}: the service cannot be started: no such program")
        await self._open(words, subprocess.DEVNULL)
        with trio.move_on_after(READY_SECONDS):
            while self.code is None:
                try:
                    # A connection is enough. A request might be one that the service acts on.
                    await (await trio.open_tcp_stream("127.0.0.1", port)).aclose()
                except OSError:
                    await trio.sleep(READY_POLL_SECONDS)
                    continue
                return f"http://127.0.0.1:{port}"
        code = self.code
        await self.kill()
        mute = f"does not listen on port {port} after {READY_SECONDS:g} s"
        raise ProgramError(f"{' '.join(words)}: the service {mute if code is None else f'ended with code {code}'}")


def _number(pipe: object) -> int:
    assert isinstance(pipe, trio.lowlevel.FdStream)
    return pipe.fileno()


def _free_port() -> int:
    """A port of loopback on which nothing listens. Only a process that asks for just this one may take it before the
    service does. Raises ProgramError: there is none."""
    for _ in PORTS:
        port = PORTS[next(_TURN) % len(PORTS)]
        # It is bound and closed without a connection, so that no TIME_WAIT keeps the port from the service.
        with suppress(Unusable), listening(port):
            return port
    raise ProgramError(f"no port from {PORTS.start} to {PORTS.stop - 1} is free for a service; end what listens there")
