"""What `lakeproof service` refuses: one line that names the argument and the repair, and exit code 2."""

import socket
import sys
from pathlib import Path

import pytest

from lakeproof.live.lakefs.api import address
from lakeproof.live.lakefs.known_issues import KnownIssues, issues_of
from lakeproof.live.lakefs.promises import IDS, IMPORTED_WHOLE
from lakeproof.words import Unusable
from tests.commands import complaint, lakeproof
from tests.fake_lakefs.server import fake_lakefs
from tests.live.misbehaving import Asked, Pieces, gate
from tests.live.runs import service

NAMESPACE = ("--storage-namespace", "mem://lakeproof")
ANYWHERE = "lakefs+http://k:s@h"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        *(((dsn,), "names no service; expected lakefs") for dsn in ("", "memory:", "lakefs://k:s@h", "http://k:s@h")),
        *(((dsn,), "names no service; expected lakefs") for dsn in ("lakefs+http://h", "lakefs+http://k@h")),
        *(((f"{ANYWHERE}{more}",), "names a server twice, or none") for more in (",h", ",", ",,x")),
        ((ANYWHERE,), "with --storage-namespace, as in local://lakeproof"),
        ((ANYWHERE, "--only", "create-is-unqiue"), "'create-is-unqiue': no such invariant; expected one of"),
        ((ANYWHERE, "--except", ",".join(IDS)), "leave no invariant to judge"),
        ((ANYWHERE, "--only", IMPORTED_WHOLE), "name what to import with --import-from"),
        ((ANYWHERE, "--focus", "pull,pulls"), "--focus pulls: no such kind of call; expected some of set, create,"),
        ((ANYWHERE, "--import-from", "mem://a/,incoming"), "--import-from incoming: no address of objects"),
        ((ANYWHERE, "--known", "cash"), "--known cash: no such cause; expected some of cache, refused-write"),
        ((ANYWHERE, "--known", "refused-write=3"), "--known refused-write=3: no such cause"),
        *(((ANYWHERE, "--known", f"cache={each}"), f"'{each}' is no time; ") for each in ("soon", "nan", "-1")),
    ],
)
@pytest.mark.parametrize("as_json", [(), ("--json",)], ids=["", "json"])
def test_what_cannot_be_is_one_line_without_the_secret(
    words: tuple[str, ...], says: str, as_json: tuple[str, ...]
) -> None:
    result = lakeproof("service", *words, *as_json)
    line = complaint(result)
    assert says in line
    assert ":s@" not in line
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("restart", "says"),
    [
        ("no-such-program", "No such file or directory; name a program"),
        ("false", "ended with 1: ; mend it"),
        ("'", "No closing quotation; quote it as in a shell"),
        (" ", "name a program"),
    ],
)
def test_a_command_that_restarts_nothing(restart: str, says: str, tmp_path: Path) -> None:
    words = ("--rounds", "1", "--seconds", "0.1", "--restart-with", restart, "--out", str(tmp_path))
    line = complaint(service(*words, calls=None))
    assert line.startswith("--restart-with ")
    assert says in line


def test_a_dsn_names_scheme_servers_key_and_a_secret_of_any_characters() -> None:
    at = address("lakefs+https://AKIA:wJ/a+r@X%40@lake.example:8443,two/base/")
    assert at.hosts == ("https://lake.example:8443/base", "https://two/base")
    assert (at.key, at.secret) == ("AKIA", "wJ/a+r@X@")
    assert at.name == "lakefs+https://AKIA:***@lake.example:8443,two/base/"
    with pytest.raises(Unusable):
        address("lakefs+http://k:s@h,h")


def test_known_causes_have_their_words() -> None:
    assert issues_of("") == KnownIssues()
    assert issues_of(" cache=0.5, refused-write") == KnownIssues(frozenset({"cache", "refused-write"}), 0.5)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "does not answer as a lakeFS does to "),
        (b'HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n{"a": 1}', "/config has no version of lakeFS"),
        (b"HTTP/1.1 404 None\r\nContent-Length: 0\r\n\r\n", "answers 404 to "),
        (b"HTTP/1.1 307 Odd\r\nLocation: /else\r\nContent-Length: 0\r\n\r\n", "answers 307 to "),
        (
            b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
            "/config: a body encoded as 'gzip', which was not requested; ",
        ),
    ],
)
def test_a_server_that_is_no_lakefs(answer: bytes, says: str) -> None:
    paths = []

    def answered(asked: Asked) -> Pieces:
        paths.append(asked.path)
        yield answer

    with gate(lambda number, path: answered) as dsn:
        line = complaint(lakeproof("service", dsn, *NAMESPACE))
    assert says in line
    assert line.endswith("name the address of a lakeFS server, 1.0 or later")
    assert paths == ["/api/v1/config"]


@pytest.mark.parametrize("listens", [False, True])
def test_a_server_that_is_not_there_or_never_answers(listens: bool) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        if listens:
            taken.listen()
        dsn = f"lakefs+http://k:s@127.0.0.1:{taken.getsockname()[1]}"
        line = complaint(lakeproof("service", dsn, *NAMESPACE, "--timeout", "0.3"))
    assert ": cannot be reached: " in line
    assert line.endswith("; is it running there?")


def test_a_key_or_a_namespace_that_is_refused() -> None:
    with fake_lakefs() as dsn:
        line = complaint(lakeproof("service", dsn.replace("fake:", "other:"), *NAMESPACE))
        assert line.endswith(": refuses the key (401); check the credentials")
        line = complaint(lakeproof("service", dsn, "--storage-namespace", "nowhere"))
    assert line.startswith("create_repository(lakeproof-")
    assert line.endswith("; name another --storage-namespace, or give the key the right to it")


def test_the_client_of_its_makers_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lakefs_sdk", None)
    line = complaint(lakeproof("service", ANYWHERE, *NAMESPACE))
    assert line.endswith(": lakefs-sdk is not installed; pip install 'lakeproof[lakefs]'")
