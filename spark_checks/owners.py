"""Who works in a folder: a process, so that another one can tell whether it still does.

A process is known by its machine, its number, and when it started: numbers are used again. Of a process of another
machine, or of another container, nothing is known.
"""

import json
import os
import platform
import secrets
import time
from pathlib import Path
from typing import Final, Literal, cast

import attrs

OWNER: Final = "owner.json"

State = Literal["alive", "dead", "unknown"]


@attrs.frozen(kw_only=True)
class Owner:
    """``host``: its name. ``machine``: tells machines and containers apart that have one name. ``boot``: of the
    machine. ``started``: the process, in ticks since then; "" where the system does not tell. ``began``: seconds since
    1970. ``mark``: of the one work that it does in the folder."""

    host: str
    machine: str
    boot: str
    pid: int
    started: str
    began: float
    mark: str = attrs.field(factory=lambda: secrets.token_hex(8))

    def encode(self) -> bytes:
        return (json.dumps(attrs.asdict(self)) + "\n").encode()

    @classmethod
    def decode(cls, data: bytes) -> "Owner | None":
        """None: it is no such record."""
        try:
            found = cls(**json.loads(data))
        except (ValueError, TypeError):
            return None
        kinds = {"pid": int, "began": (int, float)}
        fields = cast("dict[str, object]", attrs.asdict(found)).items()
        return found if all(isinstance(value, kinds.get(name, str)) for name, value in fields) else None  # type: ignore[arg-type]

    def state(self) -> State:
        """Whether the process is still there."""
        us = this_process()
        if (self.host, self.machine) != (us.host, us.machine):
            return "unknown"
        if self.boot != us.boot:
            return "dead"
        if not _exists(self.pid):
            return "dead"
        started = _started(self.pid)
        return "dead" if self.started and started and started != self.started else "alive"

    def __str__(self) -> str:
        return f"process {self.pid} of {self.host}"


def this_process() -> Owner:
    """Ourselves, for a work that begins."""
    return Owner(
        host=platform.node(),
        machine=f"{_text('/etc/machine-id')} {_link('/proc/self/ns/pid')}".strip(),
        boot=_text("/proc/sys/kernel/random/boot_id"),
        pid=os.getpid(),
        started=_started(os.getpid()),
        began=time.time(),
    )


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True  # somebody else's
    return True


def _started(pid: int) -> str:
    """Field 22 of ``/proc/<pid>/stat`` (proc(5)); the second one, a name in parentheses, may have spaces."""
    fields = _text(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return fields[19] if len(fields) > 19 else ""


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _link(path: str) -> str:
    try:
        return str(Path(path).readlink())
    except OSError:
        return ""
