"""The scheduler of the tasks inside one flow: the same answers in the same order lead to the same effects.

The task that was answered runs until it waits again; then the tasks that it has started run, in order of start, each
until it waits; then those that have waited for the end of a group. The driver of the flow (the search, `World`, or the
live driver) sees the open effects by the names of their tasks, and answers one at a time.

Example: the main task "" starts two tasks in a group, and waits for its end. Task 1 gets x and sets y, task 2 gets y
and sets z; then the main task gets z. The driver answers task 2 first::

    answered          what runs        open afterwards
                      "", 1, 2         1: get x    2: get y
    2: get y          2                1: get x    2: set z
    2: set z          2, to its end    1: get x
    1: get x          1                1: set y
    1: set y          1, then ""       "": get z

If task 1 raises when its get of x is answered, in place of the third line, its group is cancelled. A read of task 2
would be gone at once; its set of z may be on its way, and stays open, *recalled*. Whatever the answer to that is, task
2 receives `Cancelled`. Then the main task goes on, and raises the ExceptionGroup.
"""

from collections import deque
from collections.abc import Callable, Coroutine
from contextvars import Context, copy_context
from enum import Enum
from typing import Any, Final

import attrs

from lakeproof.impl.frames import abandon
from lakeproof.impl.parallel import MAIN, Cancelled, Group, Joins, Misused, Opens, Started
from lakeproof.impl.wellformed import exact

_Coroutine = Coroutine[Any, Any, Any]  # type: ignore[explicit-any]  # of any flow


class _Stalled(Enum):
    STALLED = 0


STALLED: Final = _Stalled.STALLED
"""What a task waits for whose effect gets no answer."""


class Task:
    """One task: its coroutine, its own context (of `contextvars`), and what it waits for."""

    def __init__(self, name: str, coroutine: _Coroutine, group: Group | None, context: Context) -> None:
        self.name = name
        self.coroutine = coroutine
        self.context = context
        self.group = group
        self.groups: list[Group] = []  # that it has open, outermost first
        self.handle: Started[Any] = Started(name)  # type: ignore[explicit-any]
        self.op: object = None
        self.recalled = False
        self.ended = False
        self.error: BaseException | None = None
        self._count = 0

    @property
    def around(self) -> tuple[Group, ...]:
        """The groups that it runs in."""
        # Those of its body are its own, so their cancelling cancels it as well.
        return (*(() if self.group is None else self.group.scopes), *self.groups)

    @property
    def cancelled(self) -> bool:
        return any(group.cancelled for group in self.around)

    @property
    def timed(self) -> bool:
        """Whether it runs within a timeout that has not expired."""
        return any(group.ends_with_body and not group.expired for group in self.around)

    @property
    def expired(self) -> bool:
        """Whether it runs within a timeout that has."""
        return any(group.expired for group in self.around)

    def child(self, coroutine: _Coroutine, group: Group, name: str | None) -> "Task":
        """A task that the code which runs now starts: its context begins as a copy of the one that is current."""
        self._count += 1
        path = f"{self.name}.{self._count}".removeprefix(".") if name is None else name
        # A copy, as asyncio and trio make one: what a task sets in a context variable, its siblings do not see.
        return Task(path, coroutine, group, copy_context())

    def left(self, group: Group) -> None:
        self.groups.remove(group)
        # Names may be used again once no task of the old ones is left. A loop that opens a group in each round would
        # otherwise never return to a state.
        if not self.groups:
            self._count = 0


def order(name: str) -> tuple[int, ...]:
    """Sorts names: a task before its children, children in order of start."""
    return tuple(map(int, name.split("."))) if name else ()


