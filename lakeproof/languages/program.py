"""Programs as flows of a scenario: what a scenario's file writes, and the flow that forwards effects.

::

    flows = Program("./flows", errors={"not_unique": NotUnique})
    Scenario(clients=[[flows.call("create_repository", "r")], [flows.call("delete_repository", "r")]], ...)
"""

import os
import shlex
from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import Final, cast

import attrs

from lakeproof.impl.effects import Effect, Env, Local, Now, Sleep, Wake
from lakeproof.impl.parallel import Group, Unanswered, Withdrawn
from lakeproof.impl.printable import printable
from lakeproof.languages import protocol
from lakeproof.languages.child import ANSWER_SECONDS, Command, ProgramFailed
from lakeproof.languages.pool import FlowRun
from lakeproof.languages.protocol import Asks, Mints, Opens, Raises, Returns
from lakeproof.model import channels, kv, objects, watches
from lakeproof.scenario import Call, ScenarioError
from lakeproof.search.fence import in_one_line

SECONDS_MAX: Final = 3600.0
# The protocol has no words for these.
PythonAlone = kv.Transact | channels.Op | watches.StartWatch | Local | Wake | Withdrawn | Unanswered

Decoder = Callable[[Hashable], Hashable]
"""Makes the result that invariants see of what a flow returned. Raises ValueError for what has none."""


class Raised(Exception):
    """What a flow of a program raised, of a kind that `Program.errors` does not name."""

    def __init__(self, kind: str, message: str, definite: bool) -> None:
        super().__init__(kind, message, definite)

    @property
    def kind(self) -> str:
        """The program's word for it."""
        return cast("str", self.args[0])

    @property
    def definite(self) -> bool:
        """Whether the call did not take place."""
        return cast("bool", self.args[2])

    def __repr__(self) -> str:
        kind, message, _ = self.args
        return f"{kind}({message!r})" if message else f"{kind}()"

    __str__ = __repr__


@attrs.frozen(init=False)
class Program:
    """A program that runs flows on request, and asks lakeproof for their effects: docs/flow-protocol.md.

    command: as for a shell, without its operators.
    folder: where it is started, and where a relative path of it begins. None: the current folder.
    seconds: how long it may take from one line to the next; after that nothing is decided.
    errors: for a kind of error that its flows raise, the exception class that invariants know. It is made of the
        message, if there is one, and says itself whether it is definite. Kinds of the stores' errors are known.

    Processes are started when a search needs them, used for one flow after the other, and end with lakeproof's.
    """

    command: tuple[str, ...]
    folder: str | None
    seconds: float
    errors: tuple[tuple[str, type[Exception]], ...]

    def __init__(
        self,
        command: str,
        *,
        folder: str | Path | None = None,
        seconds: float = ANSWER_SECONDS,
        errors: Mapping[str, type[Exception]] | None = None,
    ) -> None:
        try:
            words = tuple(shlex.split(command))
        except (ValueError, AttributeError, TypeError) as error:
            raise ScenarioError(f"Program({command!r}): {error}; write the command as for a shell") from error
        if not words:
            raise ScenarioError(f"Program({command!r}): expected a command, such as './flows'")
        if not 0 < seconds <= SECONDS_MAX:
            raise ScenarioError(f"Program({command!r}): seconds={seconds!r}, expected more than 0, at most 3600")
        known = tuple(sorted((errors or {}).items()))
        for kind, error_class in known:
            # Not only true or false: an error that says neither would be taken for a mistake of the flow.
            if type(getattr(error_class, "definite", None)) is not bool:
                raise ScenarioError(
                    f"Program({command!r}): errors[{kind!r}] is {error_class!r}; expected an exception class that says "
                    f"definite = True or definite = False"
                )
        self.__attrs_init__(words, None if folder is None else os.fspath(folder), seconds, known)

    def flow(self, name: str, *, result: Decoder | None = None) -> "ProgramFlow":
        """One of its flows, for `Call`. result: makes a value of what it returns; else JSON's own, frozen."""
        return ProgramFlow(self, name, result)

    def call(self, name: str, *args: Hashable, attempts: int = 1, **options: Hashable) -> Call:
        """A call of one of its flows. Arguments: None, bool, int, str, bytes, and tuples of these."""
        return Call(self.flow(name), *args, attempts=attempts, **options)


