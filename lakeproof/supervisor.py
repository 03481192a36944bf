"""The command as a process that another one watches: user code cannot end it with an exit code that says nothing.

A file that a command is given with ``--from`` may do anything to the process that it is loaded into: ``os._exit(0)``
would end the command with exit code 0 and without a verdict. So such a command runs in a child process, which reports
its exit code on a pipe when it has come to its end. If the child ends without a report, that is an error.
"""

import io
import mmap
import os
import signal
import sys
import threading
from _thread import interrupt_main
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from lakeproof.search.board import Board, Overseer, die_with_parent
from lakeproof.verify.witness import WITNESS
from lakeproof.words import INCONCLUSIVE, INTERRUPTED, UNUSABLE

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

PASSED_ON: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that are sent on to the child. It has a process group of its own, so that each reaches it once, whether it
comes from a terminal, to a group, or to this process."""

LAST_SECONDS: Final = 10.0
"""How long the child may take to end after its report: a thread that the file began may keep it."""

POLL_SECONDS: Final = 0.5

HUNG: Final = -signal.SIGVTALRM
"""As in `lakeproof.search.fence`, which is too heavy to load here."""


def supervised() -> NoReturn:
    """The entry point: the command line, in a process of its own where it loads a user's file. Cost: a fork."""
    if sys.argv[1:2] in (["verify"], ["mutants"]) and "--no-cache" not in sys.argv:
        # Before the command is imported: the witness has no code of what was loaded before it.
        WITNESS.install()
    if isinstance(sys.stdout, io.TextIOWrapper):  # else it is closed
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal that is not UTF-8
    if sys.stderr is not None:
        messages = _Messages(2, "w", closefd=False)
        sys.stderr = io.TextIOWrapper(messages, sys.stderr.encoding, "backslashreplace", write_through=True)
    # macOS has no sigtimedwait: there the command runs unwatched.
    if not _loads_a_file(sys.argv[1:]) or not hasattr(signal, "sigtimedwait"):
        _command()
    _fill_standard_files()
    # Blocked before the fork: a signal in between stays pending, and `sigtimedwait` finds it.
    signals = {*PASSED_ON, signal.SIGTSTP, signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    reader, writer = os.pipe()
    board = memoryview(mmap.mmap(-1, 16)).cast("d")
    child = os.fork()
    if child == 0:
        os.close(reader)
        # A terminal sends Ctrl-C to its foreground group, which the child is no part of now; it is passed on, once.
        os.setpgid(0, 0)
        # A fork inherits the mask: with it, Ctrl-C would never arrive.
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        _report(writer, board)
    # Else the pipe would have a writer for ever, and a read without a report would wait.
    os.close(writer)
    sys.exit(_watch_child(child, reader, signals, board))


class _Messages(io.FileIO):
    """Stderr. What finds no room there is lost, and neither the verdict nor its exit code with it."""

    def write(self, data: "ReadableBuffer", /) -> int:
        with suppress(OSError):
            super().write(data)
        return memoryview(data).nbytes


def _fill_standard_files() -> None:
    """Where one of the first three files is closed, the pipe would take its place: what user code prints there would be
    a report."""
    number = 0
    while number <= 2:
        # open gives the lowest number that is free: 0, 1 and 2 are filled in turn, and the first above is closed again.
        number = os.open(os.devnull, os.O_RDWR)
    os.close(number)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115  # it is never closed


def _loads_a_file(arguments: Sequence[str]) -> bool:
    return any(argument == "--from" or argument.startswith("--from=") for argument in arguments)


def _command(board: Board | None = None) -> NoReturn:
    """Run the command. board: of the process that watches this one."""
    sys.unraisablehook = _interrupt_again
    try:
        if board is not None:
            # In the child only: the process that watches stays small.
            from lakeproof.search.fence import WATCH

            WATCH.board = board
        from lakeproof.cli import main

        main.main(prog_name="lakeproof")
    except KeyboardInterrupt:  # while modules are loaded: `main` catches its own
        sys.exit(INTERRUPTED)
    raise AssertionError("the command line ends by exiting")


def _interrupt_again(lost: "sys.UnraisableHookArgs") -> None:
    """Ctrl-C is lost where Python calls what cannot raise: finalisers, what is called at each garbage collection."""
    if not isinstance(lost.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
        return
    while True:
        try:
            # A little later, since this function cannot raise either.
            threading.Timer(0.01, interrupt_main).start()
        except KeyboardInterrupt:  # the machine is busy: it has come before the end of this function
            continue
        return


def _report(writer: int, board: Board) -> NoReturn:
    """In the child: run the command, and report how it ended."""
    die_with_parent()
    try:
        _command(board)
    except SystemExit as end:
        # As the interpreter maps them: None is success, and a text is an error.
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        with suppress(OSError, AttributeError):  # None: it is closed
            # Before the report: after it this process may be killed, and what is buffered would be lost.
            sys.stdout.flush()
        with suppress(OSError):  # user code has closed it: then nothing was reported
            os.write(writer, bytes([code & 0xFF]))
        sys.exit(code)


def _watch_child(child: int, reader: int, signals: set[signal.Signals], board: Board) -> int:
    """The exit code of the child: what it reported, or that it did not."""
    status, report, reported, overseer = None, b"", 0.0, Overseer(board)
    while status is None:
        # SIGCHLD is among them, so the end of the child is seen at once; the limit is for the overseer.
        came = signal.sigtimedwait(signals, POLL_SECONDS)
        if came is not None:
            _pass_on(came.si_signo, child)
        ended, found = os.waitpid(child, os.WNOHANG)
        if ended:
            status = found
        # A signal ends the wait early: only whole periods count as time that has passed.
        elif came is None and (report := report or _read_report(reader)):
            reported += POLL_SECONDS
            if reported >= LAST_SECONDS:
                os.kill(child, signal.SIGKILL)
        elif overseer.out_of_time():
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            sys.stderr.write("lakeproof: the file named with --from runs on, and cannot be interrupted; end its loop\n")
            return INCONCLUSIVE
    # The watch in the child ended it, and has written why.
    if os.waitstatus_to_exitcode(status) == HUNG:
        return INCONCLUSIVE
    if report := report or _read_report(reader):
        return report[0]
    sys.stderr.write(f"lakeproof: {_unreported_exit(status)}; nothing is established\n")
    return UNUSABLE


def _pass_on(number: int, child: int) -> None:
    with suppress(ProcessLookupError):  # it has just ended
        if number in PASSED_ON:
            os.kill(child, number)
        elif number == signal.SIGTSTP:  # Ctrl-Z: both stop, and go on together
            os.killpg(child, signal.SIGSTOP)
            os.kill(os.getpid(), signal.SIGSTOP)
            os.killpg(child, signal.SIGCONT)


def _read_report(reader: int) -> bytes:
    """What the child has reported by now; empty: nothing, or user code has closed its end."""
    import select

    # Looked at first: a process that user code began may keep the end open, and a read would wait for it.
    return os.read(reader, 1) if select.select([reader], [], [], 0)[0] else b""


def _unreported_exit(status: int) -> str:
    if os.WIFSIGNALED(status):
        return f"the command was ended by {signal.Signals(os.WTERMSIG(status)).name}"
    return (
        f"the file named with --from, or a flow in it, ended the process (exit code {os.WEXITSTATUS(status)}) or "
        f"closed its files; take that out of it"
    )
