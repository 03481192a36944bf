"""A small S3, Google Cloud Storage and Azure of one container, in this process: what boto3 and obstore ask of them.

All three speak XML, for obstore asks Google by its XML API: listings page by page, GET, HEAD and DELETE of an object,
deletes in batches; of S3 also conditions, and no listings. Google and Azure refuse requests without the token. A test
says what goes wrong.
Source: docs.aws.amazon.com/AmazonS3/latest/API: HeadBucket, HeadObject, DeleteObject, DeleteObjects; the answers to
conditional deletes as measured on Amazon's (issues 1475 and 1501 of ministackorg/ministack);
cloud.google.com/storage/docs/xml-api, "List objects"; learn.microsoft.com/rest/api/storageservices, "List Blobs", "Get
Blob", "Blob Batch"; which calls and fields obstore 0.12 uses.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.utils import formatdate
from enum import Enum
from http.server import BaseHTTPRequestHandler
from time import gmtime, strftime
from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

import attrs

from tests.http_servers import listening

BOX: Final = "bucket"
"""The container that is there."""
ACCOUNT: Final = "me"
BEARER: Final = "good"
SECONDS: Final = 1_700_000_000
"""When objects were put of which nothing else is said."""
_XML: Final = '<?xml version="1.0" encoding="UTF-8"?>'
_XMLNS: Final = "{http://s3.amazonaws.com/doc/2006-03-01/}"
_STATUS: Final = {"": 204, "AccessDenied": 403, "NoSuchKey": 404, "PreconditionFailed": 412}


class Trouble(Enum):
    """CUT: half of the answer, and the connection ends. TORN: half of it, as if that were all. DEAD: nothing."""

    CUT = "cut"
    TORN = "torn"
    DEAD = "dead"


def _nothing(what: str, key: str) -> int | Trouble | None:
    return None


@attrs.define
class Cloud:
    """``page``: names a listing gives at once. ``trouble``: called before each answer with "list", "HEAD bucket" or a
    method, and the key; a status to refuse it with, or what becomes of the answer. ``denied``: keys that are not
    deleted, each with its error. ``silent``: keys that the answer to a batch leaves out. ``asked``: how often each was
    called."""

    objects: dict[str, bytes] = attrs.field(factory=dict)
    seconds: dict[str, int] = attrs.field(factory=dict)
    page: int = 7
    token: str = BEARER
    trouble: Callable[[str, str], int | Trouble | None] = _nothing
    denied: dict[str, str] = attrs.field(factory=dict)
    silent: set[str] = attrs.field(factory=set)
    asked: Counter[str] = attrs.field(factory=Counter)
    url: str = ""

    @property
    def endpoint(self) -> str:
        """Of S3."""
        return f"{self.url}/s3"

    @property
    def environment(self) -> dict[str, str]:
        """What obstore reads, of Google and Azure."""
        return {
            "GOOGLE_BASE_URL": f"{self.url}/gs",
            "GOOGLE_BEARER_TOKEN": BEARER,
            "AZURE_STORAGE_ENDPOINT": f"{self.url}/az",
            "AZURE_STORAGE_ACCOUNT_NAME": ACCOUNT,
            "AZURE_STORAGE_TOKEN": BEARER,
            "AZURE_ALLOW_HTTP": "true",
        }

    def heal(self) -> None:
        self.trouble, self.token = _nothing, BEARER
        self.asked.clear()

    def put(self, key: str, content: bytes, seconds: int) -> str:
        """Its ETag."""
        self.objects[key], self.seconds[key] = content, seconds
        return tag(content)

    def delete(self, key: str, condition: str | None = None) -> str:
        """What comes of it: "" or the code of the error."""
        if key in self.denied:
            return self.denied[key]
        found = self.objects.get(key)
        if condition and found is None:
            return "NoSuchKey"
        if condition and found is not None and condition.strip('"') not in {"*", tag(found)}:
            return "PreconditionFailed"
        self.objects.pop(key, None)
        return ""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    cloud: Cloud

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the name is the base class's
        pass

    def do_GET(self) -> None:
        self._serve()

    def do_HEAD(self) -> None:
        self._serve()

    def do_DELETE(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        cloud, method, asked = self.cloud, self.command, urlsplit(self.path)
        kind, box, key = (*asked.path.lstrip("/").split("/", 2), "", "")[:3]
        key, query = unquote(key), {name: found[0] for name, found in parse_qs(asked.query).items()}
        what = method if key or method == "POST" else "list" if method == "GET" else f"{method} bucket"
        cloud.asked[what] += 1
        wrong = cloud.trouble(what, key)
        if isinstance(wrong, int):
            self._refuse(wrong, "SoItIs")
        elif kind != "s3" and self.headers.get("Authorization") != f"Bearer {cloud.token}":
            self._refuse(403, "AuthorizationFailure")
        elif box != BOX:
            self._refuse(404, "ContainerNotFound" if kind == "az" else "NoSuchBucket")
        elif what == "list":
            self._answer(200, (_azure if kind == "az" else _google)(cloud, query).encode(), wrong=wrong)
        elif what == "POST":
            (self._batch_of_azure if kind == "az" else self._batch_of_s3)(body.decode())
        elif not key:
            self._answer(200, b"")
        elif key not in cloud.objects and (kind, method) != ("s3", "DELETE"):
            self._refuse(404, "BlobNotFound" if kind == "az" else "NoSuchKey")
        elif method == "DELETE":
            code = cloud.delete(key, self.headers.get("If-Match"))
            self._answer(_STATUS[code], _error(code).encode() if code else b"")
        else:
            self._object(key, wrong)

    def _batch_of_azure(self, body: str) -> None:
        """Of which obstore makes use for one object, too: each part is a DELETE."""
        said = []
        for number, path in enumerate(re.findall(r"^DELETE (\S+) HTTP/1.1\r$", body, re.MULTILINE)):
            key = unquote(path.split("/", 3)[3])
            status = self.cloud.trouble("DELETE", key) or (202 if key in self.cloud.objects else 404)
            if status == 202:
                self.cloud.delete(key)
            part = f"--part\r\nContent-Type: application/http\r\nContent-ID: {number}\r\n\r\n"
            said.append(f"{part}HTTP/1.1 {status} So it is\r\nx-ms-version: 2023-11-03\r\n\r\n")
        answer = "".join(said) + "--part--\r\n"
        self._answer(202, answer.encode(), {"Content-Type": "multipart/mixed; boundary=part"})

    def _batch_of_s3(self, body: str) -> None:
        rows = []
        for each in ET.fromstring(body).iter(f"{_XMLNS}Object"):  # noqa: S314  # our own client's
            key = each.findtext(f"{_XMLNS}Key") or ""
            code = self.cloud.delete(key, each.findtext(f"{_XMLNS}ETag"))
            if key not in self.cloud.silent:
                named = f"<Key>{escape(key)}</Key>"
                rows.append(f"<Error>{named}<Code>{code}</Code></Error>" if code else f"<Deleted>{named}</Deleted>")
        self._answer(200, f"<DeleteResult>{''.join(rows)}</DeleteResult>".encode())

    def _object(self, key: str, wrong: Trouble | None) -> None:
        """All of it, or the range that is asked for."""
        content, seconds = self.cloud.objects[key], self.cloud.seconds.get(key, SECONDS)
        headers = {"ETag": f'"{tag(content)}"', "Last-Modified": formatdate(seconds, usegmt=True)}
        said = self.headers.get("Range") or self.headers.get("x-ms-range")
        if said is None:
            self._answer(200, content, headers, wrong)
            return
        first, last = said.removeprefix("bytes=").split("-")
        part = content[int(first) : int(last) + 1 if last else None]
        headers["Content-Range"] = f"bytes {first}-{int(first) + len(part) - 1}/{len(content)}"
        self._answer(206, part, headers, wrong)

    def _refuse(self, status: int, code: str) -> None:
        self._answer(status, _error(code).encode())

    def _answer(
        self, status: int, body: bytes, headers: dict[str, str] | None = None, wrong: Trouble | None = None
    ) -> None:
        self.close_connection = wrong is not None
        if wrong is Trouble.DEAD:
            return
        half = body[: len(body) // 2]
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(half if wrong is Trouble.TORN else body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body if wrong is None else half)


def _error(code: str) -> str:
    return f"{_XML}<Error><Code>{code}</Code><Message>so it is</Message></Error>"


def tag(content: bytes) -> str:
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


def _page(cloud: Cloud, query: dict[str, str], after: str) -> tuple[list[str], list[str], str]:
    """Names, common prefixes, and where the next page begins ("": this is the last). A mark is the last name given."""
    prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
    names: list[str] = []
    common: list[str] = []
    left = [each for each in sorted(cloud.objects) if each.startswith(prefix) and each > after]
    for number, name in enumerate(left):
        rest = name[len(prefix) :]
        if delimiter and delimiter in rest:
            group = prefix + rest[: rest.index(delimiter) + 1]
            if group not in common:
                common.append(group)
        else:
            names.append(name)
        if len(names) == cloud.page and number + 1 < len(left):
            return names, common, name
    return names, common, ""


def _google(cloud: Cloud, query: dict[str, str]) -> str:
    after = query.get("continuation-token", "").removeprefix("after ") or query.get("start-after", "")
    names, common, mark = _page(cloud, query, after)
    rows = [
        f"<Contents><Key>{escape(each)}</Key>"
        f"<LastModified>{strftime('%Y-%m-%dT%H:%M:%S.123Z', gmtime(SECONDS))}</LastModified>"
        f'<ETag>"{tag(cloud.objects[each])}"</ETag><Size>{len(cloud.objects[each])}</Size></Contents>'
        for each in names
    ]
    rows += [f"<CommonPrefixes><Prefix>{escape(each)}</Prefix></CommonPrefixes>" for each in common]
    more = f"<NextContinuationToken>after {escape(mark)}</NextContinuationToken>" if mark else ""
    body = f"<IsTruncated>{'true' if mark else 'false'}</IsTruncated>{more}{''.join(rows)}"
    return f"{_XML}<ListBucketResult xmlns='http://doc.s3.amazonaws.com/2006-03-01'>{body}</ListBucketResult>"


def _azure(cloud: Cloud, query: dict[str, str]) -> str:
    names, common, mark = _page(cloud, query, query.get("marker", "").removeprefix("after "))
    rows = [
        f"<Blob><Name>{escape(each)}</Name><Properties>"
        f"<Last-Modified>{formatdate(SECONDS, usegmt=True)}</Last-Modified><Etag>{tag(cloud.objects[each])}</Etag>"
        f"<Content-Length>{len(cloud.objects[each])}</Content-Length><Content-Type>application/octet-stream"
        "</Content-Type><BlobType>BlockBlob</BlobType></Properties></Blob>"
        for each in names
    ]
    rows += [f"<BlobPrefix><Name>{escape(each)}</Name></BlobPrefix>" for each in common]
    more = f"<NextMarker>after {escape(mark)}</NextMarker>" if mark else "<NextMarker />"
    return f"{_XML}<EnumerationResults><Blobs>{''.join(rows)}</Blobs>{more}</EnumerationResults>"


@contextmanager
def serving(cloud: Cloud) -> Iterator[Cloud]:
    """The cloud at its ``url``."""
    with listening(_Handler, cloud=cloud) as cloud.url:
        yield cloud
