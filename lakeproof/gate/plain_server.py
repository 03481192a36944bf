"""The gate in its plain mode: a store in memory that holds nothing, and tells each request."""

import socket
import time
from collections.abc import Callable
from functools import partial

from lakeproof.gate.fronts import s3
from lakeproof.gate.fronts.aws import AWSFront, Store
from lakeproof.gate.fronts.http import Request, Response, Talk, listening
from lakeproof.gate.redis_connections import Speaker
from lakeproof.gate.server import Gate


async def serve_open(port: int, buckets: frozenset[str], tell: Callable[[str], object], protocol: str = "s3") -> None:
    """Serve on loopback until it is cancelled: S3 and DynamoDB, or Redis. tell: receives a line for each request.
    protocol: ``s3``, ``dynamodb`` or ``redis``; it is named in the first line.

    Raises:
        Unusable: the port is taken.
    """
    front = AWSFront()
    gate = Gate(front, Store(s3=s3.BucketState(buckets=buckets)), lambda: time.time_ns() // 1000)
    gate.hold(frozenset())  # of no client: otherwise the names of a setup are kept, for ever
    answer = gate.server.handler

    async def respond(request: Request) -> Response:
        response = await answer(request)
        # Once more, for the label: the gate's handler gives the answer alone.
        parsed = front.understood(request)
        label = f"{request.method} {request.path}" if isinstance(parsed, Response) else front.label_of(parsed)
        tell(f"{label} -> {response.status}")
        return response

    async def guard(talk: Talk, connection: socket.socket) -> None:
        try:
            await talk(connection)
        except Exception as error:  # noqa: BLE001  # a mistake of ours ends the connection, and not the store
            tell(f"a connection was closed: {error!r}; please report this")

    gate.server.handler = respond
    listener = listening(port)
    address = f"127.0.0.1:{listener.getsockname()[1]}"
    if protocol == "redis":
        tell(f"serving Redis on redis://{address}")
        talk = Speaker(gate, tell=lambda request, reply: tell(f"{front.label_of(request)} -> {reply.status}")).talk
    else:
        shown = f"S3 on http://{address}, buckets {', '.join(sorted(buckets))}"
        tell(f"serving {shown if protocol == 's3' else f'DynamoDB on http://{address}'}")
        talk = gate.server.talk
    await gate.server.serve((listener, partial(guard, talk)))
