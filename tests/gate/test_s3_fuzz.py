"""Whatever arrives, the S3 front answers as S3 does, or cuts the connection; it never falls over."""

import contextlib
import socket
import string
from collections.abc import Iterator
from typing import Final

import h11
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lakeproof.gate.fronts.http import Request, Response
from lakeproof.gate.fronts.s3.front import S3Front
from lakeproof.gate.fronts.s3.state import BucketState
from lakeproof.gate.fronts.s3.times import from_http
from lakeproof.gate.fronts.wire import encode_response
from tests.gate.requests import NOW, states
from tests.gate.stores import Served, served

METHODS: Final = ("GET", "HEAD", "PUT", "POST", "DELETE", "PATCH", "OPTIONS")
NUMBERS: Final = ("", "0", "1", "-1", "+1", "1_0", " 1", "٣", "²", "1e3", "9" * 30, "9" * 5000, "10001")
NAMES: Final = (
    *("uploads", "uploadId", "partNumber", "delete", "location", "list-type", "prefix", "delimiter", "max-keys"),
    *("marker", "continuation-token", "start-after", "encoding-type", "max-parts"),
    *("x-id", "X-Amz-Credential", "acl", "versions", "unknown"),
)
HEADERS: Final = (
    *("if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "range", "content-type"),
    *("x-amz-copy-source", "x-amz-copy-source-if-match", "x-amz-copy-source-range", "x-amz-metadata-directive"),
    *("x-amz-meta-k", "x-amz-content-sha256", "x-amz-decoded-content-length", "content-md5", "x-amz-checksum-crc32"),
    *("x-amz-checksum-crc32c", "x-amz-tagging", "authorization", "host", "content-encoding"),
)
text = st.text(st.characters(codec="latin-1", exclude_categories=["Cc"]), max_size=8).map(str.strip)
VALUES: Final = (
    *("*", '"x"', "bytes=0-", "bytes=-1", "bytes=5-2", "bytes=0-1,3-4", "bytes=²-", "a/k", "/", "%", "%2F"),
    *("STREAMING-UNSIGNED-PAYLOAD-TRAILER", "REPLACE", "Mon, 01 Jan 0001 00:00:00 -0500", "aws-chunked"),
)
values = text | st.sampled_from(NUMBERS) | st.sampled_from(VALUES)
header_values = values.filter(lambda each: each.isprintable() and all(ord(char) < 256 for char in each))
paths = st.sampled_from(["/", "//", "/a", "/a/", "/a/k", "/a/k/1", "/b/l", "*", "/?", "/é\n/\x00", "a/k"]) | text
CHUNKS: Final = (
    *(b"5\r\nhello\r\n0\r\n\r\n", b"-5\r\nhello\r\n0\r\n", b"1_0\r\nx", b"0\r\nif-match: x\r\n"),
    b"FFFFFFFFFFFFF\r\n",
)
XML: Final = (
    *(b"<Delete><Object/></Delete>", b"<Delete><Object><Key>k</Key></Object></Delete>"),
    *(b"<Part><PartNumber>x</PartNumber></Part>", "<Part><PartNumber>²</PartNumber></Part>".encode()),
    *(b"<?xml version='1.0' encoding='utf-7'?><a/>", b"<?xml version='1.0' encoding='no-such'?><a/>"),
    *("<!DOCTYPE a><a/>".encode("utf-16"), b"<" * 1000),
)
bodies = st.binary(max_size=40) | st.sampled_from(CHUNKS) | st.sampled_from(XML)
raw = st.builds(
    Request,
    method=st.sampled_from(METHODS),
    path=paths,
    query=st.lists(st.tuples(st.sampled_from(NAMES), values), max_size=3).map(tuple),
    headers=st.dictionaries(st.sampled_from(HEADERS), header_values, max_size=4),
    body=bodies,
)


def understood(method: str, response: Response) -> Response:
    """The answer as another library reads its bytes."""
    wire = h11.Connection(h11.CLIENT)
    wire.send(h11.Request(method=method, target="/", headers=[("Host", "x")]))
    wire.receive_data(encode_response(method, response, stays=True))
    head = wire.next_event()
    assert isinstance(head, h11.Response)
    body = b""
    while isinstance(event := wire.next_event(), h11.Data):
        body += event.data
    assert isinstance(event, h11.EndOfMessage)
    headers = tuple((name.decode(), value.decode("latin-1")) for name, value in head.headers.raw_items())
    return Response(head.status_code, headers, body)


@pytest.mark.deep
@settings(max_examples=200)
@given(states, st.lists(raw, min_size=1, max_size=3))
@example(BucketState(frozenset({"a"})), [Request("PUT", "/b\r\nx: y", (), {}, b"")])
@example(
    BucketState(frozenset({"a"})),
    [Request("PUT", "/a/k", (), {"x-amz-meta-k": "é"}, b""), Request("GET", "/a/k", (), {}, b"")],
)
def test_every_request_has_an_answer_that_can_be_sent(state: BucketState, requests: list[Request]) -> None:
    front = S3Front()
    for request in requests:
        asked = front.understood(request)
        if isinstance(asked, Response):
            response = asked
        else:
            assert "\n" not in front.label_of(asked) or "\n" in request.path
            front.writes(asked)
            assert isinstance(asked.client, str)
            state, response, _ = front.perform(state, asked, NOW)
        assert 200 <= response.status < 600
        if response.status == 501:  # S3 answers so as well where a write is to be refused for one ETag, or has both
            tag = request.headers.get("if-none-match", "*")
            assert response.unknown or tag != "*" or {"if-match", "if-none-match"} <= request.headers.keys()
        read = understood(request.method, response)
        assert read.status == response.status
        assert read.body == (b"" if request.method == "HEAD" else response.body)
        told = [(name, value.strip()) for name, value in response.headers]
        assert [each for each in read.headers if each[0] != "Content-Length"] == told


@given(st.text(max_size=40))
@example("Mon, 01 Jan 0001 00:00:00 -0500")
@example("Mon, 99 Jan 2020 99:00:00 GMT")
def test_a_time_is_read_or_is_none(told: str) -> None:
    assert from_http(told) is None or isinstance(from_http(told), int)


@pytest.fixture(scope="module")
def store() -> Iterator[Served]:
    with served("b") as found:
        yield found


tokens = st.text(string.ascii_letters + string.digits + " /?=&%:;,\r\n\x00\x7f-", max_size=60).map(str.encode)
lines = st.lists(
    st.sampled_from([b"GET /b/k HTTP/1.1", b"Host: x", b"Content-Length: 5", b"Transfer-Encoding: chunked", b""])
    | tokens
)


@settings(max_examples=100)
@given(lines.map(b"\r\n".join))
@example(b"GET /" + b"a" * 200_000)
@example(b"PUT /b/k HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\nx")
@example(b"PUT /b/k HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\nx")
@example(b"GET /b/\xff HTTP/1.1\r\nHost: x\r\n\r\n")
@example(b"\x16\x03\x01\x02\x00\x01\x00")
def test_a_server_survives_every_line_of_bytes(store: Served, sent: bytes) -> None:
    with socket.create_connection(store.address, timeout=10) as client, contextlib.suppress(OSError):
        client.sendall(sent)
        client.shutdown(socket.SHUT_WR)
        while client.recv(1 << 16):
            pass
    with socket.create_connection(store.address, timeout=10) as client:
        client.sendall(b"GET /b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert client.recv(100).startswith(b"HTTP/1.1 200")
