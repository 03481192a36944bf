"""Several things at once inside one flow: groups of tasks.

::

    async with env.parallel() as group:
        branches = group.start(delete_branches, env, partition)
        group.start(delete_tags, env, partition)
    print(branches.value)

A task that waits for an effect leaves it *open*. Each open effect is a schedule point of its own: any of them may be
answered next. Between two answers nothing is left to chance: see `lakeproof.impl.scheduling`.

Names. A task is named by its path: the main task is "", its first child "1", the second child of that "1.2". A task
counts its children in order of start, and begins anew where none of its groups is open.

Errors, as trio has them: where a task of a group fails, or the body of the ``async with``, the others are cancelled,
and the group raises an ExceptionGroup of what was raised (also if it is a single one; the body first, then by order of
start). What a cancelled task waits for is withdrawn, and `Cancelled` is raised in its place. A read is withdrawn at
once. A write may be on its way already: it is withdrawn, or takes place all the same, and the task does not learn
which. Both are schedule points. A cancelled task that asks for a further effect is cancelled again.
``env.parallel(cancel=False)`` lets the others run on to their ends, as goroutines do, and then raises the same
ExceptionGroup.

Example: two tasks read a key each, and then write it. First "1" and "2" are open, two reads. The answer to "2" leaves
the read of "1" and the write of "2" open; and so on. There are C(4, 2) = 6 orders, through 9 states.
"""

import types
from collections.abc import Callable, Coroutine, Generator
from enum import Enum
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Generic, ParamSpec, Self, TypeVar, cast

import attrs

from lakeproof.model import channels, kv, objects

if TYPE_CHECKING:
    from lakeproof.impl.scheduling import Task, Tasks

P = ParamSpec("P")
T = TypeVar("T")

MAIN: Final = ""
"""The name of a flow's main task."""

WRITES: Final = (
    # A read is not here: whether it took place makes no difference, so its task ends at once.
    *(kv.Set, kv.SetIf, kv.Delete, kv.DeleteIf, kv.Transact),
    *(objects.Put, objects.Copy, objects.SetMetadata, objects.DeleteObject),
    channels.Send,
)
"""Effects that may have taken place when their task is cancelled."""


class Cancelled(BaseException):  # not an Exception: ``except Exception`` of a flow must not stop a cancelling
    """Raised where a task waits, when another task of its group, or of one around it, has failed. Let it pass."""


class Misused(BaseException):
    """A flow uses a group as it must not be used: no answer of the flow, and no verdict. The message has the repair."""


@attrs.frozen(cache_hash=True)
class Withdrawn:
    """Stands for the write of a cancelled task where that does not take place: touches nothing."""

    op: object


@attrs.frozen(cache_hash=True)
class CutOff(Withdrawn):
    """The same of a write that a timeout has cut off: it does not take place, or does so later."""


@attrs.frozen(cache_hash=True)
class Unanswered:
    """Stands for a write within a timeout that takes place, and whose answer does not come before the deadline."""

    op: object


class _PoolState(Enum):
    NEW = "was not entered"
    OPEN = "is open"
    ENDING = "waits for its tasks"
    ENDED = "has ended"


@attrs.frozen(eq=False)  # by identity: each is handed over once, and a group has no value to compare
class Opens:
    """What a flow hands to its driver at the begin of a group. No schedule point."""

    group: "Group"


@attrs.frozen(eq=False)
class Joins:
    """And at its end: the driver goes on with the task when all tasks of the group have ended. No schedule point."""

    group: "Group"
    error: BaseException | None
    """What the body has raised."""


@types.coroutine
def _ask(request: Opens | Joins) -> Generator[object, None, None]:
    yield request


