"""Requests in pieces, held against h11, which reads and writes the same protocol; and what is refused."""

import socket

import h11
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.gate.fronts import wire
from lakeproof.gate.fronts.aws import AWSFront
from lakeproof.gate.fronts.wire import HEAD_BYTES_MAX, Incoming, Malformed, Response, encode_response
from tests.gate.stores import telling

METHODS = st.sampled_from(["GET", "HEAD", "PUT", "POST", "DELETE", "PATCH", "OPTIONS"])
TARGETS = st.sampled_from(["/", "/b/k?list-type=2&prefix=a%2Fb", "/b/k%20l", "/b?delete", "/b/k?uploadId=x"])
HEADERS = st.lists(
    st.tuples(st.sampled_from(["x-amz-meta-a", "if-match", "RANGE"]), st.sampled_from(["", "v", '"e"', "a, b"])),
    max_size=4,
)
BODIES = st.binary(max_size=60)


def written(method: str, target: str, headers: list[tuple[str, str]], body: bytes, chunked: bool) -> bytes:
    """The bytes of a request, by h11."""
    client = h11.Connection(h11.CLIENT)
    length = ("transfer-encoding", "chunked") if chunked else ("content-length", str(len(body)))
    event = h11.Request(method=method, target=target, headers=[("host", "x"), *headers, length])
    return b"".join(client.send(each) or b"" for each in (event, h11.Data(data=body), h11.EndOfMessage()))


@given(
    st.lists(st.tuples(METHODS, TARGETS, HEADERS, BODIES, st.booleans()), min_size=1, max_size=3),
    st.lists(st.integers(0, 400), max_size=5),
)
def test_requests_are_read_as_they_were_written_wherever_they_are_cut(
    requests: list[tuple[str, str, list[tuple[str, str]], bytes, bool]], cuts: list[int]
) -> None:
    data = b"".join(written(*each) for each in requests)
    incoming, at = Incoming(), 0
    for cut in sorted({min(cut, len(data)) for cut in cuts} | {len(data)}):
        if cut > at:
            incoming.feed(data[at:cut])
        at = cut
        whole = len(b"".join(written(*each) for each in requests[: len(incoming.whole)]))
        assert incoming.begun == (at > whole)
    assert [each.stays for each in incoming.whole] == [True] * len(requests)
    for (method, target, headers, body, _), arrived in zip(requests, incoming.whole, strict=True):
        found = arrived.request
        assert (found.method, found.body) == (method, body)
        assert found.path == target.partition("?")[0].replace("%20", " ")
        assert bool(found.query) == ("?" in target)
        for name in {name.lower() for name, _ in headers}:
            assert found.headers[name] == ",".join(value for each, value in headers if each.lower() == name)


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("body", [b"", b"body"])
def test_an_offer_to_speak_another_protocol_is_passed_over(body: bytes, chunked: bool) -> None:
    offer = [("connection", "Upgrade, HTTP2-Settings"), ("upgrade", "h2c"), ("http2-settings", "AAMAAABk")]
    incoming = Incoming()
    incoming.feed(written("PUT", "/b/k", offer, body, chunked) + written("GET", "/b/k", [], b"", chunked=False))
    assert [(each.request.method, each.request.body) for each in incoming.whole] == [("PUT", body), ("GET", b"")]


def test_a_flood_of_offers_is_read() -> None:
    incoming = Incoming()
    incoming.feed(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n" * 5000)
    assert len(incoming.whole) == 5000


@pytest.mark.parametrize(
    ("head", "stays"), [("HTTP/1.1\r\nConnection: close", False), ("HTTP/1.0", False), ("HTTP/1.1", True)]
)
def test_a_connection_stays_as_the_client_says(head: str, stays: bool) -> None:
    incoming = Incoming()
    incoming.feed(f"GET / {head}\r\nHost: x\r\n\r\n".encode())
    assert incoming.whole[0].stays is stays


def test_leave_to_send_a_body_is_asked_for_once_and_not_by_a_body_that_has_come() -> None:
    head = b"PUT /b/k HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n"
    waits, has_sent = Incoming(), Incoming()
    waits.feed(head)
    has_sent.feed(head + b"bo")
    assert [waits.wants_continue(), waits.wants_continue(), has_sent.wants_continue()] == [True, False, False]


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"no request\r\n\r\n", 400),
        (b"CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n", 405),
        (b"GET /\xc3\xa9 HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"y" * (HEAD_BYTES_MAX + 1), 431),
        (b"PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n", 413),
        (b"PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nc\r\n" + b"z" * 12 + b"\r\n", 413),
    ],
)
def test_what_is_no_request_or_too_large_is_refused(data: bytes, status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "BODY_BYTES_MAX", 10)
    with pytest.raises(Malformed) as refused:
        Incoming().feed(data)
    assert refused.value.status == status


@pytest.mark.parametrize("protocol", ["s3", "redis"])
def test_a_mistake_of_a_store_that_is_served_ends_the_connection_alone(
    protocol: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    perform, lines = AWSFront.perform, list[str]()

    def fails_once(*of: object) -> object:
        monkeypatch.setattr(AWSFront, "perform", perform)
        raise RuntimeError("a mistake")

    monkeypatch.setattr(AWSFront, "perform", fails_once)
    http = b"GET /b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    data = b"*1\r\n$6\r\nDBSIZE\r\n" if protocol == "redis" else http
    with telling(protocol, "b", lines=lines) as url:
        host, port = url.partition("//")[2].split(":")
        answers = []
        for _ in range(2):
            with socket.create_connection((host, int(port)), 10) as connection:
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
                answers.append(connection.recv(100))
    assert (answers[0], bool(answers[1])) == (b"", True)
    assert "a connection was closed: RuntimeError('a mistake'); please report this" in lines


def test_an_answer_with_a_line_break_in_a_header_is_not_sent() -> None:
    with pytest.raises(ValueError, match="a header of an answer has a line break"):
        encode_response("GET", Response(200, (("a", "b\r\nc: d"),)), stays=True)
