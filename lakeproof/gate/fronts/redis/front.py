"""Redis as the gate sees it. A request is a command, or the commands of an EXEC; what is of a connection alone is none:
`lakeproof.gate.fronts.redis.session` answers that."""

from typing import Final

import attrs

from lakeproof.gate.fronts.footprints import Footprint
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
    """What is asked of the store. user: who asks. commands: one; or those of a transaction, with the versions that its
    watched keys had when they were watched."""

    user: str
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
    """See `lakeproof.gate.fronts.Front`."""

    def client_of(self, asked: RedisRequest) -> str:
        return asked.user

    def label_of(self, asked: RedisRequest) -> str:
        if not asked.transaction:
            return label_of(asked.commands[0])
        watched = " ".join(escape_key(key) for key, _ in asked.watched)
        told = ", ".join(map(label_of, asked.commands))
        return f"EXEC ({told}) if unchanged {watched}" if watched else f"EXEC ({told})"

    def keys_of(self, asked: RedisRequest) -> tuple[str, ...]:
        return ()  # a label has them all

    def writes(self, asked: RedisRequest) -> bool:
        return any(map(writes, asked.commands))

    def perform(self, state: RedisState, asked: RedisRequest, now: int) -> tuple[RedisState, Reply, Footprint]:
        work = Work(state)
        if asked.late:
            trial = Work(state)
            self._reply(trial, asked)
            work.expire(trial.footprint)
        reply = self._reply(work, asked)
        return work.state, reply, work.footprint

    def _reply(self, work: Work, asked: RedisRequest) -> Reply:
        if asked.watches:
            keys = dict.fromkeys(asked.commands[0][1:])
            return Reply(OK, tuple((key, work.version(key)) for key in keys))
        value = self._value(work, asked)
        return Reply(value, unknown=work.unknown)

    def _value(self, work: Work, asked: RedisRequest) -> Value:
        if not asked.transaction:
            return perform_command(work, asked.commands[0])
        if [key for key, version in asked.watched if work.version(key) != version]:
            return NilArray()
        return tuple(perform_command(work, words) for words in asked.commands)

    def refusal(self, asked: RedisRequest) -> Reply:
        return Reply(Failure(f"EXECABORT Transaction discarded because of: {BUSY}" if asked.transaction else BUSY))
