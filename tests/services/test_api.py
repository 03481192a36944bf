"""DSNs, what a refusal means, and services that cannot be used: one line each."""

import socket
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
import urllib3.exceptions

from lakeproof.model.snapshot import Status
from lakeproof.running.tasks import Unusable
from lakeproof.services.api import address, told
from tests.commands import complaint, lakeproof
from tests.fake_lakefs.server import fake_lakefs

NAMESPACE = ("--storage-namespace", "mem://lakeproof")


class Refusal(Exception):
    """As the client raises them."""

    def __init__(self, status: int | None) -> None:
        super().__init__("refused")
        self.status, self.body, self.reason = status, '{"message": "because"}', "Reason"


def test_a_dsn_names_scheme_host_key_and_a_secret_of_any_characters() -> None:
    at = address("lakefs+https://AKIA:wJ/a+r@X%40@lake.example:8443")
    assert (at.host, at.key, at.secret) == ("https://lake.example:8443/api/v1", "AKIA", "wJ/a+r@X@")
    assert at.name == "lakefs+https://AKIA:***@lake.example:8443"
    assert address("lakefs+http://k:s@h:1/base/").host == "http://h:1/base"


def test_a_dsn_may_name_several_servers_of_one_lakefs() -> None:
    at = address("lakefs+http://k:s@one:8000,two:8001")
    assert at.hosts == ("http://one:8000/api/v1", "http://two:8001/api/v1")
    assert at.name == "lakefs+http://k:***@one:8000,two:8001"
    for hosts in ("one,one", "one,", ",one"):
        with pytest.raises(Unusable, match="names a server twice, or none"):
            address(f"lakefs+http://k:s@{hosts}")


@pytest.mark.parametrize(
    "dsn", ["lakefs://k:s@h", "lakefs+http://h", "lakefs+http://k@h", "http://k:s@h", "", "memory:"]
)
def test_what_is_no_dsn_of_a_service_is_refused_without_the_secret(dsn: str) -> None:
    with pytest.raises(Unusable, match="names no service; expected lakefs") as caught:
        address(dsn)
    assert ":s@" not in str(caught.value)


@pytest.mark.parametrize("code", [400, 401, 403, 404, 409, 410, 412, 422, 501])
def test_a_refusal_is_definite(code: int) -> None:
    answer = told(Refusal(code))
    assert (answer.status, answer.code, answer.words) == (Status.FAIL, code, f'{code}: {{"message": "because"}}')


@pytest.mark.parametrize("code", [302, 408, 423, 429, 500, 502, 503, 504])
def test_what_may_have_been_done_is_unknown(code: int) -> None:
    """423 and 429: lakeFS has tried several times, and may have been heard once."""
    assert told(Refusal(code)).status is Status.INFO


@pytest.mark.parametrize(
    "error",
    [
        Refusal(0),
        Refusal(None),
        OSError("lost"),
        ValueError("no JSON"),
        urllib3.exceptions.ProtocolError("lost"),
        urllib3.exceptions.ReadTimeoutError(None, "", "late"),  # type: ignore[arg-type]
    ],
)
def test_a_lost_connection_or_an_answer_without_sense_is_unknown(error: Exception) -> None:
    assert told(error).status is Status.INFO


def test_where_no_connection_was_had_nothing_was_sent() -> None:
    assert told(urllib3.exceptions.ConnectTimeoutError("late")).status is Status.FAIL


@pytest.fixture
def web() -> Iterator[str]:
    """A server that is no lakeFS: a page for every request but one."""

    class Pages(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = b'{"a": 1}' if "json" in self.path else b"<html>hello</html>"
            self.send_response(404 if "none" in self.path else 200)
            self.send_header("Content-Length", str(len(page)))
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Pages)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield f"lakefs+http://k:s@127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("", "does not answer as a lakeFS does to "),
        ("/json", "/json/config has no version of lakeFS"),
        ("/none", "answers 404 to "),
    ],
)
def test_a_server_that_is_no_lakefs(path: str, problem: str, web: str) -> None:
    line = complaint(lakeproof("service", web + path, *NAMESPACE))
    assert line.startswith("lakefs+http://k:***@127.0.0.1:")
    assert problem in line
    assert line.endswith("name the address of a lakeFS server, 1.0 or later")


def test_nobody_listens() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        line = complaint(lakeproof("service", f"lakefs+http://k:s@127.0.0.1:{port}", *NAMESPACE, "--timeout", "2"))
    assert line.startswith(f"lakefs+http://k:***@127.0.0.1:{port}: cannot be reached: ")
    assert line.endswith("; is it running there?")


def test_a_server_that_never_answers() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        dsn = f"lakefs+http://k:s@127.0.0.1:{silent.getsockname()[1]}"
        assert ": cannot be reached: " in complaint(lakeproof("service", dsn, *NAMESPACE, "--timeout", "0.2"))


def test_a_key_that_is_refused() -> None:
    with fake_lakefs() as dsn:
        line = complaint(lakeproof("service", dsn.replace("fake:", "other:"), *NAMESPACE))
    assert line.endswith(": refuses the key (401); check the credentials")


def test_a_namespace_must_be_named_and_fit() -> None:
    with fake_lakefs() as dsn:
        assert "with --storage-namespace, as in local://lakeproof" in complaint(lakeproof("service", dsn))
        line = complaint(lakeproof("service", dsn, "--storage-namespace", "nowhere"))
    assert line.startswith("create_repository(lakeproof-")
    assert line.endswith("; name another --storage-namespace, or give the key the right to it")


def test_the_client_of_its_makers_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lakefs_sdk", None)
    line = complaint(lakeproof("service", "lakefs+http://k:s@127.0.0.1:1", *NAMESPACE))
    assert line.endswith(": lakefs-sdk is not installed; pip install 'lakeproof[lakefs]'")
