"""What a process executes, and what it reads besides.

A verdict may be reused if everything that it came from is the same. Python code comes from modules, and the witness
has the code of each, as it was executed: not the file, which may have changed since, nor a file of bytecode, which may
be stale. Whatever else a flow can know, it must have read: a file, a folder, a variable of the environment, another
process, the network. Python reports most of that to audit hooks. The environment, the functions of `os` that look at
files, and the search for a module are not among it, so the witness stands before them. It notes the first reading; then
no verdict of this process is kept. What a key can hold is no such reading: the place of a module that is found, and the
status of a file that lies among the installed packages.

Who reads is the nearest code that is neither of the standard library nor of lakeproof's engine, which read for their
caller. If there is none, the command itself reads, as it may; and so may Python's import. What is
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
from importlib.machinery import ModuleSpec, PathFinder
from os import stat  # as it was before the witness stood before it
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Final, TextIO, cast

if TYPE_CHECKING:
    from _collections_abc import dict_items

# As code names it: no links are resolved, since ``co_filename`` has the path by which a module was found.
PACKAGE: Final = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep  # noqa: PTH100, PTH120  # a prefix
FLOWS: Final = tuple(f"{PACKAGE}{folder}{os.sep}" for folder in ("impl", "model", "designs", "languages"))
"""What of lakeproof is no part of the engine: flows, invariants, programs. They may read as little as a user's may."""

ENGINE: Final = ("", "search", "verify", "impl", "impl/codec", "model")
"""Folders of lakeproof whose files have a part in each search: of `impl` and `model`, what all flows share."""

STANDARD: Final = os.path.dirname(os.__file__) + os.sep  # noqa: PTH120
# By what is on the path, not by `site`: Debian has dist-packages, and PYTHONPATH may add further folders.
INSTALLED: Final = tuple(
    f"{path}{os.sep}"
    for path in (*sys.path, f"{STANDARD}site-packages")
    if path.endswith((f"{os.sep}site-packages", f"{os.sep}dist-packages"))
)
IMPORT: Final = tuple(("<frozen importlib._bootstrap_external>", name) for name in ("exec_module", "_get_spec"))
"""Python's import, by file and function: it executes a module, and looks for one. Others call what these call."""

NEEDED: Final = tuple(
    f"{folder}{name}{os.sep}" for folder in INSTALLED for name in ("attr", "attrs", "click", "google", "numpy", "rich")
)
"""Packages that lakeproof needs: they read their own settings. Another one that is compiled may read what it likes."""

READINGS: Final = {
    # Names of events as in Python's documentation, "Audit events table".
    **dict.fromkeys(("open", "os.getxattr", "os.listxattr"), "reads"),
    **dict.fromkeys(("os.listdir", "os.scandir", "glob.glob"), "lists"),
    **dict.fromkeys(("subprocess.Popen", "os.system", "os.posix_spawn", "os.exec", "os.fork", "pty.spawn"), "starts"),
    **dict.fromkeys(("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.bind"), "connects to"),
    **dict.fromkeys(("sqlite3.connect", "ctypes.dlopen", "ctypes.dlsym", "dbm.open"), "opens"),
    **dict.fromkeys(("socket.gethostname", "builtins.input"), "asks for"),
}
"""Events of audit hooks that tell of a reading, with the word for it. ``exec`` and ``import`` have their own rules."""

ANOTHER_PROGRAM: Final = "a flow runs in another program, whose files are not known; it is searched each time"
"""Why the verdicts of such a scenario are not kept: there is nothing to repair."""

# CPython raises no audit event for these: a flow that looks whether a file exists would not be seen.
FILES: Final = ("access", "lstat", "read", "readlink", "stat", "statvfs")
CALLS: Final = (
    *("cpu_count", "get_terminal_size", "getcwd", "getcwdb", "getegid", "geteuid", "getgid", "getgroups", "getloadavg"),
    *("getlogin", "getuid", "isatty", "sched_getaffinity", "sysconf", "uname"),
    *("pread", "preadv", "readv"),
)
"""Functions of `os` that read a file, or the machine, and that no event tells of. Not each machine has all."""


