"""One connection to Redis: who is there, what is queued, what is watched. No socket is touched here, and no store.

What is of the connection alone is answered here, at once, and is no step of a schedule.
"""

from collections.abc import Callable, Mapping
from typing import Final

from lakeproof.gate.fronts.redis.arguments import Args, integer
from lakeproof.gate.fronts.redis.commands import COMMANDS, args_of, find_command, name_of, perform_command
from lakeproof.gate.fronts.redis.front import RedisRequest
from lakeproof.gate.fronts.redis.parser import Words
from lakeproof.gate.fronts.redis.replies import OK, CommandError, Failure, Pairs, Reply, Simple, Value
from lakeproof.gate.fronts.redis.state import RedisState
from lakeproof.gate.fronts.redis.work import Work

VERSION: Final = b"7.0.0"
"""Of the Redis whose commands are known."""
DEFAULT_USER: Final = "default"
"""The user of a connection that has not named one."""
# These are executed at once within MULTI, too.
_NOT_QUEUED: Final = frozenset({b"EXEC", b"DISCARD", b"MULTI", b"WATCH", b"QUIT", b"RESET"})
_OF_NOTHING: Final = frozenset({b"PING", b"ECHO", b"SELECT"})
"""What may be part of a transaction, and asks nothing of the store."""
_NO_SPACES: Final = "ERR Client names cannot contain spaces, newlines or special characters."
_INFO: Final = b"# Server\r\nredis_version:%b\r\nredis_mode:standalone\r\n# Persistence\r\nloading:0\r\n" % VERSION


