"""Secrets stay out of what is printed: those of a DSN, wherever a message quotes it, or a part of it.

A strict parser is no help here. A DSN that it refuses is quoted all the same, by us and by the libraries, and seldom
as a whole: of ``redis://me:se/cret@host`` redis-py says that the port ``'se'`` is no number. So a DSN is read
leniently, what may be a secret counts as one, and the message is searched for all that may come of it:

    DSN        redis://me:se/cret@host
    shown as   redis://me:***@host
    secrets    se/cret, its parts se and cret, each as it is, decoded, encoded, escaped, in capitals or not

A word too many is hidden now and then. That is the better mistake.
"""

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from urllib.parse import quote, quote_plus, unquote, unquote_plus

from lakeproof.impl.printable import printable

HIDDEN: Final = "***"
_SECRET_NAMES: Final = ("pass", "pwd", "secret", "token", "credential", "signature")
"""What the name of a parameter contains whose value is a secret."""
_OPEN_NAMES: Final = frozenset({
    "application_name", "channel_binding", "client_encoding", "client_name", "connect_timeout", "db", "dbname",
    "decode_responses", "encoding", "gssencmode", "health_check_interval", "host", "hostaddr", "keepalives",
    "keepalives_count", "keepalives_idle", "keepalives_interval", "load_balance_hosts", "max_connections", "options",
    "port", "protocol", "requirepeer", "retry_on_timeout", "service", "socket_connect_timeout", "socket_keepalive",
    "socket_timeout", "ssl_ca_certs", "ssl_cert_reqs", "ssl_certfile", "ssl_check_hostname", "ssl_keyfile", "sslcert",
    "sslcrl", "sslkey", "sslmode", "sslrootcert", "sslsni", "target_session_attrs", "tcp_user_timeout", "user",
    "username",
})  # fmt: skip
"""Names of parameters that end the value before them. Any other may as well be a part of a password."""
_BEFORE: Final = r"(?:[\s'\"(<]|--?[\w-]+=)*"
"""What may stand before a DSN."""
_SCHEME: Final = re.compile(rf"{_BEFORE}(?:jdbc:)?[\w+.-]*://", re.IGNORECASE)
_NETWORK: Final = re.compile(
    rf"{_BEFORE}(?:\w+\+)?(?:rediss?|unix|postgres(?:ql)?|mysql|mongodb|amqp|https?)\b[\w+.-]*(?::/?|//?)",
    re.IGNORECASE,
)
_HOST: Final = r"(?:\[[^\]@/]*\]|[^:/?#@\[\],]*)(?::\d{0,5})?"
_HOSTS: Final = re.compile(rf"{_HOST}(?:,{_HOST})*(?:[/?#][^@]*)?")
"""Hosts, a path and parameters, without a user or a password."""
_HOSTS_AND_MORE: Final = re.compile(rf"{_HOST}(?:,{_HOST})*(?:/[^@?#:]*)?\?([\w.%-]+)=.*", re.DOTALL)
"""The same with an @ behind the name of a parameter."""
_COLON: Final = re.compile(r":|%3a", re.IGNORECASE)
_PARAMETER: Final = re.compile(r"([\w.%-]+)\s*=\s*")
_NEXT_PARAMETER: Final = re.compile(r"[&;\s]+([\w.%-]+)\s*=")
_QUOTED: Final = re.compile(r"'(?:[^'\\]|\\.)*'?", re.DOTALL)
_WORD: Final = re.compile(r"""'[^']*'|"[^"]*"|[^\s'"]+""")
_OPTION: Final = re.compile(rf"--?[\w-]*(?:{'|'.join(_SECRET_NAMES)})[\w-]*\s+", re.IGNORECASE)
_SEPARATORS: Final = re.compile(r"[\s/?#@:&=\[\]%,;'\"\\]+")

Span = tuple[int, int]


