"""What a process executes, and what it reads besides.

A verdict may be reused if everything that it came from is the same. Python code comes from modules, and the witness
has the code of each, as it was executed: not the file, which may have changed since, nor a file of bytecode, which may
be stale. Whatever else a flow can know, it must have read: a file, a folder, a variable of the environment, another
process, the network. Python reports most of that to audit hooks. The environment and the functions of `os` that look at
files are not among it, so the witness stands before them. It notes the first reading; then no verdict of this process
is kept.

Who reads is the nearest code outside of the standard library. Lakeproof itself may read, and Python's import. What is
not seen: clocks, random numbers, addresses, the order of sets. A flow that depends on those gives different verdicts
without any change, and has none to keep.

Example: ``mine.py`` begins with ``LIMIT = int(os.environ["LIMIT"])``. The code of mine.py is in `executed`; the reading
is in `strange`: "mine.py:1 reads the environment".
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from types import CodeType, FrameType
from typing import Final

PACKAGE: Final = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep  # noqa: PTH100, PTH120  # a prefix
FLOWS: Final = tuple(f"{PACKAGE}{folder}{os.sep}" for folder in ("impl", "model", "designs", "languages"))
"""What of lakeproof is no part of the engine: flows, invariants, programs. They may read as little as a user's may."""

ENGINE: Final = ("", "search", "verify", "impl", "impl/codec", "model")
"""Folders of lakeproof whose files have a part in each search: of `impl` and `model`, what all flows share."""

STANDARD: Final = os.path.dirname(os.__file__) + os.sep  # noqa: PTH120
INSTALLED: Final = tuple(
    f"{path}{os.sep}" for path in sys.path if path.endswith((f"{os.sep}site-packages", f"{os.sep}dist-packages"))
)
IMPORT: Final = "<frozen importlib._bootstrap_external>"

SETTLED: Final = ("attr", "attrs", "click", "google", "numpy", "rich")
"""Packages that lakeproof needs: they read their own settings, and are compiled."""

READINGS: Final = {
    **dict.fromkeys(("os.listdir", "os.scandir", "glob.glob"), "lists"),
    **dict.fromkeys(("subprocess.Popen", "os.system", "os.posix_spawn", "os.exec", "os.fork", "pty.spawn"), "starts"),
    **dict.fromkeys(("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.bind"), "connects to"),
    **dict.fromkeys(("sqlite3.connect", "ctypes.dlopen", "dbm.open"), "opens"),
    **dict.fromkeys(("socket.gethostname", "builtins.input"), "asks for"),
}
"""Events of audit hooks that tell of a reading, with the word for it. ``open`` and ``import`` have their own rules."""

ANOTHER_PROGRAM: Final = "a flow runs in another program, whose files are not known; it is searched each time"
"""Why the verdicts of such a scenario are not kept: there is nothing to repair."""

UNREPORTED: Final = ("access", "getcwd", "getcwdb", "getlogin", "lstat", "readlink", "stat", "uname")
"""Functions of `os` that read, and that no event tells of."""


