"""Errors of flows with what caused them: ``__cause__`` and ``__context__`` are parts of an answer, as arguments are.

An invariant may look at them, so histories that differ in them are told apart (`lakeproof.model.identity`). What is no
part of the answer goes: tracebacks, which hold on to the frames of the flow; and exceptions that the driver was
handling while the flow ran, which Python takes for the context of whatever the flow raises.
"""

from collections.abc import Hashable, Iterator, Sequence
from contextlib import suppress
from typing import Final
from weakref import ref

from lakeproof.model.identity import identity
from lakeproof.scenario import Call, ScenarioError


def detached(error: Exception, outside: Sequence[BaseException], call: Call) -> None:
    """Let go of the frames that an error holds, and of what lies ``outside`` of the flow that raised it.

    Raises:
        ScenarioError: the flow raises one and the same object with other causes than before. All answers that hold it
            would show the latest ones.
    """
    cut(error, outside)
    for each in _all(error):
        object.__setattr__(each, "__traceback__", None)  # past a class that is frozen
    alone = error.__cause__ is None and error.__context__ is None
    causes = None if alone else identity((error.__cause__, error.__context__))
    if _before(error, causes) != causes:
        name = type(error).__name__
        raise ScenarioError(
            f"{call} raises one {name} object again, with another __cause__ or __context__; raise a new one each time"
        )


def cut(value: object, outside: Sequence[BaseException]) -> None:
    """Take the exceptions that lie outside of a flow off the contexts of one that it has raised or returned."""
    if not outside or not isinstance(value, BaseException):
        return
    for each in _all(value):
        if any(each.__context__ is one for one in outside):
            object.__setattr__(each, "__context__", None)


def _all(error: BaseException) -> Iterator[BaseException]:
    """The error, the parts of a group, causes and contexts, each once."""
    if error.__cause__ is None and error.__context__ is None and not isinstance(error, BaseExceptionGroup):
        yield error
        return
    seen: set[int] = set()
    todo: list[BaseException | None] = [error]
    while todo:
        at = todo.pop()
        if at is None or id(at) in seen:
            continue
        seen.add(id(at))
        yield at
        todo += (at.__cause__, at.__context__)
        if isinstance(at, BaseExceptionGroup):
            todo += at.exceptions


_KNOWN: Final[dict[int, tuple["ref[Exception]", Hashable]]] = {}
"""By address: the errors that some answer may still hold, and their causes."""


def _before(error: Exception, causes: Hashable) -> Hashable:
    """The causes that the same object had in an earlier answer; these, if there is none."""
    at = id(error)
    if at in _KNOWN and _KNOWN[at][0]() is error:
        return _KNOWN[at][1]
    with suppress(TypeError):  # a class with __slots__, whose objects nothing can refer to weakly
        _KNOWN[at] = (ref(error, lambda _: _KNOWN.pop(at, None)), causes)
    return causes