def hide_secrets(dsn: str) -> str:
    """A DSN, or a command that may hold one, without its secrets, on one line that prints."""
    shown, end = "", 0
    # The spans are in order and apart, so the text between them is copied once.
    for start, stop in _spans(dsn):
        shown += f"{dsn[end:start]}{HIDDEN}"
        end = stop
    return printable(shown + dsn[end:])


def redact(text: str, *dsns: str) -> str:
    """A message without any secret of these DSNs, from whatever source."""
    return Redaction(dsns).hide(text)


class Redaction:
    """The secrets of some DSNs, ready to be looked for in many messages."""

    def __init__(self, dsns: Iterable[str]) -> None:
        found = {dsn: frozenset(_of(dsn)) for dsn in dsns}
        forms = frozenset[str]().union(*found.values())
        # What is shown of a DSN stays as it is, as far as it has no secret of another one.
        self._kept: dict[str, str] = {}
        # A DSN that is quoted as a whole becomes its readable form, user and host included, rather than fragments.
        for dsn, own in found.items():
            if own:
                others = frozenset[str]().union(*(other for key, other in found.items() if key != dsn))
                shown = _any_of(others).sub(HIDDEN, hide_secrets(dsn)) if others else hide_secrets(dsn)
                self._kept |= dict.fromkeys((dsn, repr(dsn)[1:-1], shlex.join(dsn.split()), hide_secrets(dsn)), shown)
        self._search = _any_of(forms, self._kept) if forms else None

    def hide(self, text: str) -> str:
        """The text without the secrets."""
        if self._search is None:
            return text
        return self._search.sub(lambda found: self._kept.get(found[0], HIDDEN), text)

    def explain(self, error: Exception) -> str:
        """The words of an error of a library, which may quote a DSN: on one line, without the secrets."""
        return printable(" ".join(self.hide(str(error)).split())) or type(error).__name__


def _spans(dsn: str) -> list[Span]:
    """Where secrets are, in order and apart. Empty ones are none."""
    if dsn.startswith("exec:"):  # the secrets are in arguments of a command
        words = list(_WORD.finditer(dsn))
        found = [(w.start() + start, w.start() + stop) for w in words for start, stop in _of_word(w[0])]
    else:
        found = [*_of_user(dsn), *_of_parameters(dsn)]
    for option in _OPTION.finditer(dsn):
        value = _WORD.match(dsn, option.end())
        if value is not None:
            found.append(value.span())
    merged: list[Span] = []
    for start, stop in sorted(span for span in found if span[0] < span[1]):
        # Spans that overlap or touch become one, else the text between two marks would show how a secret was cut.
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(stop, merged[-1][1])
        else:
            merged.append((start, stop))
    return merged


def _of_word(word: str) -> Iterator[Span]:
    # The first word of a command is the program with exec: before it, whose colon is that of no user.
    if "://" in word or ("@" in word and not word.startswith("exec:")):
        yield from _of_user(word)
    yield from _of_parameters(word)


def _of_user(dsn: str) -> Iterator[Span]:
    """From the first colon of a user to the last @; without an @, to the end, unless that is a port."""
    scheme = _SCHEME.match(dsn) or _NETWORK.match(dsn)
    start = 0 if scheme is None else scheme.end()
    # The last @ counts, since a password may have one that is not encoded.
    rest = dsn[start:]
    at = rest.rfind("@")
    # Without an @ there may still be a user and a password whose host was forgotten: anything that is not just hosts is
    # hidden.
    if at < 0 and (not start or _HOSTS.fullmatch(rest)):
        return
    more = _HOSTS_AND_MORE.fullmatch(rest) if start else None
    # Here the @ is in the value of a parameter such as ?application_name=a@b. With an unknown name it may as well be in
    # a password.
    if more is not None and unquote(more[1]).lower() in _OPEN_NAMES:
        return
    end = len(rest) if at < 0 else at
    colon = _COLON.search(rest, 0, end)
    if colon is not None:
        yield start + colon.end(), start + end