@attrs.frozen
class ProgramFlow:
    """A flow of a program. It runs under the search, under a replay and step by step; not in real time, under trio:
    it waits for its program without letting other tasks run."""

    program: Program
    name: str
    result: Decoder | None = None

    @property
    def __name__(self) -> str:
        return self.name

    async def __call__(self, env: Env, *args: Hashable, **options: Hashable) -> Hashable:
        # No `try` with a `finally`, and no `with`: what is abandoned here must not run on. A run that is dropped gives
        # its process back by itself.
        run = FlowRun(
            # In each run: it may have been built anew.
            Command.as_it_is(self.program.command, self.program.folder, self.program.seconds),
            self.name,
            self._arguments(args, options),
        )
        while True:
            message = run.now
            match message:
                case Mints():
                    # No step of a schedule.
                    run.answer(message.number, protocol.mint_reply(env.ids.unique(message.kind)))
                case Opens():
                    async with env.parallel(cancel=False) as group:  # a program cannot take back an effect
                        _start(env, run, group)
                case Returns():
                    run.give_away()  # another run may use the process now
                    return self._result(message)
                case Raises():
                    run.give_away()
                    requested_at = message.at  # as below: the line that raises
                    raise self._error(message)
                case Asks():
                    requested_at = message.at  # noqa: F841  # `lakeproof.impl.frames` reads it
                    # While it waits, nothing here holds the number, which is another one in each round of a loop.
                    reply = await _perform_effect(env, message.effect)
                    run.answer_last(reply)

    def _arguments(self, args: tuple[Hashable, ...], options: Mapping[str, Hashable]) -> str:
        try:
            return protocol.arguments(args, options)
        except TypeError as error:
            raise ScenarioError(f"{self.name}: {error}") from error

    def _result(self, message: Returns) -> Hashable:
        if self.result is None:
            return message.value
        try:
            return self.result(message.value)
        except Exception as error:  # of the scenario's file, and not of the flow
            shown = f"{self.name} returned {message.value!r}"
            raise ScenarioError(f"{shown}, which its result= refuses: {in_one_line(error)}") from error

    def _error(self, message: Raises) -> Exception:
        """What the call raises. ProgramFailed: the program calls an error definite that is not, or the reverse."""
        if message.definite is None:
            if message.kind == "no_such_flow":  # a mistake of the scenario's file, and not of a flow
                raise ScenarioError(f"program {' '.join(self.program.command)}: {message.message}")
            # The program's word, as the name of a class: so it is reported like an exception of a flow in Python.
            named = "".join(one for one in message.kind if one.isalnum() or one == "_") or "Error"
            return cast("Exception", type(named, (Exception,), {})(printable(message.message)))
        # A scenario's words go before ours.
        known = {**protocol.STORE_ERRORS, **dict(self.program.errors)}.get(message.kind)
        if known is None:
            return Raised(message.kind, message.message, message.definite)
        try:
            error = known(message.message) if message.message else known()
        except Exception as wrong:
            raise ScenarioError(
                f"{self.name}: {known.__name__} cannot be made of {message.message!r}: {in_one_line(wrong)}"
            ) from wrong
        if getattr(error, "definite", None) is not message.definite:
            words = {True: "definite", False: "indefinite"}
            raise ProgramFailed(
                f"program {' '.join(self.program.command)}: {self.name} raises {message.kind} as "
                f"{words[message.definite]}; {known.__name__} is {words[not message.definite]}"
            )
        return error


def _start(env: Env, run: FlowRun, group: Group) -> None:
    """Start a task for each effect that has just been opened."""
    if isinstance(run.now, Opens):
        for task, request in run.now.effects:
            # By the program's own name for it: a number in order of start would depend on the order of replies.
            group.start_as(task, _ask, env, run, group, request)


async def _ask(env: Env, run: FlowRun, group: Group, request: Asks | Mints) -> None:
    """One effect of a task of the program, beside others."""
    requested_at = request.at  # noqa: F841  # `lakeproof.impl.frames` reads it
    if isinstance(request, Mints):
        reply = protocol.mint_reply(env.ids.unique(request.kind))
    else:
        reply = await _perform_effect(env, request.effect)
    run.answer(request.number, reply)
    _start(env, run, group)  # what this reply has opened


async def _perform_effect(env: Env, effect: Effect) -> str:
    """Perform an effect. Returns the reply to the program."""
    try:
        reply = await _perform_object_effect(env, effect)
    except (kv.KVError, objects.ObjectError) as error:
        return protocol.error_reply(error)
    return protocol.effect_reply(effect, reply)


async def _perform_object_effect(env: Env, effect: Effect) -> Hashable:
    if isinstance(effect, Now):
        return await env.clock.now()
    if isinstance(effect, Sleep):
        await env.clock.sleep(effect.microseconds)  # by the clock of the model
        return None
    assert not isinstance(effect, PythonAlone), "no flow of a program asks for it"
    if isinstance(effect, kv.Get | kv.Set | kv.SetIf | kv.Delete | kv.DeleteIf | kv.ScanBatch):
        return await env.store.perform(effect)
    return await env.objects.perform(effect)
