"""The laws that every verdict of the gate rests on, of all fronts: requests whose footprints are independent can be
exchanged, and a request changes nothing but what its footprint writes."""

from collections.abc import Callable, Sequence

import attrs
import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from lakeproof.gate.fronts.aws import AWSFront, Store, StoreRequest
from lakeproof.gate.fronts.dynamodb import touched
from lakeproof.gate.fronts.footprints import Access, Footprint, Touch, dependent
from lakeproof.gate.fronts.http import Response
from lakeproof.gate.fronts.interface import Answer
from lakeproof.gate.fronts.redis.front import RedisRequest
from lakeproof.gate.fronts.redis.lua import sha_of
from lakeproof.gate.fronts.redis.state import ABSENT, RedisState
from lakeproof.gate.fronts.redis.work import KEY, SCRIPT, escape_key, of_key, of_script
from lakeproof.gate.fronts.s3.footprint import touches
from lakeproof.gate.fronts.s3.front import S3Front
from lakeproof.gate.fronts.s3.operations import OPERATIONS
from lakeproof.gate.fronts.s3.state import upload_id
from lakeproof.gate.fronts.s3.wire import S3Request
from lakeproof.stores import redis_scripts
from tests.gate import redis_requests
from tests.gate import requests as s3_requests
from tests.gate.dynamodb_requests import NOW, ONE, REQUESTS, TWO, Asked, Fields, create, meetings, n, request, s
from tests.gate.dynamodb_requests import understood as table
from tests.gate.redis_requests import words

Cut = Callable[[Footprint], Footprint]


def perform(state: Store, asked: StoreRequest) -> tuple[Store, Answer, Footprint]:
    return AWSFront().perform(state, asked, NOW)


def after(asked: Sequence[StoreRequest]) -> Store:
    state = Store(redis=RedisState(expires=True))
    for each in asked:
        state, *_ = perform(state, each)
    return state


def exchanged(state: Store, one: StoreRequest, other: StoreRequest, cut: Cut = lambda found: found) -> str:
    """What is wrong if two requests of independent footprints are exchanged; empty: nothing, or they are dependent."""
    middle, first, touches_first = perform(state, one)
    end, second, touches_second = perform(middle, other)
    if dependent(cut(touches_first), cut(touches_second)):
        return ""
    middle, second_first, touches_second_first = perform(state, other)
    swapped, first_second, touches_first_second = perform(middle, one)
    if (first, touches_first) != (first_second, touches_first_second):
        return f"{one} is answered {first}, and {first_second} after {other}"
    if (second, touches_second) != (second_first, touches_second_first):
        return f"{other} is answered {second} after {one}, and else {second_first}"
    return "" if end == swapped else f"{one} and {other} leave different states"


def tables(asked: st.SearchStrategy[Asked]) -> st.SearchStrategy[StoreRequest]:
    """Requests of DynamoDB, without those that are refused before they come to a table."""
    found = asked.map(lambda each: AWSFront().understood(request(*each)))
    return found.filter(lambda each: not isinstance(each, Response))  # type: ignore[return-value]  # as it says


PUTS = [table(("PutItem", {"TableName": ONE, "Item": {"p": s(name), "v": n(1)}})) for name in "ab"]
TABLES = [table(create(ONE)), table(create(TWO))]
ANY, SAME = tables(REQUESTS), tables(meetings())
REDIS = st.builds(lambda asked, late: attrs.evolve(asked, late=late), redis_requests.AT_ONCE, st.booleans())
S3 = st.builds(lambda asked, meets: (meets and S3Front().conflict(asked)) or asked, s3_requests.requests, st.booleans())
OF_S3 = st.tuples(s3_requests.states.map(lambda found: Store(s3=found)), S3, S3)
SITUATIONS: dict[str, st.SearchStrategy[tuple[Store, StoreRequest, StoreRequest]]] = {
    "s3": OF_S3,
    "dynamodb": st.tuples(st.lists(ANY, max_size=6).map(lambda found: after([*TABLES, *found])), ANY, ANY),
    "same items": st.tuples(st.lists(SAME, max_size=1).map(lambda found: after([*TABLES, *PUTS, *found])), SAME, SAME),
    "redis": st.tuples(st.lists(REDIS, max_size=6).map(after), REDIS, REDIS),
}
of_all_fronts = pytest.mark.parametrize("situations", SITUATIONS.values(), ids=SITUATIONS)


