"""Stores behind connections that block: a thread for each operation under way, a connection for each thread.

What is known of an operation whose connection was lost is nothing: `kv.OutcomeUnknown`. Nothing is ever tried again
here, because a write that is tried again may be done twice, or fail on what it wrote itself.
"""

import socket
import threading
from abc import abstractmethod
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Final, Generic, TypeVar

import trio

from lakeproof.impl.closable import Closing
from lakeproof.impl.stores.base import DELETE_IF, TRANSACT, Answer, Store
from lakeproof.model import kv
from lakeproof.words import Unusable

KILL_CONNECTIONS: Final = "kill-connections"
RESTART: Final = "restart"

C = TypeVar("C")


class Lost(Exception):
    """No answer came, or none that says whether the operation was done. Names what did."""


class _Slot(Generic[C]):
    """The connection of one operation, as its task and its thread share it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.connection: C | None = None
        self.cancelled = False


class Pooled(Closing, Store, Generic[C]):
    """A driver says how to `connect`, `execute` and `discard`; it is called in many threads at once, but
    never twice at once for one connection.

    An operation that is cancelled loses its connection, and may be done all the same: at once, later, or never.
    connections: how many operations are under way at once; others wait.
    """

    capabilities = frozenset({DELETE_IF, TRANSACT})
    faults = frozenset({KILL_CONNECTIONS})

    def __init__(self, name: str, connections: int) -> None:
        self.name = name
        self._limiter = trio.CapacityLimiter(connections)
        self._lock = threading.Lock()
        self._idle: list[C] = []
        self._busy: list[C] = []
        self._closed = False

    @abstractmethod
    def connect(self) -> C:
        """Raises Unsent if there is no connection to be had."""

    @abstractmethod
    def execute(self, connection: C, op: kv.Op | kv.Transact) -> Answer:
        """Raises KVError as `Store.apply`; Lost where the connection cannot be used any more."""

    @abstractmethod
    def opened(self, connection: C) -> socket.socket | None:
        """A duplicate of its socket; None if it has none."""

    @abstractmethod
    def discard(self, connection: C) -> None:
        """Close it. Raises nothing."""

    def sever(self, connection: C, how: int = socket.SHUT_RDWR) -> None:
        """Cut it, even while it is in use. SHUT_RD cuts off the answer alone."""
        with suppress(OSError):
            opened = self.opened(connection)
            if opened is not None:
                with opened:
                    opened.shutdown(how)

    async def apply(self, op: kv.Op) -> Answer:
        return await self._in_thread(op)

    async def apply_all(self, op: kv.Transact) -> None:
        await self._in_thread(op)

    async def _in_thread(self, op: kv.Op | kv.Transact) -> Answer:
        slot: _Slot[C] = _Slot()
        try:
            # The thread outlives a cancelled task, and keeps its token of the limiter until it ends.
            return await trio.to_thread.run_sync(self._apply, slot, op, abandon_on_cancel=True, limiter=self._limiter)
        except trio.Cancelled:
            # Either the thread has not sent anything yet, and sees the flag, or its connection is cut under it. The
            # lock keeps the thread from returning the connection in between, else another operation would be cut.
            with slot.lock:
                slot.cancelled = True
                if slot.connection is not None:
                    self.sever(slot.connection)
            raise

    async def kill(self, rng: Random) -> str:
        """Cut a connection, one that is in use if there is any. Returns what was done."""
        with self._lock:
            # An idle connection is found broken by the next operation only, whose outcome is then unknown.
            chosen = self._busy or self._idle
            if not chosen:
                return "no connection to kill"
            # With SHUT_RD the request may still be done, and only its answer is lost.
            self.sever(rng.choice(chosen), rng.choice((socket.SHUT_RDWR, socket.SHUT_RD)))
            return "a connection in use killed" if self._busy else "an idle connection killed"

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            # The threads discard these, once their reads end: a driver's connection must not be closed by another
            # thread while it is in use.
            for connection in self._busy:
                self.sever(connection)
        for connection in idle:
            self.discard(connection)

    def probe(self, ask: Callable[[C], object]) -> None:
        """Connect and ask something, before anything else. Blocks. Raises Unusable if there is no connection to be had,
        and what ``ask`` raises."""
        try:
            connection = self.connect()
        except kv.Refused as error:
            raise Unusable(f"{error}; start the server, or mend the address") from error
        try:
            ask(connection)
        except BaseException:  # also on Ctrl-C
            self.discard(connection)
            raise
        self._idle.append(connection)

    def _apply(self, slot: _Slot[C], op: kv.Op | kv.Transact) -> Answer:
        connection = self._take()
        healthy = False
        try:
            with slot.lock:
                if slot.cancelled:
                    raise kv.Refused("cancelled before it was sent")
                slot.connection = connection
            try:
                answer = self.execute(connection, op)
            except kv.KVError as error:
                healthy = error.definite  # after an unknown outcome a late answer may still arrive
                raise
            healthy = True
            return answer
        # KVError passes as it is. Any other exception is a mistake, and leaves the connection unhealthy.
        except Lost as error:
            raise kv.OutcomeUnknown(f"{self.name}: {error}") from error
        finally:
            with slot.lock:
                healthy = healthy and not slot.cancelled  # it was cut, perhaps after the answer
                slot.connection = None
            self._give_back(connection, healthy=healthy)

    def _take(self) -> C:
        with self._lock:
            if self._closed:
                raise kv.Refused(f"{self.name}: closed; open it again")
            connection = self._idle.pop() if self._idle else None
        # The lock is free while the connection is made, which may take seconds. The limiter bounds how many there are.
        if connection is None:
            connection = self.connect()
        with self._lock:
            self._busy.append(connection)
        return connection

    def _give_back(self, connection: C, *, healthy: bool) -> None:
        with self._lock:
            self._busy.remove(connection)
            healthy = healthy and not self._closed
            if healthy:
                self._idle.append(connection)
        if not healthy:
            with suppress(Exception):
                self.discard(connection)