@attrs.frozen(kw_only=True)
class Hooks:
    """What a driver adds: ``at_once``: the reply to an effect that is no schedule point, as a tuple of one, or None;
    ``known``: whether something is an effect; ``foreign``: what to raise for what is none; ``recalls``: whether the
    effect of a cancelled task stays open until the driver has answered it; ``through``: which exceptions of a task are
    not of the flow, but of its driver."""

    at_once: Callable[[object], tuple[object] | None]
    known: Callable[[object], bool]
    foreign: Callable[[_Coroutine, object], BaseException]
    recalls: Callable[[object], bool]
    through: Callable[[BaseException], bool]


class Tasks:
    """All tasks of one flow, from its first group on. Deterministic: equal answers in equal order, equal effects.
    ``runs`` is called with the name of each task that runs. ``context``: of the main task.

    Raises, from each method that runs tasks:
        Misused: a group is used as it must not be.
        What ``Hooks`` say.
    """

    def __init__(self, main: _Coroutine, hooks: Hooks, runs: Callable[[str], None], context: Context) -> None:
        self.main = Task(MAIN, main, None, context)
        self.misuse: Misused | None = None
        self._runs = runs
        self._hooks = hooks
        self._tasks: list[Task] = [self.main]
        self._ready: deque[tuple[Task, Callable[[], object]]] = deque()
        self._joining: list[tuple[Task, Group]] = []

    def run(self, request: object) -> None:
        """Begin, where the main task has requested this, until all tasks wait."""
        following = self._following(self.main, request)
        if following is not None:
            self._ready.append((self.main, following))
        self._run()

    @property
    def open(self) -> list[tuple[str, object, bool]]:
        """The open effects, by order of their tasks: name, effect, and whether the task was cancelled meanwhile."""
        waiting = [task for task in self._tasks if task.op is not None and task.op is not STALLED]
        return [(task.name, task.op, task.recalled) for task in sorted(waiting, key=lambda task: order(task.name))]

    def answer(self, name: str, reply: object) -> None:
        """Answer the open effect of a task, and run on until all wait. A cancelled task does not learn the reply."""
        task = self.find(name)
        # The effect is taken off first: a task that is resumed must not be cancelled as one that waits.
        recalled, task.op, task.recalled = task.recalled, None, False
        if recalled:
            # A recalled write has been answered, but the task must not learn whether it took place.
            self._ready.append((task, lambda: task.coroutine.throw(Cancelled())))
        else:
            self._ready.append((task, lambda: task.coroutine.send(reply)))
        self._run()

    def stall(self, name: str) -> None:
        """The open effect of a task stays without an answer, until the task is cancelled."""
        self.find(name).op = STALLED  # a value, not None: None means that the task runs, or waits for a group

    @property
    def under_way(self) -> list[Task]:
        """The tasks that have not ended."""
        return [task for task in self._tasks if not task.ended]

    def find(self, name: str) -> Task:
        """A task that waits."""
        return next(task for task in self._tasks if task.name == name and task.op is not None)

    def begin(self, task: Task) -> None:
        """For `Group.start`."""
        self._tasks.append(task)
        self._ready.append((task, lambda: task.coroutine.send(None)))

    def passes(self, error: BaseException) -> bool:
        """Whether an exception is not of the flow: it is abandoned, or there will be no verdict."""
        return isinstance(error, GeneratorExit | Misused) or self._hooks.through(error)

    def abandon(self) -> None:
        """Let go of all tasks: nothing of them runs any more."""
        for task in reversed(self._tasks):
            abandon(task.coroutine)

    def _run(self) -> None:
        while self._ready:
            task, resume = self._ready.popleft()
            self._runs(task.name)
            self._advance(task, resume)
            if self.misuse is not None:
                raise self.misuse
            self._join()

    def _advance(self, task: Task, resume: Callable[[], object]) -> None:
        """Run a task until it waits or ends."""
        while True:
            try:
                request = task.context.run(resume)
            except StopIteration as stop:
                return self._end(task, None, stop.value)
            except BaseException as error:  # a task may raise anything: it is its group's, or the flow's
                if self.passes(error):
                    raise
                return self._end(task, error)
            following = self._following(task, request)
            if following is None:
                return None
            resume = following

    def _following(self, task: Task, request: object) -> Callable[[], object] | None:
        """How a task goes on at once; None if it waits."""
        # Each answer is a callable, so that the task is resumed in its own context: see `_advance`.
        send, throw = task.coroutine.send, task.coroutine.throw
        if isinstance(request, Opens | Joins):
            return (lambda: send(None)) if self._granted(task, request) else None
        try:
            effect = exact(request)  # subclasses of bytes become bytes here, before anything compares effects
        except TypeError as error:
            wrong = error
            return lambda: throw(wrong)
        if not self._hooks.known(effect):
            raise self._hooks.foreign(task.coroutine, effect)
        # Also where a ``finally`` of the task asks for something: a cancelled task performs no effect, as under trio.
        if task.cancelled:
            return lambda: throw(Cancelled())
        reply = self._hooks.at_once(effect)
        if reply is not None:
            return lambda: send(reply[0])
        task.op = effect
        return None

    def _granted(self, task: Task, request: Opens | Joins) -> bool:
        """Open or end a group. Whether its task goes on at once."""
        group = request.group
        if isinstance(request, Opens):
            group.opened(self, task)
            return True
        # Groups of one task end in the reverse of the order in which they were opened, as blocks do.
        if not task.groups or task.groups[-1] is not group:
            raise Misused("a group is ended by another task, or before one that was opened later; nest them")
        if request.error is not None:
            self._failed(group, request.error)
        if group.ends_with_body:
            self._cancel(group)
        self._joining.append((task, group))
        return False

    def _join(self) -> None:
        """Let the tasks go on whose groups have ended, the innermost ones first."""
        # A list, since the loop changes ``_joining``. A group is busy while an inner one is open: the task that has
        # opened it has not ended.
        for task, group in [each for each in self._joining if not each[1].busy]:
            self._joining.remove((task, group))
            task.left(group)
            self._tasks = [one for one in self._tasks if one.group is not group]
            send = task.coroutine.send  # bound now: the loop variable changes before the call
            self._ready.append((task, lambda send=send: send(None)))  # type: ignore[misc]

    def _end(self, task: Task, error: BaseException | None, value: object = None) -> None:
        if task.groups:  # by __aenter__ alone, without an ``async with``
            raise Misused("a task ends and leaves a group open; write async with env.parallel() as group")
        # Nothing has cancelled it, so its group would pass for one that ended well.
        if isinstance(error, Cancelled) and not task.cancelled:
            raise Misused("a task raises Cancelled of its own accord; raise an error of yours") from error
        task.ended, task.error = True, error
        if error is None:
            task.handle.returned(value)
        elif task.group is not None:  # the main task has no group: the driver raises its error
            self._failed(task.group, error)

    def _failed(self, group: Group, error: BaseException) -> None:
        """Cancel a group's other tasks, and all that these have started."""
        # Cancelled is the result of a cancelling, never its reason.
        if not isinstance(error, Cancelled) and group.cancels:
            self._cancel(group)

    def _cancel(self, group: Group) -> None:
        if group.cancelled:
            return  # the first error decides; later ones are only collected
        group.cancelled = True
        # Sorted: two histories may have started the same tasks in another order, and must go on alike from an equal
        # state.
        for task in sorted(self._tasks, key=lambda task: order(task.name)):
            # One that does not wait for an effect is cancelled when it requests its next one: see `_following`.
            # The body of the group is one of these tasks: the group is open in it, see `Task.around`.
            if task.op is None or task.recalled or not task.cancelled:
                continue
            # A write that may be on its way: it stays open until the driver has answered.
            if self._hooks.recalls(task.op):
                task.recalled = True
                continue
            task.op = None
            self._ready.append((task, lambda throw=task.coroutine.throw: throw(Cancelled())))  # type: ignore[misc]
