"""Redis as the gate sees it. A request is a command, or the commands of an EXEC; what is of a connection alone is none:
`lakeproof.gate.fronts.redis.session` answers that."""

from typing import Final

import attrs

from lakeproof.gate.fronts.footprints import Footprint
from lakeproof.gate.fronts.redis import lists
from lakeproof.gate.fronts.redis.commands import label_of, perform_command, writes
from lakeproof.gate.fronts.redis.parser import Words
from lakeproof.gate.fronts.redis.replies import OK, Failure, NilArray, Reply, Value
from lakeproof.gate.fronts.redis.state import RedisState
from lakeproof.gate.fronts.redis.work import Work, escape_key

BUSY: Final = "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE."
"""What a Redis answers that does something else for too long: before it has done anything, and to any command. Clients
do not send it again by themselves, as after LOADING or TRYAGAIN, nor go to another server, as after READONLY."""


@attrs.frozen
class RedisRequest:
    """A request of the store. commands: one; or those of a transaction, with the versions that its watched keys had
    when they were watched."""

    client: str
    commands: tuple[Words, ...]
    transaction: bool = False
    watched: tuple[tuple[bytes, int], ...] = ()
    late: bool = False
    """Whether the keys that it touches, and that were given a time to live, have expired before it."""

    @property
    def watches(self) -> bool:
        """Whether it is a WATCH."""
        return not self.transaction and self.commands[0][0].upper() == b"WATCH"

    @property
    def body(self) -> bytes:
        """All of it, to compare it with others."""
        return b"\n".join(b" ".join(words) for words in self.commands)


class RedisFront:
    """See `lakeproof.gate.fronts.interface.Front`."""

    def label_of(self, request: RedisRequest) -> str:
        if not request.transaction:
            return label_of(request.commands[0])
        watched = " ".join(escape_key(key) for key, _ in request.watched)
        commands = ", ".join(map(label_of, request.commands))
        return f"EXEC ({commands}) if unchanged {watched}" if watched else f"EXEC ({commands})"

    def writes(self, request: RedisRequest) -> bool:
        return any(map(writes, request.commands))

    def perform(self, state: RedisState, request: RedisRequest, now: int) -> tuple[RedisState, Reply, Footprint]:
        work = Work(state)
        if request.late:
            # What it would touch says which keys have expired. Then it runs without them, and may go another way.
            trial = Work(state)
            self._reply(trial, request)
            work.expire(trial.footprint)
        reply = self._reply(work, request)
        return work.state, reply, work.footprint

    def _reply(self, work: Work, request: RedisRequest) -> Reply:
        if request.watches:
            keys = dict.fromkeys(request.commands[0][1:])  # a key that is named twice is watched once
            return Reply(OK, tuple((key, work.read(key).version) for key in keys))
        value = self._value(work, request)
        return Reply(value, unknown=work.unknown, waits=work.blocks)

    def _value(self, work: Work, request: RedisRequest) -> Value:
        if not request.transaction:
            return perform_command(work, request.commands[0])
        work.waits = False
        # A list, not `any`: every version is read, so what is touched does not depend on the order of the keys.
        if [key for key, version in request.watched if work.read(key).version != version]:
            return NilArray()
        # The commands after one that fails are executed, too: Redis takes nothing back.
        return tuple(perform_command(work, words) for words in request.commands)

    def awaited(self, state: RedisState, request: RedisRequest) -> int | None:
        return None if request.transaction else lists.count_awaited(state, request.commands[0])

    def refusal(self, request: RedisRequest) -> Reply:
        # A refused EXEC ends its transaction: the session has forgotten what was queued and watched.
        return Reply(Failure(f"EXECABORT Transaction discarded because of: {BUSY}" if request.transaction else BUSY))
