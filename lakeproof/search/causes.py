"""Errors of flows with what caused them: ``__cause__`` and ``__context__`` are parts of an answer, as arguments are.

An invariant may look at them, so histories that differ in them are distinct (`lakeproof.model.identity`). What is no
part of the answer goes: tracebacks, which hold on to the frames of the flow; and exceptions that the driver was
handling while the flow ran, which Python takes for the context of whatever the flow raises.
"""

from collections.abc import Hashable, Iterator, Sequence
from contextlib import suppress
from typing import Final
from weakref import ref

from lakeproof.model.identity import identity
from lakeproof.scenario import Call, ScenarioError


def detach_frames(error: Exception, outside: Sequence[BaseException], call: Call) -> None:
    """Let go of the frames that an error holds, and of what lies ``outside`` of the flow that raised it.

    Raises:
        ScenarioError: the flow raises one and the same object with other causes than before. All answers that hold it
            would show the latest ones.
    """
    known = _KNOWN.get(id(error))  # by address, which a later error may have, too
    again = known is not None and known[0]() is error
    if again and error.__context__ is not None and error.__context__.__traceback__ is None:
        object.__setattr__(error, "__context__", None)  # of an earlier run: Python leaves it where nothing is handled
    cut(error, outside)
    _leave_group(error)
    for each in _all(error):
        object.__setattr__(each, "__traceback__", None)  # past a class that is frozen
    alone = error.__cause__ is None and error.__context__ is None
    causes = None if alone else identity((error.__cause__, error.__context__))
    if not again:
        _know(error, causes)
    elif known is not None and known[1] != causes:  # two histories share the object
        raise ScenarioError(
            f"{call} raises one {type(error).__name__} object again, with another __cause__ or __context__; "
            f"raise a new one each time"
        )


def _leave_group(error: BaseException) -> None:
    """An error that was taken out of a group and raised has that group for its context, and would hold itself."""
    # A loop: the context of an inner group may be an outer one, which has the error as well.
    while isinstance(group := error.__context__, BaseExceptionGroup) and group.subgroup(lambda each: each is error):
        object.__setattr__(error, "__context__", group.__context__)


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
        if at is None or id(at) in seen:  # causes may form a circle
            continue
        seen.add(id(at))
        yield at
        todo += (at.__cause__, at.__context__)
        if isinstance(at, BaseExceptionGroup):
            todo += at.exceptions


_KNOWN: Final[dict[int, tuple["ref[Exception]", Hashable]]] = {}
"""By address: the errors that some answer may still hold, and their causes."""


def _know(error: Exception, causes: Hashable) -> None:
    at = id(error)
    with suppress(TypeError):  # a class with __slots__, whose objects nothing can refer to weakly
        _KNOWN[at] = (ref(error, lambda _: _KNOWN.pop(at, None)), causes)
