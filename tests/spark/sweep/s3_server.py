"""A small S3 in this process: HEAD, DELETE and batch deletes with their conditions, as Amazon documents them.

It keeps objects by key, and does what a test tells it to do wrong. Listings and puts are for tests to do directly.
Source: docs.aws.amazon.com/AmazonS3/latest/API: HeadBucket, HeadObject, DeleteObject, DeleteObjects; the answers to
conditional deletes as measured on Amazon's (issues 1475 and 1501 of ministackorg/ministack).
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

import attrs

from tests.http_servers import listening

XMLNS = "{http://s3.amazonaws.com/doc/2006-03-01/}"


@attrs.frozen
class Object:
    content: bytes
    seconds: int

    @property
    def e_tag(self) -> str:
        return hashlib.md5(self.content, usedforsecurity=False).hexdigest()


@attrs.define
class Bucket:
    """denied: keys whose deletion is refused, each by itself. ignores_conditions: as stores do that do not know them.
    before: is called with each request, before it is answered; what it returns is the status to answer with instead.
    """

    name: str = "bucket"
    objects: dict[str, Object] = attrs.Factory(dict)
    denied: set[str] = attrs.Factory(set)
    unseen: set[str] = attrs.Factory(set)
    silent: set[str] = attrs.Factory(set)
    ignores_conditions: bool = False
    before: Callable[[str, str], int | None] = lambda method, key: None
    requests: Counter[str] = attrs.Factory(Counter)
    endpoint: str = ""

    def put(self, key: str, content: bytes, seconds: int) -> str:
        self.objects[key] = Object(content, seconds)
        return self.objects[key].e_tag

    def delete(self, key: str, condition: str | None) -> str:
        """What comes of it: "" or the code of the error."""
        if key in self.denied:
            return "AccessDenied"
        found = self.objects.get(key)
        if condition and not self.ignores_conditions:
            if found is None:
                return "NoSuchKey"
            if condition.strip('"') not in {"*", found.e_tag}:
                return "PreconditionFailed"
        self.objects.pop(key, None)
        return ""


_STATUS = {"AccessDenied": 403, "NoSuchKey": 404, "PreconditionFailed": 412}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    bucket: Bucket

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the name is the base class's
        pass

    def _begin(self, method: str) -> str | None:
        """The key; None: it is answered already."""
        length = int(self.headers.get("Content-Length") or 0)
        self.body = self.rfile.read(length)
        path = unquote(urlsplit(self.path).path)
        name, _, key = path.lstrip("/").partition("/") if not path.startswith("//") else ("", "", "")
        self.bucket.requests[method if key or method == "POST" else f"{method} bucket"] += 1
        status = self.bucket.before(method, key)
        if status is None and name != self.bucket.name:
            status = 404
        if status is not None:
            self._answer(status, _error("SlowDown" if status == 503 else "Error"))
            return None
        return key

    def _answer(self, status: int, body: bytes = b"", headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        if "Content-Length" not in (headers or {}):
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_HEAD(self) -> None:
        key = self._begin("HEAD")
        if key is None:
            return
        found = self.bucket.objects.get(key)
        if not key:
            self._answer(200)
        elif key in self.bucket.unseen:
            self._answer(403)
        elif found is None:
            self._answer(404)
        else:
            told = {
                "Content-Length": str(len(found.content)),
                "ETag": f'"{found.e_tag}"',
                "Last-Modified": formatdate(found.seconds, usegmt=True),
            }
            self._answer(200, headers=told)

    def do_DELETE(self) -> None:
        key = self._begin("DELETE")
        if key is not None:
            code = self.bucket.delete(key, self.headers.get("If-Match"))
            self._answer(_STATUS.get(code, 204), _error(code) if code else b"")

    def do_POST(self) -> None:
        if self._begin("POST") is None:
            return
        rows = []
        for each in ET.fromstring(self.body).iter(f"{XMLNS}Object"):  # noqa: S314  # our own client's
            key = each.findtext(f"{XMLNS}Key") or ""
            code = self.bucket.delete(key, each.findtext(f"{XMLNS}ETag"))
            if key in self.bucket.silent:
                continue
            named = f"<Key>{escape(key)}</Key>"
            rows.append(f"<Error>{named}<Code>{code}</Code></Error>" if code else f"<Deleted>{named}</Deleted>")
        self._answer(200, f"<DeleteResult>{''.join(rows)}</DeleteResult>".encode())


def _error(code: str) -> bytes:
    return f"<Error><Code>{code}</Code><Message>so it is</Message></Error>".encode()


@contextmanager
def serving(bucket: Bucket) -> Iterator[Bucket]:
    """The bucket at its ``endpoint``."""
    with listening(_Handler, bucket=bucket) as bucket.endpoint:
        yield bucket
