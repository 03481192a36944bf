"""A store that is served on loopback, in a thread of its own."""

import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager

import attrs
import pytest
import trio
from botocore.client import BaseClient
from botocore.exceptions import ClientError

from lakeproof.gate.fronts.http import Handler, Server, listening
from lakeproof.gate.plain_server import serve_open


class Meeting:
    """Where a planted race happens for certain: who comes first waits for the second, and all others for nobody."""

    def __init__(self) -> None:
        self.begun = False
        self.second = trio.Event()

    async def come(self) -> None:
        if self.begun:
            self.second.set()
        else:
            self.begun = True
            await self.second.wait()


def refused(client: BaseClient, operation: str, *of: Mapping[str, object], **more: object) -> tuple[int, str, str]:
    """How a client of boto3 is refused: status, code, message. of: parameters, besides those in ``more``."""
    with pytest.raises(ClientError) as error:
        getattr(client, operation)(**{name: value for each in (*of, more) for name, value in each.items()})
    told = error.value.response
    return told["ResponseMetadata"]["HTTPStatusCode"], told["Error"]["Code"], told["Error"]["Message"]


@attrs.frozen
class Served:
    """Where it listens."""

    address: tuple[str, int]

    @property
    def url(self) -> str:
        return f"http://{self.address[0]}:{self.address[1]}"


@contextmanager
def telling(protocol: str, *buckets: str, lines: list[str] | None = None) -> Iterator[str]:
    """The address of a store that holds nothing; it ends with the block. lines: receives what is printed."""
    told: list[str] = [] if lines is None else lines
    begun = threading.Event()

    def tell(line: str) -> None:
        told.append(line)
        begun.set()

    with in_thread(lambda: serve_open(0, frozenset(buckets), tell, protocol)):
        assert begun.wait(60)
        yield told[0].split()[3].rstrip(",")
    # The store goes on after a mistake of its own: who does not read its lines must learn of it here.
    assert lines is not None or not [line for line in told if line.endswith("please report this")]


@contextmanager
def served(*buckets: str) -> Iterator[Served]:
    """An S3 with these buckets."""
    with telling("s3", *buckets) as url:
        host, port = url.removeprefix("http://").split(":")
        yield Served((host, int(port)))


@contextmanager
def in_thread(serve: Callable[[], Awaitable[None]]) -> Iterator[None]:
    """Run an endless task of trio in a thread until the block ends."""
    scope = trio.CancelScope()
    tokens: list[trio.lowlevel.TrioToken] = []

    async def serving() -> None:
        tokens.append(trio.lowlevel.current_trio_token())
        with scope:
            await serve()

    thread = threading.Thread(target=trio.run, args=(serving,))
    thread.start()
    try:
        yield
    finally:
        tokens[0].run_sync_soon(scope.cancel)
        thread.join()


@contextmanager
def answering(handler: Handler) -> Iterator[Served]:
    """A server whose every request a handler answers; it ends with the block."""
    found: list[tuple[str, int]] = []
    begun = threading.Event()

    async def serve() -> None:
        listener = listening(0)
        found.append(listener.getsockname())
        begun.set()
        server = Server(handler)
        await server.serve((listener, server.talk))

    with in_thread(serve):
        assert begun.wait(60)
        yield Served(found[0])