class Witness:
    """One for the process; it begins when it is installed, and cannot be taken away."""

    def __init__(self) -> None:
        self.installed = False
        self.began_ns = 0
        """When it was installed, in nanoseconds since 1970."""
        self.executed: dict[str, list[CodeType]] = {}
        """By file, the code of each module that was executed: not of Python's, nor of the packages in `NEEDED`."""
        self.noting = False
        """Whether code of a user, or of a design, may run by now. What was read before is lakeproof's own affair."""
        self.running = False
        """Whether all is loaded, and flows run: what is imported now was not there when the key was made."""
        self.strange = ""
        """What was read beside modules, and where: why no verdict of this process can be kept."""
        self.known: set[str] = set()
        """What was read when the file was loaded, and differs in writing if it differs: keys have it."""
        self._handlers: dict[str, Callable[..., None]] = {  # type: ignore[explicit-any]  # each event has its arguments
            # ``exec`` comes with the code object of a module before it runs, whether from source or from a .pyc.
            "exec": self._note_code,
            # ``file`` is set for a compiled module only. Others come by ``exec``: this file's name is as good as none.
            "import": lambda _, file: self._is_read("imports the compiled", file or __file__),
            **{event: partial(self._is_read, word) for event, word in READINGS.items()},
        }

    def install(self) -> None:
        """Begin. Cost: a call for each event that Python reports, some 100 ns."""
        self.installed, self.began_ns = True, time.time_ns()
        # It cannot be removed: CPython has no function for that.
        sys.addaudithook(self._hear)
        _stand_before_the_environment(partial(self._is_read, "reads the environment:", own=True))
        _stand_before_stdin(partial(self._is_read, "reads", 0, own=True))
        for name in FILES:
            _stand_before(name, partial(self._is_read, "reads"))
        # Not each of these is there on each system.
        for name in vars(os).keys() & CALLS:
            _stand_before(name, partial(self._is_read, "calls", name, own=True))
        # The event ``import`` does not say whether a module was found, as in ``try: import x``.
        PathFinder.find_spec = partial(self._find_module, PathFinder.find_spec)  # type: ignore[method-assign]

    def _hear(self, event: str, args: tuple[object, ...]) -> None:
        handler = self._handlers.get(event)
        if handler is not None:
            # Events have different numbers of arguments: the first two say what is read.
            handler(*args[:2])

    def _note_code(self, code: object) -> None:
        assert isinstance(code, CodeType)
        file = code.co_filename
        # "<string>" and the like are code that was made by other code, which is in the key.
        if file.startswith("<") or _is_recorded(file):
            return
        self.executed.setdefault(file, []).append(code)
        # The key was made when flows began to run, and lacks this file.
        if self.running and not is_engine(file):
            self.strange = self.strange or f"{file} is imported while flows run; import it when the file is loaded"

    def _is_read(self, word: str, what: object = "", _: object = None, *, own: bool = False) -> None:
        """own: a package in `NEEDED` may; these are its own settings."""
        name = os.fsdecode(what) if isinstance(what, str | bytes | os.PathLike) else ""
        is_file = word in ("reads", "lists")
        # A descriptor other than 0 comes from an open that was noted; 0 is stdin, which nothing has opened.
        if _is_settled(name) or (is_file and isinstance(what, int) and what):  # it was read when it was opened
            return
        # Packages read data of their own as they load: the key can hold the status of such a file.
        known = f"{name} {status(name)}" if is_file and name.startswith(INSTALLED) else ""
        self._note(f"{word} {name or what}", known, own)

    def _find_module(  # type: ignore[explicit-any]  # in place of that of Python's import
        self, find: Callable[..., ModuleSpec | None], name: str, *args: object, **options: object
    ) -> ModuleSpec | None:
        """To know what is found is enough: a later process that finds more, or less, knows something else."""
        found = find(name, *args, **options)
        place = str(found and (found.origin or list(found.submodule_search_locations or ())))
        # While the file is loaded, what is not found is no reading: the code that was executed shows what came of it.
        if not _is_settled(place) and (found or self.running):
            self._note(f"looks for {name} while flows run; import it when the file is loaded", place, own=True)
        return found

    def _note(self, what: str, known: str, own: bool) -> None:
        # The walk up the stack is the dear part, and once something strange is known, no verdict is kept anyway.
        reader = None if self.strange or not self.noting else _reader(sys._getframe())  # noqa: SLF001
        if reader is None:
            return
        file, line = reader
        if own and file.startswith(NEEDED):
            return
        if file.startswith(f"{PACKAGE}languages{os.sep}"):
            self.strange = ANOTHER_PROGRAM
        # What is read when flows run already comes too late for the key.
        elif known and not self.running:
            self.known.add(known)
        else:
            self.strange = f"{file}:{line} {what}"


WITNESS: Final = Witness()


