"""Suspended coroutines, seen from outside: which line they wait at, and how to abandon them without running any of it.

The line of a flow that requested an effect is the innermost one in the file of the outermost frame: not of `Env`, of
the standard library, or of helpers that many flows share. Closing a coroutine raises GeneratorExit in it: a ``finally``
would run, and could ask for effects, but a client that crashed runs nothing any more. So where a close would run a line
of the flow, the coroutine is kept, suspended, until the process ends, at the cost of a few kilobytes.

>>> from asyncio import sleep  # stands for an effect
>>> async def flow():
...     try:
...         await sleep(0)
...     finally:
...         await sleep(0)
>>> client = flow(); client.send(None); spot(client).line, would_run(client)
(3, True)
>>> client.send(None); spot(client).line, would_run(client)
(5, False)
"""

import ast
import contextlib
import ctypes
import dis
import gc
import itertools
import linecache
import sys
import sysconfig
import threading
import traceback
import types
from collections import deque
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import AsyncGeneratorType, CodeType, CoroutineType, FrameType, GeneratorType, MethodType
from typing import Any, Final, cast

import attrs

HERE: Final = Path(__file__).absolute().parent
"""As the code of our modules names it: in a checkout, by the link in ``lakeproof/``."""
ROOT: Final = HERE.parent
"""The package `lakeproof`, with all rooms in it."""
_LIBRARIES: Final = tuple({f"{sysconfig.get_path(name)}/" for name in ("stdlib", "platstdlib", "purelib", "platlib")})
_ROOMS: Final = frozenset({"impl", "model", "spark_checks"})
"""Folders that lie beside ``lakeproof/`` in a checkout, and in it where they are imported."""
_OURS: Final = (f"{ROOT}/", f"{ROOT.with_name('stateful_tests')}/")  # installed beside the package, not in it
_EFFECTS: Final = ("effects.py", "operations.py", "parallel.py", "scheduling.py", "wellformed.py")
_MACHINERY: Final = frozenset({*(str(HERE / name) for name in _EFFECTS), str(ROOT / "model" / "snapshot.py")})
_SEARCH: Final = (f"{ROOT / 'search'}/", f"{ROOT / 'languages'}/")
_REQUESTED: Final = "requested_at"
"""The local variable in which a frame of the search keeps what a program says of its own line: FILE:LINE."""
_CHAIN_MAX: Final = 200
_PARALLEL: Final = str(HERE / "parallel.py")
_GROUP: Final = ast.Name("env.parallel()")
"""In the place of what a region catches: it may be that of a group of tasks."""
_SUSPENDED: Final = frozenset({CoroutineType, GeneratorType, AsyncGeneratorType})
_HOLDERS: Final = _SUSPENDED | {
    *(types.CellType, list, tuple, dict, set, deque, type(iter([])), type(iter(())), enumerate, filter, map, zip),
    *(kind for kind in vars(itertools).values() if isinstance(kind, type)),
}
"""What may keep a suspended one, and let go of it when it is dropped."""


@attrs.frozen
class Spot:
    """A line of a flow: where it is, and the name of the function. In words, ``FILE:LINE``: files of this project from
    its top folder on, others by their name, so that it is the same on every machine."""

    file: str
    line: int
    function: str

    def __str__(self) -> str:
        return f"{_short(self.file)}:{self.line}"


@lru_cache(4096)
def _short(file: str) -> str:
    path = Path(file)
    with contextlib.suppress(ValueError, OSError):
        inner = path.absolute().relative_to(ROOT.parent)  # ValueError: outside of the project
        linked = inner.parts[0] == ROOT.name and inner.parts[1] in _ROOMS
        return (inner.relative_to(ROOT.name) if linked else inner).as_posix()
    return path.name


def chain(coroutine: object) -> Iterator[tuple[FrameType | None, object]]:
    """What a suspended coroutine waits in, outermost first: frames, and awaited things that have none."""
    at = coroutine
    for _ in range(_CHAIN_MAX):
        match at:
            case CoroutineType():
                yield at.cr_frame, at
                at = at.cr_await
            case GeneratorType():
                yield at.gi_frame, at
                at = at.gi_yieldfrom
            case AsyncGeneratorType():
                yield at.ag_frame, at
                at = at.ag_await
            case None:
                return
            case _:
                inner = _generator_behind(at)  # an awaitable without a frame, or one whose frame is hidden
                if inner is None:
                    yield None, at
                    return
                at = inner


