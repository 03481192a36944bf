"""A DynamoDB as a store to judge: what keeps its promises conforms, and each planted bug is found by its claim."""

import json
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest
import trio
from botocore.exceptions import ConnectionClosedError, ProxyConnectionError, SSLError

from lakeproof.gate.fronts.http import Request, Response
from lakeproof.impl.stores._transact_claims import transact_is_atomic_or_refused
from lakeproof.impl.stores.base import Store, Unsent
from lakeproof.impl.stores.conformance import LeftOut, NotConforming, claim_text, claims, name_claim
from lakeproof.impl.stores.kv_answers import scan_all
from lakeproof.model import kv
from lakeproof.stores import PrefixedStore, target
from lakeproof.stores.dynamodb_store import DynamoDBStore
from tests.commands import complaint, lakeproof
from tests.gate.dynamodb_requests import n
from tests.gate.dynamodb_server import client, served
from tests.gate.stores import answering
from tests.lakefs_tables import in_dynamodb
from tests.stores.planted_dynamodb import BUGS, Planted, planted


def test_the_gate_conforms_and_nothing_is_left_behind() -> None:
    lines: list[str] = []
    with served(lines) as url:
        result = lakeproof("conform", f"dynamodb+{url}/", "--json")
        assert client(url).list_tables()["TableNames"] == []
    report = json.loads(result.stdout)
    assert (result.exit_code, report["verdict"]) == (0, "holds"), report
    asked = [claim_text(claim) for claim in claims()]
    beyond = [claim_text(claim) for claim in target(f"dynamodb+{url}/").claims]
    assert [each["claim"] for each in report["claims"]] == [*asked, *beyond]
    assert report["left"] == {}


async def found(dsn: str, *only: str) -> list[str]:
    """What these claims have found; nothing: they are kept."""
    chosen = target(dsn)
    told_here = []
    async with chosen.open() as store:
        for claim in chosen.claims:
            if claim_text(claim) in only:
                private = PrefixedStore(store, f"{claim_text(claim)}/".encode())
                try:
                    with name_claim(claim):
                        await claim(private)
                except NotConforming as error:
                    told_here.append(str(error))
                assert await private.clear() == []
    return told_here


@pytest.mark.parametrize("bug", sorted(BUGS))
def test_a_planted_bug_is_found_by_its_claim(bug: str) -> None:
    with planted(bug) as dsn:
        (finding,) = trio.run(found, dsn, BUGS[bug])
    assert finding.startswith(f"{BUGS[bug]}: ")


@pytest.mark.parametrize("bug", ["transaction not undone", "conditions ignored"])
def test_the_claim_about_transact_finds_a_planted_bug(bug: str) -> None:
    async def main(dsn: str) -> None:
        async with target(dsn).open() as store:
            await transact_is_atomic_or_refused(store)

    with planted("correct") as dsn:
        trio.run(main, dsn)
    with planted(bug) as dsn, pytest.raises(NotConforming, match=r"(?i)transact"):
        trio.run(main, dsn)


P, Q = (b"p", b"k"), (b"q", b"k")


@pytest.mark.parametrize(
    ("checks", "first"),
    [
        ([(*P, b"1"), (*P, kv.EXISTS), (*Q, None)], None),
        ([(*Q, None), (*P, kv.EXISTS), (*P, b"2")], 2),
        ([(*P, b"1"), (*Q, b""), (*P, None)], 1),
        ([(*Q, None), (*P, None), (*P, b"2")], 1),
        ([(*Q, kv.EXISTS)], 0),
    ],
)
def test_several_checks_of_a_key_are_one_condition_and_the_first_that_fails_is_told(
    checks: list[kv.Check], first: int | None
) -> None:
    async def main(dsn: str) -> None:
        async with target(dsn).open() as store:
            await store.transact()
            await store.set(*P, b"1")
            if first is None:
                await store.transact(checks=checks, writes=[(*P, None), (*Q, b"")])
                assert [entry.key async for entry in store.scan(P[0])] == []
                return
            with pytest.raises(kv.CheckFailed) as caught:
                await store.transact(checks=checks, writes=[(*P, None)])
            assert (caught.value.args, (await store.get(*P)).value) == ((first,), b"1")

    with planted("correct") as dsn:
        trio.run(main, dsn)


