"""The Redis front as redis-py sees it, and what no client should send."""

import pytest
import trio
import trio.testing

from lakeproof.gate.fronts.aws import AWSFront, Store
from lakeproof.gate.fronts.http import listening
from lakeproof.gate.fronts.redis import globs
from lakeproof.gate.fronts.redis.parser import BULK_BYTES_MAX, LINE_BYTES_MAX, WORDS_MAX, Incoming, Malformed
from lakeproof.gate.fronts.wire import BODY_BYTES_MAX
from lakeproof.gate.redis_connections import Speaker
from lakeproof.gate.server import NORMAL, REFUSED, Gate
from tests.commands import lakeproof
from tests.gate.redis_requests import sent, words
from tests.gate.stores import telling


def commands(*texts: str) -> bytes:
    """The bytes of commands of plain words."""
    return b"".join(sent(words(each)) for each in texts)


def test_a_pattern_of_many_stars_is_matched_in_linear_time() -> None:
    """With as many places for each star, a search through all of them would not end."""
    assert not globs.compile_glob(b"*a" * 50 + b"b").fullmatch(b"a" * 5_000)
    assert globs.compile_glob(b"*a" * 50).fullmatch(b"a" * 5_000)


@pytest.mark.parametrize(
    ("data", "why", "unknown"),
    [
        (b"*%d\r\n" % (WORDS_MAX + 1), "invalid multibulk length", ""),
        (b"*1\r\n$%d\r\n" % (BULK_BYTES_MAX + 1), "invalid bulk length", ""),
        (b"*2\r\n$1\r\na\r\n$%d\r\n" % BODY_BYTES_MAX, "invalid bulk length", "a command of more than 268,435,456"),
        (b"GET 'a b'\n", "this line of words is not known here", "such a line"),
        (b"POST / HTTP/1.1\r\n\r\n*1\r\n$4\r\nPING\r\n", "this line of words is not known here", "such a line"),
        (b"1" * (LINE_BYTES_MAX + 1), "too big inline request", ""),
        (b"*" + b"1" * (LINE_BYTES_MAX + 3), "too big mbulk count string", ""),
        (b"*1\r\n$" + b"1" * (LINE_BYTES_MAX + 3), "too big bulk count string", ""),
    ],
    ids=["words", "word", "bytes", "quoted", "page", "line", "count", "length"],
)
def test_what_is_too_large_or_not_known_ends_the_connection(data: bytes, why: str, unknown: str) -> None:
    incoming = Incoming()
    incoming.feed(data)
    [found] = incoming.whole
    assert isinstance(found, Malformed)
    assert found.why.startswith(f"ERR Protocol error: {why}")
    assert (bool(found.unknown), unknown in found.unknown) == (bool(unknown), True)


def test_lakeproofs_own_driver_keeps_every_claim_and_each_request_is_told() -> None:
    lines: list[str] = []
    with telling("redis", lines=lines) as address:
        result = lakeproof("conform", f"{address.replace('//', '//me:hush@')}/0")
    assert result.exit_code == 0, result.output
    assert "claims kept by redis://me:***@" in result.output
    assert any(line.startswith("EVAL if_absent lakeproof:values:") and line.endswith("-> 1") for line in lines)


class TestHeld:
    """A gate that holds the requests of ``c1`` and ``c2``."""

    @staticmethod
    async def arrived(gate: Gate, count: int) -> None:
        """Until so many requests were held since holding began."""
        with trio.fail_after(60):
            while sum(gate.counts.values()) < count:
                await gate.arrived.wait(60)

    async def settled(self, gate: Gate, count: int) -> list[str]:
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

    def run(self, test: object, *hello: str, clients: tuple[str, ...] = ()) -> None:
        async def main() -> None:
            gate, listener = Gate(AWSFront(), Store(), lambda: 0), listening(0)
            port = listener.getsockname()[1]
            gate.hold(frozenset({"c1", "c2"}))
            async with trio.open_nursery() as nursery:
                nursery.start_soon(gate.server.serve, (listener, Speaker(gate, clients).talk))
                connection = await trio.open_tcp_stream("127.0.0.1", port)
                said = hello or ("AUTH c1 x",)
                await connection.send_all(commands(*said))
                assert (await self.said(connection, len(said))).endswith(b"+OK\r\n")
                await test(gate, connection)  # type: ignore[operator]  # a test
                await connection.aclose()
                nursery.cancel_scope.cancel()

        trio.run(main)

    @pytest.mark.parametrize("transaction", [False, True])
    def test_a_refused_write_is_an_error_and_nothing_is_done(self, transaction: bool) -> None:
        async def test(gate: Gate, connection: trio.SocketStream) -> None:
            asked = commands("MULTI", "SET a 1", "EXEC") if transaction else commands("SET a 1")
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
        async def test(gate: Gate, connection: trio.SocketStream) -> None:
            other = await trio.open_tcp_stream(*connection.socket.getpeername())
            await other.send_all(commands("AUTH c1 x"))
            assert await self.said(other) == b"+OK\r\n"
            for asked, (each, value) in enumerate(zip((connection, other), values, strict=True), 1):
                await each.send_all(commands(f"SET a {value}"))
                await self.arrived(gate, asked)
            assert await self.settled(gate, 2) == ["SET a", "SET a"]
            assert {name.number: held.body[-1:] for name, held in gate.pending.items()} == {1: b"1", 2: b"2"}
            gate.open()
            await other.aclose()

        self.run(test)

    def test_a_schedule_begins_with_connections_that_watch_nothing(self) -> None:
        async def test(gate: Gate, connection: trio.SocketStream) -> None:
            await connection.send_all(commands("WATCH a"))
            await self.settled(gate, 1)
            await gate.let_go(next(iter(gate.pending)), NORMAL)
            gate.state = Store()
            gate.hold(frozenset({"c1"}))
            await connection.send_all(commands("MULTI", "EXEC"))
            assert await self.settled(gate, 1) == ["EXEC ()"]
            gate.open()

        self.run(test)

    def test_a_transaction_of_no_client_is_refused_and_named(self) -> None:
        async def test(gate: Gate, connection: trio.SocketStream) -> None:
            await connection.send_all(commands("MULTI", "EXEC"))
            assert b"-NOAUTH" in await self.said(connection, 2)
            assert gate.unknown.startswith("c1 EXEC (): a connection that is of no client")

        self.run(test, clients=("c2",))

    def test_who_has_no_user_is_known_by_the_name_of_the_connection(self) -> None:
        async def test(gate: Gate, connection: trio.SocketStream) -> None:
            assert gate.counts["c1"] == 0, "what was asked before is of no client"
            await connection.send_all(commands("GET a"))
            assert await self.settled(gate, 1) == ["GET a"]
            gate.open()
            assert gate.counts["c1"] == 1

        self.run(test, "GET a", "CLIENT SETNAME c1")