def _generator_behind(awaited: object) -> object:
    """The asynchronous generator whose next value is awaited. Python keeps it from view, but not from its collector."""
    # CPython gives these types no name to test with isinstance.
    if type(awaited).__name__ not in ("async_generator_asend", "async_generator_athrow", "anext_awaitable"):
        return None
    for referent in gc.get_referents(awaited):
        if isinstance(referent, AsyncGeneratorType | CoroutineType | GeneratorType):
            return referent
        if type(referent).__name__ == "async_generator_asend":
            return _generator_behind(referent)
    return None


def spot(coroutine: object) -> Spot | None:
    """The line of the flow at which a coroutine is suspended: the innermost ``await`` in the flow's own file."""
    # A generator frame is that of a ``types.coroutine``, such as `perform`: it yields the effect, and is no line of a
    # flow.
    frames = [frame for frame, link in chain(coroutine) if frame is not None and not isinstance(link, GeneratorType)]
    own = [frame for frame in frames if not _is_library(frame.f_code.co_filename)]
    if not own:
        return _named_line(frames)
    at = [frame for frame in own if frame.f_code.co_filename == own[0].f_code.co_filename]
    # The file of the outermost frame, though helpers of other files may lie further in: a schedule names the line of
    # the flow that is checked, not one of a helper.
    return _innermost([(frame.f_code, frame.f_lineno) for frame in at])


def _named_line(frames: Sequence[FrameType]) -> Spot | None:
    """The line that a program has named for its effect."""
    for frame in frames:
        file, _, line = str(frame.f_locals.get(_REQUESTED, "")).rpartition(":")
        if file and line.isdigit():
            return Spot(file, int(line), "")
    return None


def raised_at(error: BaseException) -> Spot | None:
    """The line of the flow at which an exception was raised; or its cause: StopIteration becomes a RuntimeError."""
    frames = [*traceback.walk_tb(error.__traceback__)]  # from the outermost inwards
    found = _innermost([(frame.f_code, line) for frame, line in frames]) or _named_line([frame for frame, _ in frames])
    return raised_at(error.__cause__) if found is None and error.__cause__ is not None else found


def running_at(frame: FrameType | None) -> Spot | None:
    """The line of the flow that a running frame is in; None: it is in the search, or in what runs the search."""
    places = []
    while frame is not None and not frame.f_code.co_filename.startswith(_SEARCH):
        places.append((frame.f_code, frame.f_lineno))
        frame = frame.f_back
    return _innermost(places[::-1])  # f_back goes outwards


def _innermost(places: Sequence[tuple[CodeType, int | None]]) -> Spot | None:
    own = [(code, line) for code, line in places if not _is_library(code.co_filename)]
    if not own:
        return None
    code, line = own[-1]
    # CPython has no line for some instructions that it inserts.
    return Spot(code.co_filename, line or code.co_firstlineno, code.co_qualname)


@lru_cache(4096)
def _is_library(file: str) -> bool:
    machinery = file in _MACHINERY or file.startswith(("<frozen ", *_SEARCH))
    # The project itself may be installed in site-packages; its flows are no library.
    return machinery or (file.startswith(_LIBRARIES) and not file.startswith(_OURS))


def awaitable_name(coroutine: object) -> str:
    """The name of what a coroutine awaits at its `spot`: that of the next frame, or of the type."""
    links = list(chain(coroutine))
    own = [
        at
        for at, (frame, link) in enumerate(links)
        if frame and not isinstance(link, GeneratorType) and not _is_library(frame.f_code.co_filename)
    ]
    last = max(own, default=0)  # no line of a flow: the outermost link stands in for it
    if last + 1 >= len(links):
        return "a bare yield"
    frame, thing = links[last + 1]
    if frame is None:
        return f"{type(thing).__module__}.{type(thing).__qualname__}".removeprefix("builtins.")
    module = str(frame.f_globals.get("__name__", "")).split(".")[0]
    of_a_library = _is_library(frame.f_code.co_filename) and module
    return f"{module}.{frame.f_code.co_qualname}" if of_a_library else frame.f_code.co_qualname


def abandon(coroutine: Coroutine[Any, Any, Any]) -> None:  # type: ignore[explicit-any]
    """Let go of a suspended coroutine: nothing of it runs any more, and no effect is performed. Never raises."""
    if not try_close(coroutine):
        _keep(coroutine)


def try_close(coroutine: Coroutine[Any, Any, Any]) -> bool:  # type: ignore[explicit-any]
    """Close a suspended coroutine, unless that would run lines of its flow. Whether it is closed. Never raises."""
    with contextlib.suppress(Exception):  # values answer in their own way when they are looked at; or a file is unread
        if not would_run(coroutine):
            # An awaitable of a flow may raise from its own close().
            with contextlib.suppress(BaseException), no_generator_hooks():
                coroutine.close()
            return True
    return False


