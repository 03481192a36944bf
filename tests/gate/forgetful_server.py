"""A service that keeps what it has read. python forgetful_server.py PORT reads|writes

As it starts it reads an object of the store, or writes one. Each request to it adds one to what it knows of a counter,
and writes that; only the first one reads the counter."""

import http.client
import os
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import urlsplit


def ask(method: str, name: str, body: bytes = b"") -> bytes:
    """One request to the store, as this client."""
    connection = http.client.HTTPConnection(urlsplit(os.environ["AWS_ENDPOINT_URL"]).netloc)
    who = f"AWS4-HMAC-SHA256 Credential={os.environ['AWS_ACCESS_KEY_ID']}/20260101/us-east-1/s3/aws4_request"
    try:
        connection.request(method, f"/bucket/{name}", body, {"Authorization": who})
        return connection.getresponse().read()
    finally:
        connection.close()


class Adding(BaseHTTPRequestHandler):
    known: list[int] = []

    def do_GET(self) -> None:
        if not self.known:
            found = ask("GET", "counter")
            self.known.append(int(found) if found.isdigit() else 0)
        self.known.append(self.known.pop() + 1)
        ask("PUT", "counter", str(self.known[0]).encode())
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_request(self, code: object = "-", size: object = "-") -> None:
        """Not on stderr."""


if __name__ == "__main__":
    port, starts_with = sys.argv[1:]
    ask("GET" if starts_with == "reads" else "PUT", "settings", b"" if starts_with == "reads" else os.urandom(4))
    HTTPServer(("127.0.0.1", int(port)), Adding).serve_forever()