class Witness:
    """One for the process; it begins when it is installed, and cannot be taken away."""

    def __init__(self) -> None:
        self.installed = False
        self.began_ns = 0
        """When it was installed, in nanoseconds since 1970."""
        self.executed: dict[str, list[CodeType]] = {}
        """By file, the code of each module that was executed: not of Python's, nor of the packages in `SETTLED`."""
        self.noting = False
        """Whether code of a user, or of a design, may run by now. What was read before is lakeproof's own affair."""
        self.running = False
        """Whether all is loaded, and flows run: what is imported now was not there when the key was made."""
        self.strange = ""
        """What was read beside modules, and where: why no verdict of this process can be kept."""
        self._handlers: dict[str, Callable[..., None]] = {  # type: ignore[explicit-any]  # each event has its arguments
            "exec": self._note_code,
            "open": lambda file, _: self._file_is_read("open", file),
            "import": lambda _, file: self._note_compiled(file),
            **{event: partial(self._is_read, word) for event, word in READINGS.items()},
        }

    def install(self) -> None:
        """Begin. Cost: a call for each event that Python reports, some 100 ns."""
        self.installed, self.began_ns = True, time.time_ns()
        sys.addaudithook(self._hear)
        _stand_before_the_environment(self._environment_is_read)
        for name in UNREPORTED:
            _stand_before(name, self._file_is_read)

    def _hear(self, event: str, args: tuple[object, ...]) -> None:
        handler = self._handlers.get(event)
        if handler is not None:
            handler(*args[:2])

    def _note_code(self, code: object) -> None:
        assert isinstance(code, CodeType)
        file = code.co_filename
        if file.startswith("<") or _is_recorded(file):
            return
        self.executed.setdefault(file, []).append(code)
        if self.running and not is_engine(file):
            self.strange = self.strange or f"{file} is imported while flows run; import it when the file is loaded"

    def _note_compiled(self, file: object) -> None:
        """A compiled module reads what it likes, and nothing is reported."""
        if not isinstance(file, str) or (file.startswith(STANDARD) and not file.startswith(INSTALLED)):
            return
        if not any(file.startswith(f"{folder}{name}") for folder in INSTALLED for name in SETTLED):
            self._note(f"imports {file}, which is compiled")

    def _is_read(self, word: str, what: object = "", _: object = None) -> None:
        if not (isinstance(what, str) and _is_settled(what)):
            self._note(f"{word} {what}")

    def _file_is_read(self, how: str, file: object) -> None:
        if isinstance(file, bytes):
            file = os.fsdecode(file)
        if isinstance(file, os.PathLike):
            file = os.fspath(file)
        if isinstance(file, int) or (isinstance(file, str) and _is_settled(file)):
            return
        if how.startswith(("getcwd", "getlogin", "uname")):
            self._note(f"asks for {how}", SETTLED)
        else:
            self._note(f"reads {file}")

    def _environment_is_read(self, name: object) -> None:
        shown = os.fsdecode(name) if isinstance(name, bytes) else ""
        self._note(f"reads the environment{shown and f': {shown}'}", SETTLED)

    def _note(self, what: str, settled: tuple[str, ...] = ()) -> None:
        reader = None if self.strange or not self.noting else _reader(sys._getframe())  # noqa: SLF001
        if reader is None:
            return
        file = reader.f_code.co_filename
        if is_engine(file):
            return
        if file.startswith(f"{PACKAGE}languages{os.sep}"):
            self.strange = ANOTHER_PROGRAM
        elif not any(file.startswith(f"{folder}{name}{os.sep}") for folder in INSTALLED for name in settled):
            self.strange = f"{file}:{reader.f_lineno} {what}"


WITNESS: Final = Witness()


def is_engine(file: str) -> bool:
    """Whether a file is of lakeproof, and no flow or invariant of a design."""
    folder = os.path.dirname(file.removeprefix(PACKAGE))  # noqa: PTH120
    return file.startswith(PACKAGE) and (folder in ENGINE or not file.startswith(FLOWS))


def _is_recorded(file: str) -> bool:
    """Whether a file is Python's, whose version says what is in it, or of a package whose installer recorded that."""
    if file.startswith(INSTALLED):
        return any(file.startswith(f"{folder}{name}{os.sep}") for folder in INSTALLED for name in SETTLED)
    return file.startswith(STANDARD)


def _is_settled(file: str) -> bool:
    """Whether a file belongs to Python, to lakeproof, or to what is installed: a key has what is in it."""
    return file.startswith((STANDARD, *INSTALLED)) or f"{file}{os.sep}".startswith(PACKAGE)


def _reader(frame: FrameType | None) -> FrameType | None:
    """The nearest frame outside of the standard library; None: Python's import reads, or there is none."""
    while frame is not None:
        file = frame.f_code.co_filename
        if file == IMPORT:
            return None
        if (
            file != __file__
            and not file.startswith("<")
            and (not file.startswith(STANDARD) or file.startswith(INSTALLED))
        ):
            return frame
        frame = frame.f_back
    return None


def _stand_before(name: str, noticed: Callable[[str, object], None]) -> None:
    found = getattr(os, name)

    def noticing(*args: object, **options: object) -> object:
        noticed(name, args[0] if args else "")
        return found(*args, **options)

    setattr(os, name, noticing)
    for group in (os.supports_dir_fd, os.supports_effective_ids, os.supports_fd, os.supports_follow_symlinks):
        if found in group:
            group.add(noticing)


def _stand_before_the_environment(noticed: Callable[[object], None]) -> None:
    class Noticing(dict[bytes, bytes]):
        def __getitem__(self, name: bytes, /) -> bytes:
            noticed(name)
            return super().__getitem__(name)

        def __iter__(self) -> Iterator[bytes]:
            noticed(None)
            return super().__iter__()

    noticing = Noticing(vars(os.environ)["_data"])
    for environment in (os.environ, os.environb):  # two views of the same
        vars(environment)["_data"] = noticing