@contextlib.contextmanager
def no_generator_hooks() -> Iterator[None]:
    """A scan that a flow abandons half-way ends with the flow, without a word of the event loop's."""
    hooks = sys.get_asyncgen_hooks()
    # A generator takes with it the hooks of its first iteration. Without any, an event loop does not know of it, and
    # does not finalize it.
    sys.set_asyncgen_hooks(None, None)
    try:
        yield
    finally:
        sys.set_asyncgen_hooks(*hooks)


def _keep(thing: object) -> None:
    """For ever, also when the interpreter ends: it would close what is left otherwise."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))


def would_run(coroutine: object) -> bool:
    """Whether closing a suspended coroutine would run lines of the flow: it, or a generator that it holds, stands in a
    ``with``, a ``try`` with a ``finally``, or one that catches GeneratorExit; or that is unknown. Raises what a value
    of it raises when it is looked at; or the garbage collector runs in this thread, and the flow's file is unread."""
    seen: set[int] = set()
    # Only frames can be looked into: an awaited object of another type is passed over.
    todo = [link for _, link in chain(coroutine) if type(link) in _SUSPENDED]
    while todo:
        at = todo.pop()
        if id(at) in seen:
            continue
        seen.add(id(at))
        if is_protected(at, unknown=True):
            return True
        # Also of one that has not begun: its arguments are dropped with it. The collector sees variables, cells, and
        # the generator that a loop is in the middle of, which lies on the frame's stack.
        todo += [each for each in gc.get_referents(at) if type(each) in _HOLDERS]
    return False


def _frame(at: object) -> tuple[FrameType | None, bool]:
    """Its frame, and whether it has begun: if not, close() runs nothing of it."""
    # Not by f_lasti > 0: the first instructions, which copy the variables of a closure, run when it is made.
    match at:
        case CoroutineType():
            return at.cr_frame, at.cr_suspended or at.cr_running
        case GeneratorType():
            return at.gi_frame, at.gi_suspended or at.gi_running
        case AsyncGeneratorType() if sys.version_info >= (3, 12):
            return at.ag_frame, at.ag_suspended or at.ag_running
        case AsyncGeneratorType():
            # Python 3.11 does not say it: one that has not begun stands at this instruction.
            made = at.ag_frame and at.ag_frame.f_code.co_code[at.ag_frame.f_lasti] == dis.opmap["RETURN_GENERATOR"]
            return at.ag_frame, at.ag_running or not made
    return None, False


def is_protected(at: object, *, unknown: bool) -> bool:
    """Whether closing a coroutine or generator would run lines of its own; ``unknown`` where that is not known."""
    frame, begun = _frame(at)
    # Our own blocks perform no effect on GeneratorExit.
    if frame is None or not begun or frame.f_code.co_filename in _MACHINERY:
        return False
    around = _around(frame.f_code, frame.f_lasti)
    if around is None:
        return unknown
    if _GROUP in around:
        # The end of a group runs nothing of a flow that is abandoned. The stack says how many of the blocks are groups.
        # A resource of the flow that has a method ``parallel`` looks the same: its ``__aexit__`` would run.
        if sum(catches is _GROUP for catches in around) != _groups(at):
            return True
        around = tuple(catches for catches in around if catches is not _GROUP)
    return any(catches is None or _catches_exit(catches, frame) for catches in around)


def _groups(at: object) -> int:
    """How many groups of tasks a coroutine has open: their ends lie on its stack, or are awaited."""
    found: set[int] = set()
    for referent in gc.get_referents(at):
        if isinstance(referent, MethodType) and referent.__func__.__code__.co_filename == _PARALLEL:
            found.add(id(referent.__self__))  # the bound __aexit__, which the block keeps on the stack
        elif isinstance(referent, CoroutineType) and referent.cr_frame and referent.cr_code.co_filename == _PARALLEL:
            found.add(id(referent.cr_frame.f_locals.get("self")))  # the end of the block is what the coroutine awaits
    return len(found)