@of_all_fronts
@settings(max_examples=300)
@given(st.data())
def test_requests_of_independent_footprints_can_be_exchanged(
    situations: st.SearchStrategy[tuple[Store, StoreRequest, StoreRequest]], data: st.DataObject
) -> None:
    assert not exchanged(*data.draw(situations))


def contents(store: Store) -> dict[str, object]:
    """All that stores hold, by the keys of footprints."""
    s3, found, redis = store.s3, store.dynamodb, store.redis
    return {
        **s3.objects,
        **{f"?bucket/{name}": "" for name in s3.buckets},
        **{f"?upload/{each.address}/{name}": each for name, each in s3.uploads.items()},
        **{f"?upload/{address}/count of {client}": number for (address, client), number in s3.minted.items()},
        **{f"?table/{name}": attrs.evolve(each, items={}) for name, each in found.tables.items()},
        **{f"?items/{t}/{key.label}": item for t, each in found.tables.items() for key, item in each.items.items()},
        **{touched.token(text).key: each for text, each in found.tokens.items()},
        **{f"{KEY}{escape_key(key)}": each for key, each in redis.entries.items()},
        **{of_script(sha, Touch.READ).key: "" for sha in redis.scripts},
    }


@of_all_fronts
@settings(max_examples=300)
@given(st.data())
def test_a_request_changes_nothing_that_its_footprint_does_not_write(
    situations: st.SearchStrategy[tuple[Store, StoreRequest, StoreRequest]], data: st.DataObject
) -> None:
    state, asked, _ = data.draw(situations)
    changed, _, found = perform(state, asked)
    written = [each for each in found if each.touch is not Touch.READ]
    held, now = contents(state), contents(changed)
    for key in held.keys() | now.keys():
        if held.get(key) != now.get(key):
            assert any(each.conflicts(Access(Touch.READ, key)) for each in written), key
    if not written or not (AWSFront().writes(asked) or (isinstance(asked, RedisRequest) and asked.late)):
        assert changed == state
    for name in state.redis.keys.keys() | changed.redis.keys.keys():
        if state.redis.keys.get(name) != changed.redis.keys.get(name):
            before, after = (each.redis.entries.get(name, ABSENT).version for each in (state, changed))
            assert before < after, "WATCH must see it"


@settings(max_examples=100)
@given(OF_S3)
def test_the_most_that_a_request_can_touch_covers_what_it_has_touched(
    situation: tuple[Store, S3Request, S3Request],
) -> None:
    state, asked, _ = situation
    most = touches(asked)
    for each in perform(state, asked)[2]:
        probe = Access(Touch.WRITE, each.key, each.prefix)
        assert any(probe.conflicts(mine) and (mine.prefix or mine.key == each.key) for mine in most), each


QUICK = settings(max_examples=20_000, phases=[Phase.generate], database=None, derandomize=True)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda row: " ".join(row[:3]))
def test_every_operation_is_among_the_random_requests(operation: tuple[object, ...]) -> None:
    place, method, parameter, *_ = operation

    def fits(asked: S3Request) -> bool:
        where = "service" if not asked.bucket else "object" if asked.key else "bucket"
        return (where, asked.method) == (place, method) and (not parameter or parameter in asked.query)

    assert fits(find(s3_requests.requests, fits, settings=QUICK))


@settings(max_examples=200)
@given(st.lists(REDIS, max_size=6), redis_requests.AT_ONCE)
def test_a_request_before_which_its_keys_expire_is_one_to_a_store_without_them(
    before: list[RedisRequest], asked: RedisRequest
) -> None:
    state = after(before)
    found = perform(state, asked)[2]
    lives = [key for key, each in state.redis.entries.items() if each.life is not None]
    gone = [key for key in lives if any(each.conflicts(of_key(key, Touch.WRITE)) for each in found)]
    without = perform(state, RedisRequest("c", ((b"DEL", *gone),)))[0] if gone else state
    assert perform(state, attrs.evolve(asked, late=True))[:2] == perform(without, asked)[:2]


