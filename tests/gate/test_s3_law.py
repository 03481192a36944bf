"""The law that every verdict of the gate rests on: requests whose footprints are independent can be exchanged."""

from collections.abc import Callable

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from lakeproof.gate.fronts.footprints import Access, Footprint, Touch, dependent
from lakeproof.gate.fronts.http import Response
from lakeproof.gate.fronts.s3.footprint import touches
from lakeproof.gate.fronts.s3.front import S3Front
from lakeproof.gate.fronts.s3.multipart import upload_id
from lakeproof.gate.fronts.s3.operations import OPERATIONS, perform
from lakeproof.gate.fronts.s3.state import BucketState
from lakeproof.gate.fronts.s3.wire import S3Request
from tests.gate import laws
from tests.gate.requests import NOW, requests, states

Pair = tuple[BucketState, S3Request, S3Request]
pairs = st.tuples(states, requests, requests)


QUICK = settings(max_examples=20_000, phases=[Phase.generate], database=None, derandomize=True)


def footprint(state: BucketState, request: S3Request) -> Footprint:
    return perform(state, request, NOW)[2]


def breaks(pair: Pair, cut: Callable[[Footprint], Footprint] = lambda found: found) -> str:
    """How two requests that seem independent cannot be exchanged; empty: they can."""

    def do(state: BucketState, asked: S3Request) -> tuple[BucketState, Response, Footprint]:
        state, response, found = perform(state, asked, NOW)
        return state, response, cut(found)

    return laws.exchanged(do, *pair)


@settings(max_examples=400)
@given(pairs)
def test_independent_requests_can_be_exchanged(pair: Pair) -> None:
    assert not breaks(pair)


@settings(max_examples=300)
@given(states, requests)
def test_a_request_changes_nothing_that_its_footprint_does_not_write(state: BucketState, request: S3Request) -> None:
    after, _, found = perform(state, request, NOW)
    written = [each for each in found if each.touch is not Touch.READ]
    changed = [
        *(
            key
            for key in state.objects.keys() | after.objects.keys()
            if state.objects.get(key) != after.objects.get(key)
        ),
        *(f"?bucket/{name}" for name in state.buckets ^ after.buckets),
    ]
    for key in changed:
        assert any(each.conflicts(Access(Touch.READ, key)) for each in written), key
    if state.uploads != after.uploads:
        assert any(each.key.startswith("?upload/") for each in written)
    if not S3Front().writes(request):
        assert after == state


@settings(max_examples=100)
@given(states, requests)
def test_the_most_that_a_request_can_touch_covers_what_it_has_touched(state: BucketState, request: S3Request) -> None:
    most = touches(request)
    for each in footprint(state, request):
        probe = Access(Touch.WRITE, each.key, each.prefix)
        assert any(probe.conflicts(mine) and (mine.prefix or mine.key == each.key) for mine in most), each


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda row: " ".join(row[:3]))
def test_every_operation_is_among_the_random_requests(operation: tuple[object, ...]) -> None:
    place, method, parameter, *_ = operation

    def fits(request: S3Request) -> bool:
        where = "service" if not request.bucket else "object" if request.key else "bucket"
        return (where, request.method) == (place, method) and (not parameter or parameter in request.query)

    assert fits(find(requests, fits, settings=QUICK))


def without_prefixes(found: Footprint) -> Footprint:
    return tuple(each for each in found if not each.prefix)


def without_buckets(found: Footprint) -> Footprint:
    return tuple(each for each in found if not each.key.startswith("?bucket/"))


def without_uploads(found: Footprint) -> Footprint:
    return tuple(each for each in found if not each.key.startswith("?upload/"))


def without_reads(found: Footprint) -> Footprint:
    return tuple(each for each in found if each.touch is not Touch.READ)


def ask(client: str, method: str, path: str, body: bytes = b"", **query: str) -> S3Request:
    bucket, _, key = path.partition("/")
    return S3Request(method, bucket, key, query, {}, body, client)


FULL = BucketState(buckets=frozenset({"aaa"}))
PART = ask("me", "PUT", "aaa/k", b"1", uploadId=upload_id("aaa/k", "me", 0), partNumber="1")
BEGUN = perform(FULL, ask("me", "POST", "aaa/k", uploads=""), NOW)[0]
OTHERS_PART = ask("you", "PUT", "aaa/k", b"2", uploadId=upload_id("aaa/k", "me", 0), partNumber="1")


@pytest.mark.parametrize(
    ("cut", "pair"),
    [
        (without_prefixes, (FULL, ask("me", "PUT", "aaa/k"), ask("you", "GET", "aaa", prefix="k"))),
        (without_prefixes, (FULL, ask("me", "PUT", "aaa/k"), ask("you", "DELETE", "aaa"))),
        (without_buckets, (BucketState(), ask("me", "PUT", "aaa"), ask("you", "PUT", "aaa/k"))),
        (without_buckets, (BucketState(), ask("me", "PUT", "aaa"), ask("you", "HEAD", "aaa"))),
        (without_buckets, (BucketState(), ask("me", "PUT", "aaa"), ask("you", "GET", ""))),
        (without_uploads, (BEGUN, PART, OTHERS_PART)),
        (without_uploads, (FULL, ask("me", "POST", "aaa/k", uploads=""), OTHERS_PART)),
        (without_reads, (FULL, ask("me", "PUT", "aaa/k"), ask("you", "GET", "aaa/k"))),
    ],
)
def test_a_footprint_that_is_too_small_breaks_the_law(cut: Callable[[Footprint], Footprint], pair: Pair) -> None:
    assert breaks(pair, cut)
    assert not breaks(pair)


def test_the_law_is_not_kept_by_making_all_requests_dependent() -> None:
    one, other = ask("me", "PUT", "aaa/k"), ask("you", "PUT", "aaa/l")
    assert not dependent(footprint(FULL, one), footprint(FULL, other))
    assert not dependent(footprint(FULL, one), footprint(FULL, ask("you", "GET", "aaa", prefix="l")))
    uploading = ask("me", "POST", "aaa/k", uploads=""), ask("you", "POST", "aaa/k", uploads="")
    assert not dependent(*(footprint(FULL, each) for each in uploading))