@lru_cache(1 << 14)
def _around(code: CodeType, at: int) -> tuple[ast.expr | None, ...] | None:
    """For each region around an instruction, which exceptions it catches, or None if it catches all; _GROUP: it seems
    to be the ``async with`` of a group of tasks. None: unknown."""
    regions = _regions(code)
    positions = list(code.co_positions())
    # f_lasti is an offset in bytes; co_positions() has an entry for each code unit of 2 bytes, caches included.
    line, _, column, _ = positions[at // 2] if at // 2 < len(positions) else (None, None, None, None)
    if regions is None or line is None or column is None:
        return None
    # The protected region is of the source, since an exception table does not say what is caught.
    return tuple(catches for first, end, catches in regions if first <= (line, column) < end)


Region = tuple[tuple[int, int], tuple[int, int], ast.expr | None]
"""First position, the one after the last, and which exceptions are caught there; None: something runs in any case."""


@lru_cache(4096)
def _regions(code: CodeType) -> tuple[Region, ...] | None:
    """The parts of a function in which an exception would run lines of it. None: its source is not known."""
    functions = _functions(code.co_filename).get(code.co_firstlineno, ())
    # Two functions on one line, or none: a generator expression, a lambda, code made by exec.
    if len(functions) != 1:
        return None
    found: list[Region] = []
    for node in ast.walk(functions[0]):
        if isinstance(node, ast.With | ast.AsyncWith):
            end = (node.end_lineno or node.lineno, node.end_col_offset or 0)
            found.append((_first(node), end, _GROUP if _of_a_group(node) else None))
        elif isinstance(node, ast.Try | ast.TryStar):
            if node.finalbody:
                # The handlers are in the region, too: a ``finally`` also runs when one of them is left.
                found.append((_first(node), _first(node.finalbody[0]), None))
            # Up to the first handler, so the body alone: what a handler or the ``else`` awaits is not caught by this
            # ``try``.
            found.extend((_first(node), _first(node.handlers[0]), handler.type) for handler in node.handlers)
    return tuple(found)


@lru_cache(256)
def _functions(file: str) -> Mapping[int, Sequence[ast.AST]]:
    """The functions of a file by their first lines, which a decorator may have; none where its source is not known."""
    found: dict[int, list[ast.AST]] = {}
    for node in ast.walk(_tree(file) or ast.Module([], [])):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            # A code object begins at its first decorator, a node at its ``def``.
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            found.setdefault(first, []).append(node)
    return found


def _of_a_group(node: ast.With | ast.AsyncWith) -> bool:
    """Whether this is ``async with env.parallel(...)``, by its looks."""
    made = node.items[0].context_expr
    # Only by its looks, since the type of ``env`` is not known; `_groups` counts what is really open.
    called = isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute) and made.func.attr == "parallel"
    return isinstance(node, ast.AsyncWith) and len(node.items) == 1 and called


def _first(node: ast.stmt | ast.excepthandler) -> tuple[int, int]:
    return (node.lineno, node.col_offset)


def _catches_exit(caught: ast.expr, frame: FrameType) -> bool:
    """Whether an ``except`` clause catches GeneratorExit. Only plain names are looked up; of others, yes."""
    names = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(_is_exit(_looked_up(name, frame)) for name in names)


def _is_exit(caught: object) -> bool:
    parts = caught if isinstance(caught, tuple) else (caught,)
    # What is no class may be anything: assume that it catches.
    return any(not isinstance(part, type) or issubclass(GeneratorExit, part) for part in parts)


def _looked_up(name: ast.expr, frame: FrameType) -> object:
    if isinstance(name, ast.Name):
        for names in (frame.f_locals, frame.f_globals, frame.f_builtins):
            if name.id in names:
                return cast("object", names[name.id])
    elif isinstance(name, ast.Attribute):
        owner = _looked_up(name.value, frame)
        if isinstance(owner, type) or type(owner).__name__ == "module":
            # By vars(), not getattr(): no property or __getattr__ of the flow may run.
            return cast("object", vars(owner).get(name.attr))
    return None


class _Collector:
    """Whether this thread collects garbage: what runs then interrupts other code."""

    def __init__(self) -> None:
        self._thread = 0
        gc.callbacks.append(self._phase)  # for ever: one per process

    def _phase(self, phase: str, _: object) -> None:
        # The callbacks run in the thread that collects. Another one goes on, and is not interrupted.
        self._thread = threading.get_ident() if phase == "start" else 0

    @property
    def collects(self) -> bool:
        return self._thread == threading.get_ident()


COLLECTOR: Final = _Collector()


class _Unread(Exception):
    """A file cannot be read now. No answer, so that no cache keeps it."""


_lock: Final = threading.Lock()


@lru_cache(256)
def _tree(file: str) -> ast.Module | None:
    if COLLECTOR.collects:
        # Perhaps during a parse: before Python 3.11.8 it would end in a SystemError (python/cpython#106905),
        # or while this thread holds the lock.
        raise _Unread(file)
    with _lock:
        lines = linecache.getlines(file)
    try:
        return ast.parse("".join(lines)) if lines else None
    # The file was changed since, or is nested too deeply: as if it were not there.
    except (SyntaxError, ValueError, RecursionError):
        return None
