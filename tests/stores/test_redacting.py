"""No secret of a DSN is printed by any command, however malformed the DSN is, and whoever words the message."""

import re
import socket
from pathlib import Path
from typing import Final, NoReturn

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeproof.stores.redaction import hide_secrets, redact
from tests.commands import lakeproof

WORDS: Final = ("hunter", "Sesame", "swordfish", "0penUp", "kaboom9")
"""Of these are secrets made: no message has any of them by itself."""
BETWEEN: Final = ("", "/", "?", "#", "@", ":", "&", "=", "%", "%zz", "%2F", "%40", "%25", "[", "]", " ", "+", "\\", "'",
                  '"', ",", ";", "é", "\n", "℀", "=x&", "%00", "//", "://")  # fmt: skip
SECRETS: Final = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(BETWEEN)), min_size=1, max_size=3).map(
    lambda parts: "".join(word + between for word, between in parts)
)
NETWORKS: Final = ("postgresql", "postgres", "redis", "rediss", "unix", "PostgreSQL", "postgresql+psycopg", "mysql")
HOSTS: Final = ("127.0.0.1:1", "h", "[::1", "local host", "127.0.0.1:99x", "h1:1,h2:2", "127.0.0.1:1/0", "h/d?user=x")
SHAPES: Final = (
    "{network}://{user}:{secret}@{host}", "{network}:{user}:{secret}@{host}", "{network}//{user}:{secret}@{host}",
    "{network}:///{user}:{secret}@{host}", "//{user}:{secret}@{host}", "u{user}:{secret}@{host}",
    "{network}:/{user}:{secret}@{host}", " {network}://{user}:{secret}@{host}", "{network}//{user}:{secret}",
    "{network}:{user}:{secret}", "{network}:/{user}:{secret}", " {network}://{user}:{secret}",
    "{network}://{user}:{secret}", "{network}://{user}%3A{secret}@{host}", "{network}://{user}:{secret}%40{host}",
    "{network}://{host}?password={secret}", "{network}://{host}?user=u&password={secret}&dbname=d",
    "{network}://{host}?PassWord={secret}", "{network}://{host}?pass%77ord={secret}", "{network}://h?sslpassword={secret}",
    "host=h password={secret} dbname=d", "host=h password = '{secret}' dbname=d", "password={secret}",
    "exec:no-such-program {network}://{user}:{secret}@{host}", "exec:no-such-program --password={secret}",
)  # fmt: skip


@st.composite
def addresses(draw: st.DrawFn) -> tuple[str, str]:
    """A DSN, well formed or not, and its secret."""
    shape, secret = draw(st.sampled_from(SHAPES)), draw(SECRETS)
    if shape.startswith("exec:"):
        secret = re.sub(r"[\s'\"\\]", "", secret)  # in a command these end the word
    elif "@" not in shape:
        secret = secret.replace("@", "")  # else what follows it is a host, by all rules
    if "'{secret}'" in shape:
        secret = secret.replace("'", "")
    made = shape.format(
        network=draw(st.sampled_from(NETWORKS)),
        user=draw(st.sampled_from(("", "me", "m%65", "you there"))),
        secret=secret,
        host=draw(st.sampled_from(HOSTS)),
    )
    return made, secret