class Started(Generic[T]):
    """A task that was started. ``name``: its path."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._ended = False
        self._value: T | None = None

    @property
    def value(self) -> T:
        """What the task has returned. Raises RuntimeError: it has not, it still runs or has failed."""
        if not self._ended:
            raise RuntimeError(f"task {self.name} has no value: it runs yet, or has failed; ask after the group's end")
        return cast("T", self._value)

    def returned(self, value: T) -> None:
        self._ended, self._value = True, value


class Group:
    """Tasks that end before the ``async with`` does: see `lakeproof.impl.parallel`. Made by ``env.parallel()``."""

    ends_with_body = False
    """Whether the end of the body cancels the tasks. See `lakeproof.impl.effects.Timeout`."""

    def __init__(self, *, cancel: bool) -> None:
        self.cancels = cancel
        self.cancelled = False
        self.expired = False
        self._state = _PoolState.NEW
        self._tasks: Tasks | None = None
        self._owner: Task | None = None
        self._around: tuple[Group, ...] = ()
        self._children: list[Task] = []

    def start(self, flow: Callable[P, Coroutine[Any, Any, T]], *args: P.args, **kwargs: P.kwargs) -> Started[T]:  # type: ignore[explicit-any]
        """Start ``flow(*args, **kwargs)`` as a task of this group. It begins when the task that starts it waits.

        Raises:
            Misused: the group is not open, or is a timeout; or this is no ``async def``.
        """
        return self.start_as(None, flow, *args, **kwargs)

    def start_as(  # type: ignore[explicit-any]
        self, name: str | None, flow: Callable[P, Coroutine[Any, Any, T]], *args: P.args, **kwargs: P.kwargs
    ) -> Started[T]:
        """`start`, under a name that was given elsewhere: by a program of another language; None: a name of ours."""
        # ENDING, too: a task of the group may start a sibling while the body waits for the end.
        if self._tasks is None or self._owner is None or self._state not in (_PoolState.OPEN, _PoolState.ENDING):
            raise self._misused(f"a task is started in a group that {self._state.value}; start it within async with")
        # The first one waits for the deadline. Errors of others would be lost: the end of a timeout raises the body's.
        if self.ends_with_body and self._children:
            raise self._misused("a task is started in a timeout; start it in an env.parallel() within the timeout")
        if not callable(flow):
            raise self._misused(f"start({type(flow).__name__}): expected an async def and its arguments: start(f, env)")
        coroutine = flow(*args, **kwargs)
        # `Tasks` abandons a coroutine by its frame: a future or an awaitable object has none.
        if not hasattr(coroutine, "send") or not hasattr(coroutine, "cr_frame"):
            raise self._misused(f"start: expected an async def, and it returns {type(coroutine).__name__}")
        task = self._owner.child(coroutine, self, name)
        self._children.append(task)
        self._tasks.begin(task)
        return task.handle

    async def __aenter__(self) -> Self:
        if self._state is not _PoolState.NEW:
            raise self._misused(f"a group that {self._state.value} is entered; each needs an env.parallel() of its own")
        self._state = _PoolState.OPEN
        await _ask(Opens(self))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not await self.join(error):
            return False
        raised = [] if error is None else [(MAIN, error)]
        raised += [(task.name, task.error) for task in self._children if task.error is not None]
        # The results of cancelling are no reasons.
        failed = [(name, one) for name, one in raised if not isinstance(one, Cancelled)]
        if failed:
            summary = ", ".join(f"{f'task {at}' if at else 'the body'} raised {type(e).__name__}" for at, e in failed)
            # ``from None``: the body's error is in the group already.
            raise BaseExceptionGroup(summary, [one for _, one in failed]) from None
        if self.cut:
            raise Cancelled  # the group around ends this task as well, though nothing in here has failed
        return False

    async def join(self, error: BaseException | None) -> bool:
        """Wait for the end of the tasks. False: there is nothing to wait for, since the flow is abandoned."""
        # GeneratorExit, or an error of the driver: nothing of the flow may wait now.
        if self._tasks is None or (error is not None and self._tasks.passes(error)):
            return False
        self._state = _PoolState.ENDING
        await _ask(Joins(self, error))
        self._state = _PoolState.ENDED
        return True

    @property
    def cut(self) -> bool:
        """Whether a group around it is cancelled."""
        return any(group.cancelled for group in self._around)

    @property
    def depth(self) -> int:
        """How many groups its task has open."""
        return 0 if self._owner is None else len(self._owner.groups)  # 0 before it is entered

    def opened(self, tasks: "Tasks", owner: "Task") -> None:
        """Note who drives it. For `Tasks`."""
        self._tasks, self._owner, self._around = tasks, owner, owner.around
        owner.groups.append(self)

    @property
    def scopes(self) -> "tuple[Group, ...]":
        """The groups whose cancelling cancels its tasks."""
        return (*self._around, self)  # from the outermost inwards

    @property
    def busy(self) -> bool:
        """Whether a task of it has not ended."""
        return any(not task.ended for task in self._children)

    def _misused(self, what: str) -> Misused:
        error = Misused(what)
        if self._tasks is not None:
            # Kept, since a flow may catch BaseException and go on; `Tasks` raises it after the next step.
            self._tasks.misuse = self._tasks.misuse or error
        return error