def _of_parameters(dsn: str) -> Iterator[Span]:
    for found in _PARAMETER.finditer(dsn):
        if any(word in unquote(found[1]).lower() for word in _SECRET_NAMES):
            start, end = found.end(), len(dsn)
            quoted = _QUOTED.match(dsn, start)
            if quoted is not None and quoted.end() - start > 1:
                yield start, quoted.end()  # the rest, up to the next parameter, is hidden as well
                start = quoted.end()
            # A password with & or = in it is cut by strict parsers. Here only a well-known name ends it.
            for following in _NEXT_PARAMETER.finditer(dsn, start):
                if unquote(following[1]).lower() in _OPEN_NAMES:
                    end = following.start()
                    break
            yield start, end


def _of(dsn: str) -> set[str]:
    """All forms of all parts of its secrets."""
    secrets = [dsn[start:stop] for start, stop in _spans(dsn)]
    return {form for secret in secrets for part in _parts(secret) for form in _forms(part)}


def _any_of(forms: Iterable[str], words: Iterable[str] = ()) -> re.Pattern[str]:
    """The longest first: a part must not spoil the whole."""
    alternatives = [re.escape(word) for word in sorted(words, key=len, reverse=True)]
    alternatives += map(_pattern, sorted(forms, key=len, reverse=True))
    return re.compile("|".join(alternatives), re.IGNORECASE)


def _parts(secret: str) -> set[str]:
    """A secret, and what a parser may have cut it into. Single characters say little, and are everywhere."""
    joined = re.sub(r"[\t\r\n]", "", secret)  # as urllib reads it
    whole = {secret, joined, secret.strip(), secret.strip().strip("'\"")}
    # Libraries decode once, twice, or not at all before they quote.
    decoded = {secret, joined, unquote(secret), unquote_plus(unquote(secret)), unquote(joined)}
    return {one for one in whole if one} | {part for one in decoded for part in _SEPARATORS.split(one) if len(part) > 1}


def _forms(secret: str) -> set[str]:
    """How a part of a secret may be written."""
    # The last one undoes the backslashes of a shell or of a conninfo string.
    plain = {secret, unquote(secret), unquote_plus(secret), unquote(unquote(secret)), re.sub(r"\\(.)", r"\1", secret)}
    plain |= {" ".join(one.split()) for one in plain}
    forms = set(plain)
    for one in plain:
        safe = one.encode("utf-8", "backslashreplace")
        forms |= {quote(safe, safe=""), quote(safe), quote_plus(safe), repr(one)[1:-1], ascii(one)[1:-1]}
        forms |= {json.dumps(one)[1:-1], repr(safe)[2:-1], printable(one), safe.decode()}
    return forms - {""}


def _pattern(form: str) -> str:
    """A short word counts where it stands alone, a longer one of letters where no other letter touches it."""
    escaped = re.escape(form)
    if len(form) < 4:
        return rf"(?<![^\W_]){escaped}(?![^\W_])"
    # An escape such as \n or %0a may stand right before it, and ends in a letter or a hexadecimal digit.
    before = r"(?:(?<![^\W\d_])|(?<=\\[a-z])|(?<=%[\da-f]{2}))" if form[0].isalpha() else ""
    after = r"(?![^\W\d_])" if form[-1].isalpha() else ""
    return f"{before}{escaped}{after}"


def without_secrets(text: str, args: Sequence[str], *, joined: bool = False) -> str:
    """A message of a command without the secrets of its arguments. joined: an address that the shell
    has taken apart is looked at as a whole, too."""
    # The shell splits an address with a blank in its password, and each part alone does not look like one.
    whole = [" ".join(args[at:]) for at in range(len(args))] if joined else []
    return Redaction([*_texts(args), *whole]).hide(text)


def _texts(args: Sequence[str]) -> list[str]:
    """Arguments, and the values of options that are written in one word with them."""
    return [*args, *(value for arg in args if arg.startswith("--") for value in [arg.partition("=")[2]] if value)]
