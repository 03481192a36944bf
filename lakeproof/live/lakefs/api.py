"""A running lakeFS, through the client of its makers (``lakefs-sdk``): one call after the other, each tried once.

The client would try again by itself where a connection is lost, and then a create fails on what it has made itself:
that is turned off. What a refusal means for a call is decided here, by its HTTP status.
"""

import importlib
import itertools
import re
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from functools import partial
from types import ModuleType
from typing import Final
from urllib.parse import unquote

import attrs

from lakeproof.impl.printable import printable
from lakeproof.live.lakefs.calls import LAST, Answer
from lakeproof.live.lakefs.moves import Client, Timed, calls, text
from lakeproof.model.snapshot import Status
from lakeproof.stores.redaction import hide_secrets
from lakeproof.words import Unusable

FORMS: Final = "lakefs+http://KEY:SECRET@HOST:PORT[,HOST:PORT...], or lakefs+https://KEY:SECRET@HOST"
PAGE: Final = 1000
# A proxy may answer with the others for a request that has reached the server behind it.
UNDECIDED: Final = frozenset({408, 423, 425, 429, 499})
"""Refusals after which the call may have been done all the same: lakeFS says 423 (later: 429) when it gave up after
several tries."""
NOT_IMPLEMENTED: Final = 501
WORDS_MAX: Final = 160
TIMEOUT_MAX: Final = 31_536_000.0
"""Seconds. A socket does not take any number of them; a year is as good."""
LISTING_TIMEOUTS: Final = 2
"""For all pages of a listing: so many times an answer's."""
_DSN: Final = re.compile(r"lakefs\+(https?)://([^:@/]+):(.+)@([^@/]+)(/.*)?", re.DOTALL)


@attrs.frozen
class Address:
    """Where a lakeFS is. name: for messages, without the secret. hosts: the API of each server, one at least."""

    name: str
    hosts: tuple[str, ...]
    key: str
    secret: str

    @property
    def host(self) -> str:
        """The first server."""
        return self.hosts[0]


def address(dsn: str) -> Address:
    """What a DSN means. Percent-encoded characters are decoded; a secret may hold ``/`` and ``+`` as they are. Commas
    separate several servers of one lakeFS.

    Raises Unusable.
    """
    found = _DSN.fullmatch(dsn)
    if found is None:
        raise Unusable(f"{hide_secrets(dsn)!r} names no service; expected {FORMS}")
    scheme, key, secret, host, path = found.groups()
    servers = host.split(",")
    if not all(servers) or len(set(servers)) < len(servers):
        raise Unusable(f"{host!r} names a server twice, or none; expected HOST:PORT,HOST:PORT,...")
    bases = tuple(f"{scheme}://{each}{(path or '').rstrip('/') or '/api/v1'}" for each in servers)
    return Address(hide_secrets(dsn), bases, unquote(key), unquote(secret))


def sdk(name: str) -> ModuleType:
    """The client's package. Raises Unusable if it is not there."""
    try:
        return importlib.import_module("lakefs_sdk")
    except ImportError as error:
        raise Unusable(f"{name}: lakefs-sdk is not installed; pip install 'lakeproof[lakefs]'") from error