def with_other_answers(operation: str, body: bytes, status: int) -> Callable[[Request], Awaitable[Response]]:
    """A DynamoDB that answers one operation in its own way."""
    front = Planted("correct")

    async def answer(request: Request) -> Response:
        if operation in dict(request.headers)["x-amz-target"]:
            return Response(status, (), body)
        return await front.handle(request)

    return answer


def error(kind: str, **more: object) -> bytes:
    return json.dumps({"__type": f"com.amazonaws.dynamodb.v20120810#{kind}", **more}).encode()


REASONS = [{"Code": "TransactionConflict"}, {"Code": "ConditionalCheckFailed"}]
MALFORMED = "an answer lacks a part, or it is malformed: "
ASKED: dict[str, Callable[[Store], Awaitable[object]]] = {
    "Transact": lambda store: store.transact(checks=[(*P, None), (*Q, kv.EXISTS)]),
    "PutItem": lambda store: store.set(*P, b"1"),
    "GetItem": lambda store: store.get(*P),
    "Query": lambda store: scan_all(store, b"p"),
}
MORE = b'{"Items": [], "LastEvaluatedKey": {"PartitionKey": {"B": "YQ=="}, "ItemKey": {"B": "YQ=="}}}'


@pytest.mark.parametrize(
    ("operation", "status", "body", "raised", "words"),
    [
        ("Transact", 400, error("TransactionCanceledException", CancellationReasons=REASONS), kv.Refused, "Canceled"),
        ("PutItem", 400, error("ProvisionedThroughputExceededException"), Unsent, "ProvisionedThroughputExceeded"),
        ("PutItem", 408, b"", kv.OutcomeUnknown, "408"),
        ("GetItem", 200, b'{"Item": {"ItemValue": {"B": "A"}}}', kv.OutcomeUnknown, MALFORMED),
        ("Query", 200, b"{}", kv.OutcomeUnknown, MALFORMED),
        ("Query", 200, b"[1]", kv.OutcomeUnknown, MALFORMED),
        ("Query", 200, MORE, kv.Refused, "a page without items has a LastEvaluatedKey"),
    ],
    ids=["an unknown check", "haste", "a proxy", "no Base64", "no items", "no object", "pages that never end"],
)
def test_an_answer_that_is_none_is_told_for_what_it_is(
    operation: str, status: int, body: bytes, raised: type[kv.KVError], words: str
) -> None:
    async def main(dsn: str) -> None:
        async with target(dsn).open() as store:
            with pytest.raises(kv.KVError, match=words) as caught:
                await ASKED[operation](store)
            assert type(caught.value) is raised

    with answering(with_other_answers(operation, body, status)) as served_:
        trio.run(main, f"dynamodb+{served_.url}/")


def test_a_table_that_is_named_is_used_and_what_is_in_it_left_alone() -> None:
    with served() as url:
        db = client(url)
        in_dynamodb(url, [], "theirs")
        item = {"PartitionKey": {"B": b"p"}, "ItemKey": {"B": b"k"}, "ItemValue": {"B": b"v"}, "more": n(1)}
        db.put_item(TableName="theirs", Item=item)

        async def main() -> None:
            async with target(f"dynamodb+{url}/theirs?region=eu-west-1").open() as store:
                assert (await store.get(b"p", b"k")).value == b"v"
                for claim in target(f"dynamodb+{url}/theirs").claims:
                    private = PrefixedStore(store, b"test/")
                    with suppress(LeftOut):
                        await claim(private)
                    assert await private.clear() == []
                long = b"x" * 1024
                await store.set(b"p", long, b"")
                assert [each.key async for each in store.scan(b"p", batch_size=1)] == [b"k", long]
                await store.delete(b"p", long)

        trio.run(main)
        assert db.scan(TableName="theirs")["Items"] == [item]
        assert db.list_tables()["TableNames"] == ["theirs"]


def test_a_request_waits_for_its_answer_as_long_as_the_user_says() -> None:
    async def main(dsn: str) -> None:
        async with target(dsn, seconds=3).open() as store:
            assert isinstance(store, DynamoDBStore)
            assert store.client.meta.config.read_timeout == 3  # claims of DynamoDB's own use the client itself

    with planted("correct") as dsn:
        trio.run(main, dsn)