@settings(max_examples=200)
@given(st.binary(max_size=5), st.binary(max_size=5))
def test_two_keys_have_two_names_and_a_prefix_has_the_beginning_of_them(one: bytes, other: bytes) -> None:
    assert (escape_key(one) == escape_key(other)) is (one == other)
    assert escape_key(one + other).startswith(escape_key(one))


def s3(client: str, method: str, path: str, body: bytes = b"", **query: str) -> S3Request:
    bucket, _, key = path.partition("/")
    return S3Request(method, bucket, key, query, {}, body, client)


def part(client: str, number: int) -> S3Request:
    return s3(client, "PUT", "aaa/k", client.encode(), uploadId=upload_id("aaa/k", "me", number), partNumber="1")


def redis(*lines: str, watched: tuple[tuple[bytes, int], ...] | None = None) -> RedisRequest:
    return RedisRequest("c", tuple(map(words, lines)), watched is not None, watched or ())


def once(item: str) -> StoreRequest:
    """A transaction that is done once, whatever it is about."""
    put = {"Put": {"TableName": ONE, "Item": {"p": s(item)}}}
    return table(("TransactWriteItems", {"TransactItems": [put], "ClientRequestToken": "t"}))


UPLOAD, OTHERS = s3("me", "POST", "aaa/k", uploads=""), s3("you", "POST", "aaa/k", uploads="")
BUCKET, OBJECT = s3("me", "PUT", "bbb"), s3("me", "PUT", "aaa/k")
ITEM: Fields = {"TableName": ONE, "Key": {"p": s("a")}}
NEW: Fields = {"TableName": ONE, "Item": {"p": s("a"), "v": n(2)}}
KEYED: Fields = {"TableName": ONE, "KeyConditionExpression": "p = :p", "ExpressionAttributeValues": {":p": s("a")}}
PUT, GET, DELETE = table(("PutItem", NEW)), table(("GetItem", ITEM)), table(("DeleteItem", ITEM))
TELLING = table(("DeleteItem", {**ITEM, "ReturnValues": "ALL_OLD"}))
REFUSED = table(("PutItem", {**NEW, "ConditionExpression": "attribute_not_exists(p)"}))
SCAN, QUERY = table(("Scan", {"TableName": ONE})), table(("Query", KEYED))
DESCRIBE, DROP = (table((f"{verb}Table", {"TableName": ONE})) for verb in ("Describe", "Delete"))
SHA = sha_of(redis_scripts.WRITE.encode())
LOAD = RedisRequest("c", ((b"SCRIPT", b"LOAD", redis_scripts.WRITE.encode()),))
FULL = after(
    [
        *(s3("me", "PUT", "aaa"), UPLOAD, *TABLES, PUTS[0], LOAD),
        *map(redis, ("SET a 1", "HSET h f 1", "ZADD z 0 f")),
    ]
)


def sorted_query(condition: str) -> StoreRequest:
    values = {":p": s("a/"), ":k": n(1)}
    asked = {"KeyConditionExpression": f"p = :p AND {condition}", "ExpressionAttributeValues": values}
    return table(("Query", {"TableName": TWO, **asked}))


def sorted_put(partition: str) -> StoreRequest:
    return table(("PutItem", {"TableName": TWO, "Item": {"p": s(partition), "k": n(2)}}))


def without(start: str) -> Cut:
    return lambda found: tuple(each for each in found if not each.key.startswith(start))


def all_are(touch: Touch) -> Cut:
    return lambda found: tuple(attrs.evolve(each, touch=touch) for each in found)


def no_prefix(found: Footprint) -> Footprint:
    return tuple(each for each in found if not each.prefix)


def no_read(found: Footprint) -> Footprint:
    return tuple(each for each in found if each.touch is not Touch.READ)