class LakeFS:
    """A running lakeFS, of one server or several, which take turns. Its methods block, may be called from several
    threads, and raise what `answer_of` explains.

    timeout: seconds for an answer. connections: how many calls may be under way at once.
    """

    def __init__(self, at: Address, *, timeout: float, connections: int) -> None:
        self._sdk, self._at, self._timeout = sdk(at.name), at, min(timeout, TIMEOUT_MAX)
        self._apis = [self._client(host, connections) for host in at.hosts]
        self._turns = itertools.count()
        self._mine = threading.local()  # a call of several requests stays with one server

    def _client(self, host: str, connections: int) -> Timed:
        configuration = self._sdk.Configuration(host=host, username=self._at.key, password=self._at.secret)
        configuration.retries = False  # urllib3 itself repeats idempotent methods, DELETE among them
        configuration.connection_pool_maxsize = connections
        client = importlib.import_module("lakefs_sdk.client").LakeFSClient(configuration=configuration)
        # The client has no option for its pools. None is made before the first request, so their classes may still be
        # replaced.
        importlib.import_module("lakeproof.live.lakefs.bounds").bound(client._api.rest_client.pool_manager)  # noqa: SLF001
        return Timed(client, self._timeout)

    def _turn(self, number: int | None = None) -> None:
        """Let all requests of this thread go to one server, the next one, until it is called again."""
        # Under the GIL, next() of itertools.count is atomic, so two threads never share a turn.
        number = next(self._turns) % len(self._apis) if number is None else number
        self._mine.api = self._apis[number]
        LAST.server = self._at.hosts[number].partition("://")[2].partition("/")[0] if len(self._apis) > 1 else ""

    @property
    def _api(self) -> Timed:
        found: Timed = self._mine.api
        return found

    def greet(self) -> str:
        """Its version. Raises Unusable if it cannot be reached, refuses the key, or is no lakeFS."""
        from urllib3.exceptions import HTTPError

        from lakeproof.live.lakefs.bounds import nonsense

        name = self._at.name
        repair = "name the address of a lakeFS server, 1.0 or later"
        try:
            found = self.version()
        except Exception as error:  # whatever the client makes of what is there
            # The most specific cause first: a status needs an answer, nonsense is an answer without one, and the rest
            # is a connection.
            answer = answer_of(error)
            if answer.code in {401, 403}:
                why = f"refuses the key ({answer.code}); check the credentials"
            elif answer.code:
                why = f"answers {answer.code} to {self._at.host}/config; {repair}"
            elif nonsense(error):
                why = f"does not answer as a lakeFS does to {self._at.host}/config: {answer.words}; {repair}"
            elif isinstance(error, HTTPError | OSError) or getattr(error, "status", None) == 0:
                why = f"cannot be reached: {answer.words}; is it running there?"
            else:
                why = f"does not answer as a lakeFS does to {self._at.host}/config; {repair}"
            raise Unusable(f"{name}: {why}") from error
        if not found:
            raise Unusable(f"{name}: {self._at.host}/config has no version of lakeFS; {repair}")
        return found

    def version(self) -> str:
        """The versions of all servers; empty: unknown."""
        versions = []
        for number in range(len(self._apis)):
            self._turn(number)
            config = self._api.config_api.get_config()
            versions.append(getattr(getattr(config, "version_config", None), "version", None))
        return _one_line(", ".join(dict.fromkeys(str(each or "") for each in versions)))

    def perform(self, name: str, args: tuple[str, ...]) -> Hashable:
        """Do a call by its name; its value, as `lakeproof.live.lakefs.calls` wants it."""
        self._turn()
        if name == "list_repositories":
            page = partial(self._api.repositories_api.list_repositories, prefix=args[0])
            return tuple((text(each.id), text(each.storage_namespace)) for each in self._all(page))
        return calls(self._sdk, self._api, self._timeout)[name](*args)

    def listing(self, repository: str, ref: str) -> dict[str, str]:
        """Path to physical address of all entries of a branch or commit."""
        self._turn()
        page = partial(self._api.objects_api.list_objects, repository, ref)
        return {text(each.path): text(each.physical_address) for each in self._all(page)}

    def branches(self, repository: str) -> list[str]:
        """The ids of all branches."""
        self._turn()
        return [text(each.id) for each in self._all(partial(self._api.branches_api.list_branches, repository))]

    def log(self, repository: str, ref: str, *, first_parent: bool) -> list[tuple[str, str]]:
        """The commits that a ref leads to, newest first: id and message."""
        self._turn()
        page = partial(self._api.refs_api.log_commits, repository, ref, first_parent=first_parent)
        return [(text(each.id), text(each.message)) for each in self._all(page)]

    def _all(self, page: Callable[..., Client]) -> Iterator[Client]:  # type: ignore[explicit-any]  # of the client
        """What all pages of a listing hold. ``page`` takes the offset, and how many entries.

        Raises ValueError if it does not get on, TimeoutError if it does not end in time.
        """
        # A page has a timeout of its own, and all pages together have this one.
        until = time.monotonic() + LISTING_TIMEOUTS * self._timeout
        after, more = "", True
        while more:
            if time.monotonic() > until:
                raise TimeoutError(f"a listing that did not end within {LISTING_TIMEOUTS * self._timeout:g} s")
            found = page(after=after, amount=PAGE)
            yield from found.results
            # A page that ends where it began would be read for ever.
            more, before, after = found.pagination.has_more, after, found.pagination.next_offset
            if more and after == before:
                raise ValueError(f"a listing announces more after {after!r}, and does not advance")


def _one_line(words: str) -> str:
    """Words of a service for a line of ours, and not too long."""
    return printable(" ".join(words[: 2 * WORDS_MAX].split()))[:WORDS_MAX]  # cut first, for a body may have megabytes


def answer_of(error: BaseException) -> Answer:
    """What an error means for the call that it ended.

    4xx but for `UNDECIDED`, and 501, are refusals: nothing was done. If there was no connection to be had, nothing was
    sent. Everything else is unknown: 5xx, a connection that was lost, no answer in time, an answer that makes no sense.
    """
    from urllib3 import exceptions  # it comes with an extra

    from lakeproof.live.lakefs.bounds import nonsense

    code = getattr(error, "status", None)
    code = code if isinstance(code, int) else 0
    body = getattr(error, "body", None)
    words = _one_line(
        nonsense(error) or str(body or getattr(error, "reason", None) or error) or type(error).__name__
    )
    if code:
        definite = (400 <= code < 500 and code not in UNDECIDED) or code == NOT_IMPLEMENTED
        return Answer(Status.FAIL if definite else Status.INFO, code, words=f"{code}: {words}")
    if isinstance(error, exceptions.ReadTimeoutError):
        return Answer(Status.INFO, words="no whole answer in time")
    unsent = isinstance(error, exceptions.NewConnectionError | exceptions.ConnectTimeoutError)
    return Answer(Status.FAIL if unsent else Status.INFO, words=words)
