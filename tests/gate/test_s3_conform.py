"""`lakeproof conform s3+http://...`: the gate's S3 keeps every claim, and stores that do not are found out."""

import socket
from collections.abc import Callable, Iterator

import attrs
import pytest

from lakeproof.gate.fronts.http import Cut, Request, Response
from lakeproof.gate.fronts.s3 import listing, multipart, operations, wire, writes
from lakeproof.gate.fronts.s3.front import S3Front
from lakeproof.gate.fronts.s3.state import BucketState
from lakeproof.gate.fronts.s3.wire import S3Error, S3Request, error_response
from lakeproof.impl.stores.conformance import NotConforming, claim_text
from lakeproof.stores.s3_bucket import Bucket, open_bucket
from lakeproof.stores.s3_claims import CLAIMS, Claim, check_claim
from tests.commands import complaint, lakeproof
from tests.gate.stores import Meeting, Served, answering, served
from tests.planting import text_fault

NOW = 1_700_000_000_000_000
Fault = Callable[[pytest.MonkeyPatch], None]


class Store:
    """A stand-in for an S3. Bugs are planted by overriding."""

    def __init__(self) -> None:
        self.front = S3Front()
        self.state = BucketState(buckets=frozenset({"b"}))

    async def answer(self, request: Request) -> Response:
        asked = self.front.understood(request)
        return asked if isinstance(asked, Response) else await self.perform(asked)

    async def perform(self, asked: S3Request) -> Response:
        self.state, response, _ = self.front.perform(self.state, asked, NOW)
        return response


def without(asked: S3Request, *headers: str) -> S3Request:
    return attrs.evolve(asked, headers={name: each for name, each in asked.headers.items() if name not in headers})


class ChecksThenPuts(Store):
    """A condition is looked at, and the object put later: the first time after another one has looked, too."""

    def __init__(self) -> None:
        super().__init__()
        self.meeting = Meeting()

    async def perform(self, asked: S3Request) -> Response:
        if asked.method == "PUT" and asked.headers.keys() & {"if-match", "if-none-match"}:
            _, would, _ = self.front.perform(self.state, asked, NOW)
            if would.status != 200:
                return would
            await self.meeting.come()
            return await super().perform(without(asked, "if-match", "if-none-match"))
        return await super().perform(asked)


class ListsYesterday(Store):
    """A listing does not see the write before it."""

    def __init__(self) -> None:
        super().__init__()
        self.before = self.state

    async def perform(self, asked: S3Request) -> Response:
        if asked.method == "GET" and not asked.key:
            return self.front.perform(self.before, asked, NOW)[1]
        if asked.method in ("PUT", "DELETE"):
            self.before = self.state
        return await super().perform(asked)


class ReadsStale(Store):
    """The first read after an overwrite has the content before it."""

    def __init__(self) -> None:
        super().__init__()
        self.stale: BucketState | None = None

    async def perform(self, asked: S3Request) -> Response:
        if asked.method == "GET" and asked.key and self.stale is not None:
            state, self.stale = self.stale, None
            return self.front.perform(state, asked, NOW)[1]
        if asked.method == "PUT" and asked.key:
            self.stale = self.state
        return await super().perform(asked)


class Dies(Store):
    """Nothing is answered from the first read of a range on."""

    dead = False

    async def perform(self, asked: S3Request) -> Response:
        self.dead |= "range" in asked.headers
        if self.dead:
            raise Cut
        return await super().perform(asked)


BLIND_TO_ABSENCE = text_fault(writes, "if_absent=none is not None", "if_absent=False")
SKIPPING = text_fault(listing, 'ContinuationToken", quote(page[-1]', 'ContinuationToken", quote(found[limit]')
NO_CODES = text_fault(wire, ", text, error.unknown)", ', b"", error.unknown)')
KEEPING_IN_BULK = text_fault(operations, 'state = _without(state, f"{request.bucket}/{key}")', "pass")
PLANTED: list[tuple[type[Store] | Fault, str]] = [
    (BLIND_TO_ABSENCE, "a_put_that_must_create_is_refused_where_something_is"),
    (BLIND_TO_ABSENCE, "one_of_many_concurrent_creators_wins"),
    (BLIND_TO_ABSENCE, "an_upload_that_must_create_is_refused_where_something_is"),
    (text_fault(writes, "if_match=wanted", "if_match=None"), "a_put_on_an_etag_replaces_that_content_only"),
    (ChecksThenPuts, "one_of_many_concurrent_creators_wins"),
    (ChecksThenPuts, "concurrent_increments_by_etag_are_all_kept"),
    (SKIPPING, "a_listing_in_pages_is_complete"),
    (text_fault(listing, 'unquote(query.get("continuation-token", ""))', '""'), "a_listing_in_pages_is_complete"),
    (SKIPPING, "what_is_there_all_the_time_is_listed_once_whatever_is_written_between_two_pages"),
    (ListsYesterday, "a_write_and_a_delete_are_seen_at_once_by_every_read"),
    (ReadsStale, "a_write_and_a_delete_are_seen_at_once_by_every_read"),
    (
        text_fault(multipart, 'content = b"".join(chosen)', "content = chosen[0]"),
        "an_upload_in_parts_is_seen_when_it_is_complete_and_whole",
    ),
    (
        text_fault(
            multipart,
            "attrs.evolve(state, uploads={**state.uploads,",
            "attrs.evolve(write_object(state, request, content, (), now), uploads={**state.uploads,",
        ),
        "an_upload_in_parts_is_seen_when_it_is_complete_and_whole",
    ),
    (
        text_fault(listing, "in sorted(keys):", "in sorted(keys, key=lambda key: key.encode('utf-16-be')):"),
        "keys_are_any_characters_and_are_listed_in_the_order_of_their_bytes",
    ),
    (NO_CODES, "an_absent_object_is_an_error_with_its_code"),
    (NO_CODES, "a_bucket_that_is_not_there_is_an_error_with_its_code"),
    (text_fault(operations, "[first : last + 1]\n    ranged", "[first:last]\n    ranged"), "ranges_are_read"),
    (
        text_fault(operations, "metadata_of(request) if replace", "metadata_of(request) if found"),
        "a_copy_takes_content_and_metadata_or_replaces_them",
    ),
    (KEEPING_IN_BULK, "many_keys_are_deleted_at_once"),
]
BY_NAME: dict[str, Claim] = {claim.__name__: claim for claim in CLAIMS}