def is_engine(file: str) -> bool:
    """Whether a file is of lakeproof, and no flow or invariant of a design."""
    folder = os.path.dirname(file.removeprefix(PACKAGE))  # noqa: PTH120
    return file.startswith(PACKAGE) and (folder in ENGINE or not file.startswith(FLOWS))


def _is_recorded(file: str) -> bool:
    """Whether a file is Python's, whose version says what is in it, or of a package whose installer recorded that."""
    return file.startswith(NEEDED if file.startswith(INSTALLED) else STANDARD)


def _is_settled(file: str) -> bool:
    """Whether a file belongs to Python, to lakeproof, or to what it needs: a key has what is in it."""
    # "lib/../secret" begins like a file of the library.
    file = os.path.normpath(file)
    return _is_recorded(file) or f"{file}{os.sep}".startswith(PACKAGE)


def status(file: str) -> tuple[int, ...]:
    """What differs once a file has changed; first, when that was. Empty: there is none."""
    try:
        found = stat(file)  # noqa: PTH116  # for thousands of files
    # ValueError: a NUL in the name.
    except (OSError, ValueError):
        return ()
    # ctime cannot be set by a program, as mtime can: a file that was put back with its old times still differs.
    return found.st_ctime_ns, found.st_mtime_ns, found.st_size, found.st_ino


def _reader(frame: FrameType | None) -> tuple[str, int] | None:
    """File and line of the nearest frame outside of the standard library and the engine; None: Python's import reads,
    or the command."""
    within = False  # whether the engine was met
    while frame is not None:
        file = frame.f_code.co_filename
        # Python's import executes or looks for a module here: its code is noted by ``exec``, so this read is none.
        if (file, frame.f_code.co_name) in IMPORT:
            return None
        if file.startswith("<"):  # code that was made by ``exec``: a module's, if it shares its globals
            file = str(frame.f_globals.get("__file__", file))
        # The standard library reads for its caller (``Path.read_text``), so the caller is the reader. So is who calls
        # the engine (``search.trace.read``), unless it is click.
        own = file.startswith(INSTALLED) or not file.startswith(STANDARD)
        if is_engine(file):
            within = within or file != __file__
        # The outermost one of `__main__` is what has started the command.
        elif frame.f_back is None and frame.f_globals.get("__name__") == "__main__":
            return None
        elif own and not file.startswith(("<", *(NEEDED if within else ()))):
            return file, frame.f_lineno
        frame = frame.f_back
    return None


def _stand_before(name: str, noticed: Callable[[object], None]) -> None:
    found = getattr(os, name)

    def noticing(*args: object, **options: object) -> object:
        noticed(args[0] if args else name)
        return found(*args, **options)

    setattr(os, name, noticing)
    # shutil and others test whether a function is in these sets before they pass it dir_fd or follow_symlinks.
    for group in (os.supports_dir_fd, os.supports_effective_ids, os.supports_fd, os.supports_follow_symlinks):
        if found in group:
            group.add(noticing)


def _stand_before_stdin(noticed: Callable[[], None]) -> None:
    before = sys.stdin

    class Noticing:
        def __getattr__(self, name: str) -> object:
            noticed()
            return getattr(before, name)

        def __iter__(self) -> Iterator[str]:
            noticed()
            return iter(before)

        def __next__(self) -> str:
            noticed()
            return next(before)

        def __enter__(self) -> TextIO:
            noticed()
            return before.__enter__()

        def __exit__(self, *error: object) -> None:
            before.close()

    if before is not None:  # it is closed
        sys.stdin = sys.__stdin__ = cast("TextIO", Noticing())  # type: ignore[assignment, misc]  # read as it is


def _stand_before_the_environment(noticed: Callable[[object], None]) -> None:
    class Noticing(dict[bytes, bytes]):
        # ``get``, ``in`` and getenv end here, too: all of them are `Mapping`'s, which subscripts.
        def __getitem__(self, name: bytes, /) -> bytes:
            noticed(name)
            return super().__getitem__(name)

        def __iter__(self) -> Iterator[bytes]:
            noticed("all of it")
            return super().__iter__()

        # For ``repr``.
        def items(self) -> "dict_items[bytes, bytes]":
            noticed("all of it")
            return super().items()

        def __len__(self) -> int:
            noticed("its length")
            return super().__len__()

    noticing = Noticing(vars(os.environ)["_data"])
    for environment in (os.environ, os.environb):  # two views of the same
        vars(environment)["_data"] = noticing