@pytest.fixture(autouse=True)
def libraries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The libraries parse and word their messages themselves; no name is looked up, and no server is reached."""

    def resolve(host: object, *args: object, **options: object) -> NoReturn:
        raise socket.gaierror(-2, f"Name {host!r} not known")

    def connect(dsn: str, **options: object) -> NoReturn:
        psycopg.conninfo.make_conninfo(dsn)
        raise psycopg.OperationalError(f'connection of "{dsn}" failed: {psycopg.conninfo.conninfo_to_dict(dsn)}')

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    monkeypatch.setattr(psycopg, "connect", connect)
    monkeypatch.chdir(tmp_path)


def law(dsn: str, secret: str) -> None:
    words = [word for word in WORDS if word in secret]
    assert words
    for command in (
        ["conform", dsn],
        ["conform", dsn, "--json"],
        ["conform", *dsn.split()],
        ["stress", dsn, "--seconds", "0.1", "--timeout", "1"],
        ["migrate", dsn, "new.db"],
        ["migrate", "old.db", dsn],
        ["diagnose", dsn, "--out", "d.zip"],
        ["diagnose", "none.db", "--out", "d.zip", dsn],
        ["service", dsn, "--storage-namespace", "mem://x", "--timeout", "0.01"],
        ["service", f"lakefs+{dsn.strip()}", "--timeout", "0.01"],
        ["check", dsn],
        ["verify", "--from", dsn],
        ["spark", "histories", dsn],
    ):
        result = lakeproof(*command)
        assert result.exit_code == 2, (command, result.output)
        assert len(result.stderr.splitlines()) <= 2
        told = result.output.lower()
        assert not [word for word in words if word.lower() in told], (command, result.output)


@pytest.mark.parametrize("dsn", ["postgresql://u:hunter@kaboom9@h/db", "redis://:hunter@kaboom9@h:1"])
@pytest.mark.parametrize("command", ["explore", "generate"])
def test_no_command_of_spark_shows_a_password_with_an_at_in_it(command: str, dsn: str) -> None:
    result = lakeproof("spark", command, dsn)
    assert result.exit_code == 2
    assert "hunter" not in result.output
    assert "kaboom9" not in result.output


@settings(max_examples=60)
@given(addresses())
def test_no_output_holds_a_secret(given_: tuple[str, str]) -> None:
    law(*given_)


@pytest.mark.parametrize(
    ("dsn", "shown"),
    [
        ("postgresql://me:secret@h/db", "postgresql://me:***@h/db"),
        ("redis://:secret@h:1/0", "redis://:***@h:1/0"),
        ("redis://me:se/cr@et@h", "redis://me:***@h"),
        ("redis://me:secret", "redis://me:***"),
        ("me:secret@h/db", "me:***@h/db"),
        ("redis://h?password=se&cret&db=1", "redis://h?password=***&db=1"),
        ("host=h password = 'se cret' dbname=d", "host=h password = *** dbname=d"),
        ("exec:prog redis://me:secret@h --password hush -v", "exec:prog redis://me:***@h --password *** -v"),
    ],
)
def test_a_dsn_is_shown_with_all_but_its_secret(dsn: str, shown: str) -> None:
    assert hide_secrets(dsn) == shown


@pytest.mark.parametrize(
    "dsn",
    ["memory:", "sqlite:////a/b:c.db", "redis://h:6379/0?db=1", "redis://[::1]:6379/0", "postgresql://me@h1:1,h2:2/d",
     "postgresql://h:5432/db?user=me@corp", "unix:///tmp/redis.sock", "exec:python3 kv.py --port 1", "nothing"],
)  # fmt: skip
def test_a_dsn_without_a_secret_is_shown_as_it_is(dsn: str) -> None:
    assert hide_secrets(dsn) == dsn
    assert redact(f"{dsn}: no such host: h", dsn) == f"{dsn}: no such host: h"


@pytest.mark.parametrize(
    ("secret", "message"),
    [
        ("se/cret", "Port could not be cast to integer value as 'se'"),
        ("s%65cret", 'invalid password "secret" given'),
        ("se cret", "quoted as se%20cret and se+cret"),
        ("Secret", "lowered: secret"),
        ("sécret", r"escaped: s\xe9cret, s\u00e9cret, s%C3%A9cret"),
    ],
)
def test_a_part_of_a_secret_is_hidden_however_it_is_written(secret: str, message: str) -> None:
    told = redact(message, f"redis://me:{secret}@h")
    assert "***" in told
    assert not re.search(r"secret|cret|'se'|s.{1,6}cret", told)


def test_a_mistake_of_ours_is_told_with_its_traceback_and_without_the_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(dsn: str, **options: object) -> NoReturn:
        raise LookupError(f"no {dsn}")

    monkeypatch.setattr(psycopg, "connect", broken)
    from click.testing import CliRunner

    from lakeproof import cli

    result = CliRunner().invoke(cli.main, ["conform", "postgresql://me:hunter@h/db"])
    assert result.exit_code == 2
    assert "LookupError: no postgresql://me:***@h/db" in result.output
    assert "hunter" not in result.output