def test_a_page_that_ends_by_its_size_is_not_the_last_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lakeproof.gate.fronts.dynamodb.queries.PAGE_BYTES_MAX", 300)

    async def main(dsn: str) -> None:
        async with target(dsn).open() as store:
            keys = [b"%d" % number for number in range(7)]
            for key in keys:
                await store.set(b"p", key, b"x" * 50)
            for size in range(9):
                assert [each.key async for each in store.scan(b"p", batch_size=size)] == keys

    with served() as url:
        trio.run(main, f"dynamodb+{url}/")


def test_what_did_not_reach_the_store_is_refused_and_what_was_not_answered_is_unknown() -> None:
    async def main() -> None:
        with planted("correct") as dsn:
            async with target(dsn).open() as store:
                with pytest.raises(kv.Refused, match="Item size has exceeded"):
                    await store.set(b"p", b"k", b"x" * 500_000)
                await store.set(b"p", b"k", b"v")
                inner = store.client  # type: ignore[attr-defined]  # of boto3
                inner.meta.events.register("before-send.dynamodb", cut)
                at = b"p", b"k"
                for lost in (store.set(*at, b"v"), store.transact(writes=[(*at, None)]), store.get(*at)):
                    with pytest.raises(kv.OutcomeUnknown):
                        await lost
                inner.meta.events.unregister("before-send.dynamodb", cut)

    cuts = iter(
        (
            ConnectionClosedError(endpoint_url="the store"),
            SSLError(endpoint_url="the store", error="bad record mac"),
            ProxyConnectionError(proxy_url="a proxy", error="reset, with the whole request behind it"),
        )
    )

    def cut(**_: object) -> None:
        raise next(cuts)

    trio.run(main)


@pytest.mark.parametrize(
    ("dsn", "says"),
    [
        ("dynamodb+http://127.0.0.1:1/", "start the store, or mend the address"),
        ("dynamodb+http://me:secret@127.0.0.1:1/", "start the store, or mend the address"),
        ("dynamodb+http:///table", "no address; expected dynamodb+http://HOST:PORT/TABLE"),
        ("dynamodb+http://127.0.0.1:x/", "no address; expected dynamodb+http://HOST:PORT/TABLE"),
        ("dynamodb+http://127.0.0.1:1/a/b", "no address; expected dynamodb+http://HOST:PORT/TABLE"),
    ],
)
def test_what_cannot_be_opened_is_one_line_without_secrets(dsn: str, says: str) -> None:
    told_there = complaint(lakeproof("conform", dsn))
    assert says in told_there
    assert "secret" not in told_there


def test_a_server_that_is_no_dynamodb_is_named_in_one_line() -> None:
    async def welcome(request: Request) -> Response:
        return Response(200, (), b"{}")

    with answering(welcome) as served_:
        line = complaint(lakeproof("conform", f"dynamodb+{served_.url}/theirs"))
    assert line.endswith("; name a store that speaks DynamoDB")


def test_a_table_of_its_own_that_is_not_there_in_time_does_not_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    front, made = Planted("correct"), []

    async def never_active(request: Request) -> Response:
        made.append(json.loads(request.body)["TableName"])
        if b"DescribeTable" in dict(request.headers)["x-amz-target"].encode():
            return Response(200, (), b'{"Table": {"TableStatus": "CREATING"}}')
        return await front.handle(request)

    monkeypatch.setattr("lakeproof.stores.dynamodb_store.CREATED_SECONDS", 1)
    with answering(never_active) as served_:
        assert "Max attempts exceeded" in complaint(lakeproof("conform", f"dynamodb+{served_.url}/"))
        assert made
    assert not front.state.tables


def test_a_table_that_is_not_there_or_has_other_keys_is_named() -> None:
    with served() as url:
        db = client(url)
        db.create_table(
            TableName="theirs",
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            BillingMode="PAY_PER_REQUEST",
        )
        assert "the table has the keys id S; expected" in complaint(lakeproof("conform", f"dynamodb+{url}/theirs"))
        assert "Table: absent not found" in complaint(lakeproof("conform", f"dynamodb+{url}/absent"))
