"""A small server on loopback, in a thread of the test's process."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@contextmanager
def listening(handler: type[BaseHTTPRequestHandler], **shared: object) -> Iterator[str]:
    """Its URL, until the block ends. shared: attributes of the handler, common to all requests."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (handler,), shared))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