def bucket(store: Served) -> Bucket:
    return open_bucket(f"s3+{store.url.replace('//', '//me:secret@')}/b", 60.0)("x/")


@pytest.mark.parametrize(("planted", "claim"), PLANTED, ids=lambda each: getattr(each, "__name__", each))
def test_a_planted_bug_breaks_its_claim(
    planted: type[Store] | Fault, claim: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = planted if isinstance(planted, type) else Store
    if not isinstance(planted, type):
        planted(monkeypatch)
    with answering(kind().answer) as store, pytest.raises(NotConforming) as found:
        check_claim(BY_NAME[claim], bucket(store))
    assert str(found.value).startswith(claim.replace("_", " "))
    assert "\n" not in str(found.value)


class ListsUploadsAlone(Store):
    """No listing of keys is answered."""

    async def perform(self, asked: S3Request) -> Response:
        if asked.method == "GET" and "uploads" in asked.query:
            rows = "".join(
                f"<Upload><Key>{each.address.removeprefix('b/')}</Key><UploadId>{number}</UploadId></Upload>"
                for number, each in self.state.uploads.items()
            )
            return Response(200, (), f"<ListMultipartUploadsResult>{rows}</ListMultipartUploadsResult>".encode())
        response = await super().perform(asked)
        if asked.method == "GET" and "list-type" in asked.query:
            return error_response(S3Error(503, "SlowDown", "Reduce your request rate."), asked)
        return response


def test_a_listing_that_names_no_keys_ends_no_clearing(monkeypatch: pytest.MonkeyPatch) -> None:
    text_fault(listing, 'element("Key", encode(name))', 'element("Name", encode(name))')(monkeypatch)
    with answering(Store().answer) as store:
        bucket(store).place("a")
        assert bucket(store).clear() == 0


def test_what_was_written_is_deleted_and_what_was_begun_is_aborted_although_keys_cannot_be_listed() -> None:
    store = ListsUploadsAlone()
    with answering(store.answer) as there:
        private = bucket(there)
        private.place("a")
        private.request("create_multipart_upload", "b")
        assert store.state.objects
        assert store.state.uploads
        assert private.clear() == 0
    assert (store.state.objects, store.state.uploads) == ({}, {})


def test_what_a_store_that_falls_silent_may_have_kept_is_counted() -> None:
    store = Dies()
    with answering(store.answer) as there:
        private = bucket(there)
        private.place("a", "b")
        private.get("a")
        store.dead = True
        assert private.clear() == 2


@pytest.fixture(scope="module")
def gate() -> Iterator[Served]:
    with served("b") as found:
        yield found


def test_the_gate_keeps_every_claim(gate: Served) -> None:
    dsn = f"s3+{gate.url.replace('//', '//me:hush@')}/b"
    result = lakeproof("conform", dsn)
    assert (result.exit_code, result.stderr) == (0, "")
    kept = [f"kept: {claim_text(claim)}" for claim in CLAIMS]
    shown = dsn.replace("hush", "***")
    assert result.stdout.splitlines() == [*kept, f"conforming: {len(kept)} claims kept by {shown}"]
    assert bucket(gate).keys() == [], "nothing is left behind"


def test_a_store_that_stops_answering_ends_the_test() -> None:
    with answering(Dies().answer) as store:
        result = lakeproof("conform", f"s3+{store.url.replace('//', '//me:hush@')}/b")
    assert result.exit_code == 3
    assert "not judged: ranges are read: no answer" in result.stdout
    assert "could not be judged" in result.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    "dsn",
    [
        "s3+http://127.0.0.1:1/b",
        "s3+http://me:x@127.0.0.1:1",
        "s3+http://me:x@h:port/b",
        "s3+ftp://me:x@127.0.0.1/b",
        "s3+http://me:x@127.0.0.1:1/b?region=no where",
        "s3+http://me:x@127.0.0.1:1/b",
    ],
)
def test_what_is_no_bucket_is_one_line(dsn: str) -> None:
    told = complaint(lakeproof("conform", dsn, "--timeout", "1"))
    assert "expected s3+http" in told or "start the store" in told


def test_a_server_that_never_answers_is_waited_for_as_long_as_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        dsn = f"s3+http://me:x@127.0.0.1:{mute.getsockname()[1]}/b"
        assert "start the store" in complaint(lakeproof("conform", dsn, "--timeout", "0.2"))


def test_a_bucket_that_is_not_there_is_one_line(gate: Served) -> None:
    dsn = f"s3+{gate.url.replace('//', '//me:hush@')}/nowhere"
    assert "create it, or name another one" in complaint(lakeproof("conform", dsn))
