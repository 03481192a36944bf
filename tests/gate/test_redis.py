"""The Redis front as redis-py sees it, and what no client should send."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import trio
import trio.testing

from lakeproof.gate.fronts.aws import AWSFront, Store, StoreRequest
from lakeproof.gate.fronts.http import listening
from lakeproof.gate.fronts.redis import globs
from lakeproof.gate.fronts.redis.connections import Speaker
from lakeproof.gate.fronts.redis.parser import WORDS_MAX, Incoming, Malformed
from lakeproof.gate.fronts.wire import BODY_BYTES_MAX
from lakeproof.gate.server import NORMAL, REFUSED, Gate
from tests.commands import lakeproof
from tests.gate.stores import telling


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with telling("redis") as found:
        yield found


@contextmanager
def raw(address: str) -> Iterator[socket.socket]:
    host, port = address.removeprefix("redis://").split(":")
    with socket.create_connection((host, int(port)), 10) as found:
        yield found


def everything(connection: socket.socket) -> bytes:
    """What arrives until it is closed."""
    found = b""
    while more := connection.recv(1 << 16):
        found += more
    return found


def test_a_pattern_of_many_stars_is_matched_in_linear_time() -> None:
    """With as many places for each star, a search through all of them would not end."""
    assert not globs.compile_glob(b"*a" * 50 + b"b").fullmatch(b"a" * 5_000)
    assert globs.compile_glob(b"*a" * 50).fullmatch(b"a" * 5_000)


@pytest.mark.parametrize(
    ("cursor", "answer"),
    [
        ("0" * 5_000, b"*2\r\n$1\r\n0\r\n*0\r\n"),
        (f"{'0' * 5_000}{(1 << 64) - 1}", b"*2\r\n$1\r\n0\r\n*0\r\n"),
        (str(1 << 64), b"-ERR invalid cursor\r\n"),
        ("9" * 5_000, b"-ERR invalid cursor\r\n"),
        ("-1", b"-ERR invalid cursor\r\n"),
    ],
    ids=["zero", "last", "behind", "long", "sign"],
)
@pytest.mark.parametrize("command", ["SCAN", "HSCAN k"])
def test_a_cursor_is_a_number_of_64_bits_however_it_is_written(
    address: str, command: str, cursor: str, answer: bytes
) -> None:
    with raw(address) as connection:
        connection.sendall(f"{command} {cursor}\r\n".encode())
        connection.shutdown(socket.SHUT_WR)
        assert everything(connection) == answer


class TestWire:
    @pytest.mark.parametrize(
        ("data", "told"),
        [
            (b"*x\r\n", b"-ERR Protocol error: invalid multibulk length\r\n"),
            (b"*%d\r\n" % (WORDS_MAX + 1), b"-ERR Protocol error: invalid multibulk length\r\n"),
            (b"*1\r\n+GET\r\n", b"-ERR Protocol error: expected '$', got '+'\r\n"),
            (b"*1\r\n$-1\r\n", b"-ERR Protocol error: invalid bulk length\r\n"),
            (b"*1\r\n$%d\r\n" % (BODY_BYTES_MAX + 1), b"-ERR Protocol error: invalid bulk length\r\n"),
            (b"GET 'a\r\n", b"-ERR Protocol error: quotes in a line of words are not known here; "),
            (b"PING\r\n*0\r\n\r\nPING x\n*1\r\n$1", b"+PONG\r\n$1\r\nx\r\n"),
            (b"PING\r\n*1\r\nx\r\n", b"+PONG\r\n-ERR Protocol error: expected '$', got 'x'\r\n"),
        ],
    )
    def test_what_is_no_command_is_refused_and_the_connection_closed(
        self, address: str, data: bytes, told: bytes
    ) -> None:
        with raw(address) as connection:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            assert everything(connection).startswith(told)

    @pytest.mark.parametrize(
        ("begins", "told"),
        [
            (b"*", "too big mbulk count string"),
            (b"*1\r\n$", "too big bulk count string"),
            (b"x", "too big inline request"),
        ],
    )
    def test_a_line_that_does_not_end_is_refused(self, begins: bytes, told: str) -> None:
        incoming = Incoming()
        incoming.feed(begins)
        while not incoming.whole:
            incoming.feed(b"1" * 1000)
        assert list(incoming.whole) == [Malformed(f"ERR Protocol error: {told}")]

    def test_the_words_of_a_command_are_not_larger_than_a_body_together(self) -> None:
        incoming = Incoming()
        incoming.feed(b"*2\r\n$1\r\na\r\n$%d\r\n" % BODY_BYTES_MAX)
        [found] = incoming.whole
        assert isinstance(found, Malformed)
        assert (found.why, "a command of more than" in found.unknown) == (
            "ERR Protocol error: invalid bulk length",
            True,
        )


def test_lakeproofs_own_driver_keeps_every_claim_and_each_request_is_told() -> None:
    lines: list[str] = []
    with telling("redis", lines=lines) as address:
        result = lakeproof("conform", f"{address.replace('//', '//me:hush@')}/0")
    assert result.exit_code == 0, result.output
    assert "claims kept by redis://me:***@" in result.output
    assert any(line.startswith("EVAL set_if_absent lakeproof:values:") and line.endswith("-> 1") for line in lines)


class TestHeld:
    """A gate that holds the requests of ``c1`` and ``c2``."""

    @staticmethod
    async def arrived(gate: Gate[Store, StoreRequest], count: int) -> None:
        """Until so many requests were held since holding began."""
        with trio.fail_after(60):
            while sum(gate.counts.values()) < count:
                await gate.arrived.wait(60)

    async def settled(self, gate: Gate[Store, StoreRequest], count: int) -> list[str]:
        """The labels of what waits, once so many requests have arrived, and nothing moves."""
        await self.arrived(gate, count)
        await trio.testing.wait_all_tasks_blocked()
        gate.settle()
        return [each.name.label for each in sorted(gate.pending.values(), key=lambda held: held.name)]

    @staticmethod
    async def said(connection: trio.SocketStream, lines: int = 1) -> bytes:
        """So many lines; less if the connection ends before."""
        found = b""
        with trio.fail_after(60):
            while found.count(b"\r\n") < lines and (more := await connection.receive_some()):
                found += more
        return found

    def run(self, test: object, hello: bytes = b"AUTH c1 x\r\n", clients: tuple[str, ...] = ()) -> None:
        async def main() -> None:
            gate, listener = Gate[Store, StoreRequest](AWSFront(), Store(), lambda: 0), listening(0)
            port = listener.getsockname()[1]
            gate.hold(frozenset({"c1", "c2"}))
            async with trio.open_nursery() as nursery:
                nursery.start_soon(gate.server.serve_all, (listener, Speaker(gate, clients).talk))
                connection = await trio.open_tcp_stream("127.0.0.1", port)
                await connection.send_all(hello)
                assert (await self.said(connection, hello.count(b"\r\n"))).endswith(b"+OK\r\n")
                await test(gate, connection)  # type: ignore[operator]  # a test
                await connection.aclose()
                nursery.cancel_scope.cancel()

        trio.run(main)

    @pytest.mark.parametrize("transaction", [False, True])
    def test_a_refused_write_is_an_error_and_nothing_is_done(self, transaction: bool) -> None:
        async def test(gate: Gate[Store, StoreRequest], connection: trio.SocketStream) -> None:
            asked = b"MULTI\r\nSET a 1\r\nEXEC\r\n" if transaction else b"SET a 1\r\n"
            await connection.send_all(asked)
            await self.settled(gate, 1)
            held = await gate.let_go(next(iter(gate.pending)), REFUSED)
            error = b"-EXECABORT Transaction discarded because of: BUSY" if transaction else b"-BUSY Redis is busy"
            assert error in await self.said(connection, 3 if transaction else 1)
            assert held.status == ("error EXECABORT" if transaction else "error BUSY")
            assert gate.state.redis.text("a") is None

        self.run(test)

    @pytest.mark.parametrize("values", ["12", "21"])
    def test_commands_of_two_connections_of_a_client_are_named_by_what_they_ask(self, values: str) -> None:
        async def test(gate: Gate[Store, StoreRequest], connection: trio.SocketStream) -> None:
            other = await trio.open_tcp_stream(*connection.socket.getpeername())
            await other.send_all(b"AUTH c1 x\r\n")
            assert await self.said(other) == b"+OK\r\n"
            for asked, (each, value) in enumerate(zip((connection, other), values, strict=True), 1):
                await each.send_all(b"SET a %b\r\n" % value.encode())
                await self.arrived(gate, asked)
            assert await self.settled(gate, 2) == ["SET a", "SET a"]
            assert {name.number: held.body[-1:] for name, held in gate.pending.items()} == {1: b"1", 2: b"2"}
            gate.open()
            await other.aclose()

        self.run(test)

    def test_a_schedule_begins_with_connections_that_watch_nothing(self) -> None:
        async def test(gate: Gate[Store, StoreRequest], connection: trio.SocketStream) -> None:
            await connection.send_all(b"WATCH a\r\n")
            await self.settled(gate, 1)
            await gate.let_go(next(iter(gate.pending)), NORMAL)
            gate.state = Store()
            gate.hold(frozenset({"c1"}))
            await connection.send_all(b"MULTI\r\nEXEC\r\n")
            assert await self.settled(gate, 1) == ["EXEC ()"]
            gate.open()

        self.run(test)

    def test_a_transaction_of_no_client_is_refused_and_named(self) -> None:
        async def test(gate: Gate[Store, StoreRequest], connection: trio.SocketStream) -> None:
            await connection.send_all(b"MULTI\r\nEXEC\r\n")
            assert b"-NOAUTH" in await self.said(connection, 2)
            assert gate.unknown.startswith("c1 EXEC (): a connection that is of no client")

        self.run(test, clients=("c2",))

    def test_who_has_no_user_is_known_by_the_name_of_the_connection(self) -> None:
        async def test(gate: Gate[Store, StoreRequest], connection: trio.SocketStream) -> None:
            assert gate.counts["c1"] == 0, "what was asked before is of no client"
            await connection.send_all(b"GET a\r\n")
            assert await self.settled(gate, 1) == ["GET a"]
            gate.open()
            assert gate.counts["c1"] == 1

        self.run(test, b"GET a\r\nCLIENT SETNAME c1\r\n")