class Session:
    """number: of the connection. ``protocol`` is that of its answers, 2 or 3; ``over``: it is to be closed."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.protocol = 2
        self.over = False
        self._user = DEFAULT_USER
        self.name = b""
        self._queued: list[Words] | None = None
        """Of a transaction; None: there is none."""
        self._spoiled = False
        """Whether the transaction has a command that is none."""
        self._watched: dict[bytes, int] = {}

    @property
    def client(self) -> str:
        """The client: its user, else the name of the connection; empty: it has none."""
        return self.name.decode("latin-1") if self._user == DEFAULT_USER else self._user

    def unwatch(self, args: Args = ()) -> Value:
        """Forget the keys that are watched."""
        self._watched.clear()
        return OK

    def taken(self, words: Words) -> Reply | RedisRequest:
        """The answer to a command; or the request of the store, whose answer `answered` is to receive."""
        try:
            command = find_command(words)
        except CommandError as error:
            # An EXEC with too many words ends its transaction, and says so.
            if words[0].upper() == b"EXEC":
                self._end()
                text = str(error).removeprefix("ERR ")
                return Reply(Failure(f"EXECABORT Transaction discarded because of: {text}"))
            self._spoiled = self._queued is not None  # EXEC will refuse
            return Reply(Failure(str(error)), unknown=error.unknown)
        name = name_of(words)
        try:
            if self._queued is not None and name not in _NOT_QUEUED:
                return Reply(self._queue(words, command.do is not None))
            if name in _OF_NOTHING:
                work = Work(RedisState())  # they need no store
                return Reply(perform_command(work, words), unknown=work.unknown)
            if name in _OF_THE_CONNECTION:
                return Reply(_OF_THE_CONNECTION[name](self, args_of(words)))
            if name == b"EXEC":
                return self._transaction()
            if name == b"WATCH" and self._queued is not None:
                raise CommandError("ERR WATCH inside MULTI is not allowed")
        except CommandError as error:
            return Reply(Failure(str(error)), unknown=error.unknown)
        return RedisRequest(self.client, (words,))

    def answered(self, request: RedisRequest, reply: Reply) -> None:
        """What the store has answered."""
        for key, version in reply.watched:
            # The first version counts: a second WATCH of a key must not cover up a change since the first.
            self._watched.setdefault(key, version)

    def _queue(self, words: Words, possible: bool) -> Value:
        if not possible:
            self._spoiled = True
            name = name_of(words).decode("latin-1").replace("|", " ")
            raise CommandError(f"ERR {name}: not known in a transaction here", f"{name} in a transaction")
        assert self._queued is not None
        self._queued.append(words)
        return Simple("QUEUED")

    def _transaction(self) -> RedisRequest:
        if self._queued is None:
            raise CommandError("ERR EXEC without MULTI")
        # Made before `_end` clears what it is made of.
        found = RedisRequest(self.client, tuple(self._queued), True, tuple(self._watched.items()))
        spoiled = self._spoiled
        self._end()
        if spoiled:
            raise CommandError("EXECABORT Transaction discarded because of previous errors.")
        return found

    def _end(self) -> None:
        self._queued, self._spoiled = None, False
        self._watched.clear()

    def multi(self, args: Args) -> Value:
        if self._queued is not None:
            raise CommandError("ERR MULTI calls can not be nested")  # no mistake that spoils the transaction
        self._queued = []
        return OK

    def discard(self, args: Args) -> Value:
        if self._queued is None:
            raise CommandError("ERR DISCARD without MULTI")
        self._end()
        return OK

    def quit(self, args: Args) -> Value:
        self.over = True
        return OK

    def reset(self, args: Args) -> Value:
        # The connection is as new: it is of no client until it names a user again.
        self._end()
        self._user, self.name, self.protocol = DEFAULT_USER, b"", 2
        return Simple("RESET")

    def auth(self, args: Args) -> Value:
        """Any password is right."""
        if len(args) > 2:
            raise CommandError("ERR syntax error")
        # One word is a password of the default user.
        self._user = args[0].decode("latin-1") if len(args) == 2 else DEFAULT_USER
        return OK

    def hello(self, args: Args) -> Value:
        """``HELLO [protocol [AUTH user password] [SETNAME name]]``."""
        protocol, user, name = self.protocol, self._user, self.name
        if args:
            protocol = integer(args[0], "ERR Protocol version is not an integer or out of range")
            if protocol not in (2, 3):
                raise CommandError("NOPROTO unsupported protocol version")
        rest = list(args[1:])
        while rest:
            word, *rest = rest
            if word.upper() == b"AUTH" and len(rest) >= 2:
                user, rest = rest[0].decode("latin-1"), rest[2:]
            elif word.upper() == b"SETNAME" and rest:
                name, rest = _name(rest[0]), rest[1:]
            else:
                raise CommandError(f"ERR Syntax error in HELLO option '{word.decode('latin-1')}'")
        # All at once: a wrong option further on changes nothing.
        self.protocol, self._user, self.name = protocol, user, name
        who = ((b"server", b"redis"), (b"version", VERSION), (b"proto", protocol), (b"id", self.number))
        return Pairs((*who, (b"mode", b"standalone"), (b"role", b"master"), (b"modules", ())))

    def set_name(self, args: Args) -> Value:
        self.name = _name(args[0])
        return OK

    def set_info(self, args: Args) -> Value:
        if args[0].lower() not in (b"lib-name", b"lib-ver"):
            raise CommandError(f"ERR Unrecognized option '{args[0].decode('latin-1')}'")
        return OK


def _name(text: bytes) -> bytes:
    if any(not 0x21 <= one <= 0x7E for one in text):  # blanks and what is no printable ASCII
        raise CommandError(_NO_SPACES)
    return text


_OF_THE_CONNECTION: Final[Mapping[bytes, Callable[[Session, Args], Value]]] = {
    b"MULTI": Session.multi,
    b"DISCARD": Session.discard,
    b"UNWATCH": Session.unwatch,
    b"QUIT": Session.quit,
    b"RESET": Session.reset,
    b"AUTH": Session.auth,
    b"HELLO": Session.hello,
    b"CLIENT|SETNAME": Session.set_name,
    b"CLIENT|GETNAME": lambda session, args: session.name or None,
    b"CLIENT|SETINFO": Session.set_info,
    b"CLIENT|ID": lambda session, args: session.number,
    b"INFO": lambda session, args: _INFO,
    # No commands are described: libraries take that for an old Redis.
    b"COMMAND": lambda session, args: (),
    b"COMMAND|INFO": lambda session, args: (),
    b"COMMAND|DOCS": lambda session, args: Pairs(()),
    b"COMMAND|COUNT": lambda session, args: len(COMMANDS),
}
