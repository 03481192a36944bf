"""Requests and answers of S3 as they travel: who asks, for which bucket and key, with which body; errors as XML.

Signatures are not verified. Checksums are, where the standard library knows them: MD5, SHA-1, SHA-256 and CRC-32.
CRC-32C and CRC-64/NVME are ignored.
Source: Amazon S3 API Reference, API version 2006-03-01.
"""

import base64
import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from typing import Final, NoReturn

import attrs

from lakeproof.gate.fronts.http import Request, Response
from lakeproof.gate.fronts.s3.checksums import VERIFIED

NAMESPACE: Final = "http://s3.amazonaws.com/doc/2006-03-01/"
_CHUNK: Final = re.compile(rb"([0-9a-fA-F]{1,12})(?:;|\Z)")
_NUMBER: Final = re.compile(r"[0-9]{1,9}")
_VIRTUAL: Final = re.compile(r"^(?!s3\.localhost)([a-z0-9][a-z0-9.-]*?)\.(?:s3\.)?localhost(?::\d+)?$")


class S3Error(Exception):
    """An error of S3: its status, code and message, as the reference has them."""

    unknown = ""
    """What was requested that the front does not have: then this is no error of S3's."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status = status
        self.code = code
        self.message = message


def refuse(status: int, code: str, message: str) -> NoReturn:
    raise S3Error(status, code, message)


def not_known(what: str) -> NoReturn:
    """Refuse what the front does not have."""
    error = S3Error(501, "NotImplemented", f"{what} is not known here")
    error.unknown = what
    raise error


@attrs.frozen
class S3Request:
    """A request, addressed."""

    method: str
    bucket: str
    """Empty: the service itself."""
    key: str
    """Empty: the bucket itself."""
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes
    client: str
    conflict: bool = False
    """Whether it meets another write of its key."""

    @property
    def address(self) -> str:
        return f"{self.bucket}/{self.key}"


def parse_request(request: Request) -> S3Request:
    """Find bucket and key, by path or by virtual host, and the body under its encoding.

    Raises:
        S3Error: the body is not what its headers say.
    """
    virtual = _VIRTUAL.match(request.headers.get("host", ""))
    path = request.path.removeprefix("/")
    # A slash in the key is the key's own, also a first one behind the bucket's.
    bucket, key = (virtual[1], path) if virtual else path.partition("/")[::2]
    body, trailers = _decode_body(request)
    headers = {**request.headers, **trailers}  # a checksum counts wherever it comes
    _check(headers, body)
    return S3Request(
        method=request.method,
        bucket=bucket,
        key=key,
        query=dict(request.query),
        headers=headers,
        body=body,
        client=request.signer,
    )


def _decode_body(request: Request) -> tuple[bytes, dict[str, str]]:
    """The body without the chunks of ``aws-chunked``, and the checksums that trail it."""
    kind = request.headers.get("x-amz-content-sha256", "")
    # Signed chunk by chunk or not, with trailers or without: the chunks are the same.
    if not kind.startswith("STREAMING-"):
        return request.body, {}
    body, found, at = request.body, bytearray(), 0
    while True:
        end = body.find(b"\r\n", at)
        line = body[at : end if end >= 0 else at + 40]  # without a line break as much as the message shows
        size = _CHUNK.match(line)
        if size is None:
            refuse(400, "IncompleteBody", f"a chunk begins with {line[:40]!r}, not with its size in hexadecimal")
        begin, length = end + 2, int(size[1], 16)
        if end < 0 or begin + length > len(body):
            refuse(400, "IncompleteBody", "the body ends in the middle of a chunk")
        if not length:
            break
        found += body[begin : begin + length]
        at = begin + length
        if body[at : at + 2] != b"\r\n":
            refuse(400, "IncompleteBody", f"a chunk of {length} bytes is followed by {body[at : at + 2]!r}")
        at += 2
    # Behind the chunk of length 0. With them may come a signature of the trailers, which is left out below.
    pairs = (line.partition(b":") for line in body[begin:].split(b"\r\n") if line)
    trailers = {name.decode("latin-1").strip().lower(): value.decode("latin-1").strip() for name, _, value in pairs}
    announced = request.headers.get("x-amz-decoded-content-length")
    if announced is not None and announced != str(len(found)):
        refuse(400, "IncompleteBody", f"{len(found)} bytes came, and {announced} were announced")
    return bytes(found), {name: value for name, value in trailers.items() if name.startswith("x-amz-checksum-")}


def _check(headers: Mapping[str, str], body: bytes) -> None:
    """Refuse a body that is not what its checksums say."""
    for name, digest in VERIFIED.items():
        claimed = headers.get(name)
        if claimed is None:
            continue
        try:
            sent = base64.b64decode(claimed, validate=True)
        except ValueError:
            sent = b""
        found = digest(body)
        # Of another length it is no such digest, for which S3 has another code than for one that differs.
        if len(sent) != len(found):
            md5 = name == "content-md5"
            text = "The Content-MD5 you specified was invalid." if md5 else f"Value for {name} header is invalid."
            refuse(400, "InvalidDigest" if md5 else "InvalidRequest", text)
        if sent != found:
            refuse(400, "BadDigest", f"the body does not have the {name} {claimed}")


def xml(root: str, *children: ET.Element) -> Response:
    """An answer whose body is XML."""
    top = ET.Element(root, {"xmlns": NAMESPACE})
    top.extend(children)
    body = b'<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(top, encoding="utf-8")
    return Response(200, (("Content-Type", "application/xml"),), body)


def element(name: str, text: str = "", *children: ET.Element) -> ET.Element:
    """An element with a text or with children."""
    made = ET.Element(name)
    made.text = text or None
    made.extend(children)
    return made


def error_response(error: S3Error, request: S3Request | None) -> Response:
    """An error as S3 tells it. The answer to a ``HEAD`` has no body."""
    body = ET.Element("Error")
    body.extend([element("Code", error.code), element("Message", error.message)])
    if request is not None and request.key:
        body.append(element("Key", request.key))
    body.append(element("RequestId", "0"))
    text = b'<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(body, encoding="utf-8")
    return Response(error.status, (("Content-Type", "application/xml"),), text, error.unknown)


def number(text: str) -> int | None:
    """A number of up to nine digits of ASCII; None: the text is none."""
    return int(text) if _NUMBER.fullmatch(text) else None


def parse_xml(body: bytes) -> ET.Element:
    """XML that a client sent, without namespaces.

    Raises:
        S3Error: it is none.
    """
    try:
        text = body.decode("utf-8")
        # Nested entities can grow to any size in memory, and expat expands them.
        if "<!DOCTYPE" in text or "<!ENTITY" in text:
            refuse(400, "MalformedXML", "the body has a document type; send plain elements")
        root = ET.fromstring(body)  # noqa: S314  # no entities, see above
    except (ET.ParseError, ValueError, LookupError) as error:
        refuse(400, "MalformedXML", f"the body is no XML in UTF-8: {error}")
    for each in root.iter():
        each.tag = each.tag.rpartition("}")[2]  # ElementTree has the namespace in braces before the name
    return root
