"""The gate in its plain mode: a store in memory that holds nothing, and tells each request."""

import time
from collections.abc import Callable

from lakeproof.gate import s3
from lakeproof.gate.aws import Asked, AWSFront, Store
from lakeproof.gate.holding import Gate
from lakeproof.gate.http import Request, Response, listening


async def serve_open(port: int, buckets: frozenset[str], tell: Callable[[str], object], protocol: str = "s3") -> None:
    """Serve S3 and DynamoDB on loopback until it is cancelled. tell: receives a line for each request. protocol: the
    one that the first line names.

    Raises:
        OSError: the port is taken.
    """
    front = AWSFront()
    gate = Gate[Store, Asked](front, Store(s3=s3.State(buckets=buckets)), lambda: time.time_ns() // 1000)
    gate.hold(frozenset())  # of no client: otherwise the names of a setup are kept, for ever
    answer = gate.server.handler

    async def told(request: Request) -> Response:
        response = await answer(request)
        asked = front.understood(request)
        label = f"{request.method} {request.path}" if isinstance(asked, Response) else front.label_of(asked)
        tell(f"{label} -> {response.status}")
        return response

    gate.server.handler = told
    listener = listening(port)
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    what = f"S3 on {url}, buckets {', '.join(sorted(buckets))}" if protocol == "s3" else f"DynamoDB on {url}"
    tell(f"serving {what}")
    await gate.server.serve(listener)
