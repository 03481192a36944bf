"""Connections to Redis, carried by the gate's own server: what is read from one is acted on in the same step of a task.

The commands of a connection are answered in their order. One that waits at the gate keeps those behind it waiting,
which are requests of their own once their turn has come.
"""

import socket
from collections.abc import Callable, Collection
from functools import partial
from itertools import count
from typing import Final

from lakeproof.gate.fronts.http import Cut, Gone, refuse
from lakeproof.gate.fronts.redis.front import RedisFront, RedisRequest
from lakeproof.gate.fronts.redis.parser import Incoming, Malformed, Words
from lakeproof.gate.fronts.redis.replies import Failure, Reply, encode_reply
from lakeproof.gate.fronts.redis.session import Session
from lakeproof.gate.server import Gate

STRANGER: Final = "NOAUTH Authentication required: this connection is of no client; use REDIS_URL, with its user"
UNNAMED: Final = "a connection that is of no client of REDIS_URL"


class Speaker:
    """Talks to the clients of a gate's Redis. clients: who may ask; empty: anybody. Requests of others would
    pass the gate: they are refused. tell: receives each request and its answer."""

    def __init__(
        self,
        gate: Gate,
        clients: Collection[str] = (),
        tell: Callable[[RedisRequest, Reply], object] | None = None,
    ) -> None:
        self.gate = gate
        self.clients = frozenset(clients)
        self.tell = tell
        self._numbers = count(1)  # ids of connections: CLIENT ID

    async def talk(self, connection: socket.socket) -> None:
        """Serve a connection until it is closed, and close it."""
        incoming, session = Incoming(), Session(next(self._numbers))
        rounds = self.gate.rounds
        try:
            while not session.over:
                words = await self.gate.server.arrived(connection, incoming)
                if isinstance(words, Malformed):
                    self.gate.note(session.client, words.unknown)
                    await refuse(connection, encode_reply(Failure(words.why), session.protocol))
                    return
                if rounds != self.gate.rounds:  # versions of another schedule say nothing of this one
                    rounds = self.gate.rounds
                    session.unwatch()
                await self._one(connection, session, words)
        except (Gone, Cut):
            pass
        finally:
            connection.close()

    async def _one(self, connection: socket.socket, session: Session, words: Words) -> None:
        self.gate.server.seen += 1
        found = session.taken(words)
        if isinstance(found, RedisRequest):
            reply = await self._answer(connection, session, found)
        else:
            reply = found
            self.gate.note(f"{session.client} {words[0].decode('latin-1').upper()}", reply.unknown)
        await self.gate.server.send(connection, encode_reply(reply.value, session.protocol))

    async def _answer(self, connection: socket.socket, session: Session, request: RedisRequest) -> Reply:
        if self.clients and request.client not in self.clients:
            # `Gate.ask` answers a client that it does not hold at once: the request would be no step.
            self.gate.note(f"{request.client or 'unnamed client'} {RedisFront().label_of(request)}", UNNAMED)
            return Reply(Failure(STRANGER))
        reply = await self.gate.ask(request, request.body, partial(self.gate.server.closed, connection))
        assert isinstance(reply, Reply)
        # A lost answer raises Cut before this. So a session never knows what its client does not.
        session.answered(request, reply)
        if self.tell is not None:
            self.tell(request, reply)
        return reply