@pytest.mark.parametrize(
    ("cut", "one", "other"),
    [
        (no_prefix, OBJECT, s3("you", "GET", "aaa", prefix="k")),
        (no_prefix, OBJECT, s3("you", "DELETE", "aaa")),
        (without("?bucket/"), BUCKET, s3("you", "PUT", "bbb/k")),
        (without("?bucket/"), BUCKET, s3("you", "HEAD", "bbb")),
        (without("?bucket/"), BUCKET, s3("you", "GET", "")),
        (without("?upload/"), part("me", 0), part("you", 0)),
        (without("?upload/"), UPLOAD, part("you", 1)),
        (no_read, OBJECT, s3("you", "GET", "aaa/k")),
        (without("?items/"), PUT, GET),
        (all_are(Touch.DELETE), DELETE, TELLING),
        (no_read, REFUSED, DELETE),
        (without("?token/"), once("b"), once("c")),
        (without("?table/"), DESCRIBE, DROP),
        (no_prefix, SCAN, PUT),
        (no_prefix, QUERY, PUT),
        (no_prefix, table(("ListTables", {})), DROP),
        (without(KEY), redis("SET a 2"), redis("GET a")),
        (all_are(Touch.READ), redis("DEL a"), redis("DEL a")),
        (all_are(Touch.DELETE), redis("DEL a"), redis("DEL a")),
        (all_are(Touch.READ), redis("SET a 1"), redis("WATCH a")),
        (all_are(Touch.READ), redis("SET a 1"), redis("GET h", watched=((b"a", 1),))),
        (no_prefix, redis("DBSIZE"), redis("DEL a")),
        (no_prefix, redis("KEYS a*"), redis("DEL a")),
        (all_are(Touch.READ), redis("FLUSHDB"), redis("DBSIZE")),
        (without(SCRIPT), redis("SCRIPT FLUSH"), redis(f"SCRIPT EXISTS {SHA}")),
    ],
)
def test_a_footprint_that_is_too_small_breaks_the_law(cut: Cut, one: StoreRequest, other: StoreRequest) -> None:
    assert not exchanged(FULL, one, other)
    assert exchanged(FULL, one, other, cut)


@pytest.mark.parametrize(
    ("one", "other", "are"),
    [
        (OBJECT, s3("you", "PUT", "aaa/l"), False),
        (OBJECT, s3("you", "GET", "aaa", prefix="l"), False),
        (UPLOAD, OTHERS, False),
        (DELETE, DELETE, False),
        (PUT, table(("GetItem", {**ITEM, "Key": {"p": s("b")}})), False),
        (REFUSED, GET, False),
        (DELETE, TELLING, True),
        (sorted_query("k = :k"), sorted_put("a/"), False),
        (sorted_query("k < :k"), sorted_put("a/"), True),
        (sorted_query("k < :k"), sorted_put("a/b"), False),
        (redis("SET a 2"), redis("SET b 2"), False),
        (redis("SET a 2 NX"), redis("SET a 3 NX"), False),
        (redis("DEL none"), redis("DEL none"), False),
        (redis("DEL a"), redis("DEL a"), True),
        (redis("SET a 1"), redis("WATCH a"), True),
        (redis("KEYS b*"), redis("SET a 2"), False),
        (redis("KEYS b*"), redis("SET b1 2"), True),
        (redis("SCAN 0 MATCH b*"), redis("SET a 2"), False),
        (redis("SCAN 0"), redis("SET a 2"), True),
        (redis("GET a", "SET b 1", watched=((b"h", 1),)), redis("SET c 1"), False),
        (redis("GET a", "SET b 1", watched=((b"h", 1),)), redis("HSET h f 1"), True),
        (redis("FLUSHDB"), redis("GET none"), True),
        (redis(f"EVALSHA {SHA} 2 h z f 2"), redis(f"EVALSHA {SHA} 2 i y f 2"), False),
    ],
)
def test_requests_are_dependent_only_where_they_meet(one: StoreRequest, other: StoreRequest, are: bool) -> None:
    assert dependent(perform(FULL, one)[2], perform(FULL, other)[2]) is are


@pytest.mark.parametrize(
    ("looks", "puts"),
    [
        *((redis(each), redis("SET a 1")) for each in ("FLUSHDB", "KEYS a*", "DBSIZE", "SCAN 0", "DEL a")),
        (redis("SCRIPT FLUSH"), LOAD),
        *((each, TABLES[0]) for each in (table(("ListTables", {})), SCAN, QUERY, GET, DROP)),
        *((s3("you", *each), s3("me", "PUT", "aaa")) for each in (("GET", ""), ("GET", "aaa"), ("PUT", "aaa/k"))),
    ],
)
def test_whoever_finds_nothing_depends_on_what_puts_something_there(looks: StoreRequest, puts: StoreRequest) -> None:
    assert dependent(perform(after([]), looks)[2], perform(after([]), puts)[2])
