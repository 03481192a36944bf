"""A service that keeps what it has read. python forgetful_server.py PORT reads|writes

As it starts it reads an object of the store, or writes one. Each request to it adds one to what it knows of a counter,
and writes that; only the first one reads the counter."""

import os
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

from talking import asked  # type: ignore[import-not-found]  # it lies beside this file


class Adding(BaseHTTPRequestHandler):
    known: list[int] = []

    def do_GET(self) -> None:
        if not self.known:
            _, found = asked("GET", "counter")
            self.known.append(int(found) if found.isdigit() else 0)
        self.known.append(self.known.pop() + 1)
        asked("PUT", "counter", str(self.known[0]).encode())
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_request(self, code: object = "-", size: object = "-") -> None:
        """Not on stderr."""


if __name__ == "__main__":
    port, starts_with = sys.argv[1:]
    asked("GET" if starts_with == "reads" else "PUT", "settings", b"" if starts_with == "reads" else os.urandom(4))
    HTTPServer(("127.0.0.1", int(port)), Adding).serve_forever()
