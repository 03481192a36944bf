"""`lakeproof conform` on stores that lack a command, cannot hold what a claim needs, or pause: no verdict, and why."""

import io
import json
from collections.abc import Callable

import attrs
import pytest
import trio
from botocore.exceptions import ClientError
from botocore.response import StreamingBody

from lakeproof.gate.fronts.http import Cut, Request, Response
from lakeproof.gate.fronts.s3.wire import S3Error, S3Request, error_response
from lakeproof.impl.stores.base import Unsent
from lakeproof.impl.stores.conformance import NotConforming, NotJudged, claims, name_claim
from lakeproof.model import kv
from lakeproof.stores.concurrently import run_concurrently
from lakeproof.stores.s3_bucket import Bucket
from lakeproof.stores.s3_claims import (
    CLAIMS,
    check_claim,
    concurrent_increments_by_etag_are_all_kept,
    many_keys_are_deleted_at_once,
    ranges_are_read,
)
from tests.commands import lakeproof
from tests.gate.stores import answering
from tests.gate.test_s3_conform import Store
from tests.stores.mute import raising_at_predicates
from tests.stores.planted_dynamodb import Planted


class LacksUploads(Store):
    async def perform(self, asked: S3Request) -> Response:
        if asked.method == "POST" and asked.query.keys() & {"uploads", "uploadId"}:
            return error_response(S3Error(501, "NotImplemented", "A header implies what is not implemented"), asked)
        return await super().perform(asked)


class KeepsKeysInFolders(Store):
    """What is an object is no folder: ``a`` and ``a/b`` cannot coexist."""

    async def perform(self, asked: S3Request) -> Response:
        path = f"{asked.bucket}/{asked.key}"
        beside = [each for each in self.state.objects if each.startswith(f"{path}/") or path.startswith(f"{each}/")]
        if asked.method == "PUT" and asked.key and beside:
            return error_response(S3Error(400, "ParentIsObject", "there is an object above or below"), asked)
        return await super().perform(asked)


class WritesHeadersInItsOwnCase(Store):
    async def answer(self, request: Request) -> Response:
        response = await super().answer(request)
        return attrs.evolve(response, headers=tuple((name.title(), value) for name, value in response.headers))


class IsBusyOnce(Store):
    """Of many clients that must create something, one is refused for its haste."""

    busy = False

    async def perform(self, asked: S3Request) -> Response:
        if "if-none-match" in asked.headers and asked.method == "PUT" and not self.busy:
            self.busy = True
            return error_response(S3Error(503, "SlowDown", "Reduce your request rate."), asked)
        return await super().perform(asked)


class IsAPage(Store):
    """No S3: a page for browsers, under every address, which boto3 cannot read."""

    async def answer(self, request: Request) -> Response:
        return Response(200, (("Content-Type", "text/html"),), b"<!doctype html><html><br>Welcome</html>")


class Pauses(Store):
    """Closes the connection of one request without an answer, and then goes on."""

    paused = False

    async def perform(self, asked: S3Request) -> Response:
        if "range" in asked.headers and not self.paused:
            self.paused = True
            raise Cut
        return await super().perform(asked)


class BreaksAndPauses(Pauses):
    """The same, and has two bugs: ranges end early, and groups are not listed."""

    async def perform(self, asked: S3Request) -> Response:
        found = await super().perform(asked)
        if asked.query.get("delimiter"):
            return attrs.evolve(found, body=b"<a/>")
        return attrs.evolve(found, body=found.body[:-1]) if found.status == 206 else found


@pytest.mark.deep
@pytest.mark.parametrize(
    ("store", "open_", "words", "broken"),
    [
        (LacksUploads, 4, "the store lacks CreateMultipartUpload, or ", []),
        (
            KeepsKeysInFolders,
            1,
            "what it needs cannot be written: 'a/b' beside 'a': 400 ParentIsObject",
            ["keys are any characters and are listed in the order of their bytes"],
        ),
        (WritesHeadersInItsOwnCase, 0, "", []),
        (IsBusyOnce, 1, "no answer: PutObject: 503 ", []),
        (IsAPage, len(CLAIMS), "no answer: ", []),
        (BreaksAndPauses, 1, "ranges are read: no answer: ", ["a listing with a delimiter has each group once"]),
    ],
)
def test_of_s3(store: type[Store], open_: int, words: str, broken: list[str]) -> None:
    with answering(store().answer) as served:
        dsn = f"s3+{served.url.replace('//', '//me:hush@')}/b"
        result = lakeproof("conform", dsn, "--json", "--timeout", "60")
    row = json.loads(result.stdout)
    unjudged = [each for each in row["claims"] if each["kept"] is None]
    failed = [each["claim"] for each in row["claims"] if each["kept"] is False]
    assert (failed, len(unjudged), row["unasked"]) == (broken, open_, []), row
    assert all(words in each["why"] for each in unjudged), unjudged
    assert row["verdict"] == ("violated" if failed else "inconclusive" if open_ else "holds")
    assert result.exit_code == (1 if failed else 3 if open_ else 0)
    last = result.stderr.splitlines()[-1]
    word = {0: "conforming: ", 1: "NOT conforming: 1 of ", 3: "INCONCLUSIVE: "}[result.exit_code]
    assert last.startswith(word)
    assert (f"; {open_} claim{'' if open_ == 1 else 's'} not judged" in last) is bool(open_)


class BreaksBodiesOff:
    """A client of a store that announces more than it sends."""

    def put_object(self, **asked: object) -> dict[str, object]:
        return {"ETag": "e"}

    def get_object(self, **asked: object) -> dict[str, object]:
        answer = {"ETag": "e", "ContentRange": "bytes 0-0/10", "ContentLength": 1}
        body = StreamingBody(io.BytesIO(b""), 1)  # of one byte, which never comes
        return {**answer, "Body": body, "ResponseMetadata": {"HTTPStatusCode": 206}}


@pytest.mark.parametrize("claim", [concurrent_increments_by_etag_are_all_kept, ranges_are_read])
def test_a_body_that_breaks_off_is_no_answer_to_a_claim_of_s3(claim: Callable[[Bucket], None]) -> None:
    with pytest.raises(NotJudged, match=": no answer: 0 read, but total bytes expected is 1"):
        check_claim(claim, Bucket(BreaksBodiesOff(), "b", "p/"))


class ForbidsDeletes(BreaksBodiesOff):
    def delete_objects(self, **asked: object) -> dict[str, object]:
        error = {"Code": "AccessDenied", "Message": "Access Denied"}
        raise ClientError({"Error": error, "ResponseMetadata": {"HTTPStatusCode": 403}}, "DeleteObjects")


def test_a_key_without_a_right_says_nothing_of_a_claim_of_s3() -> None:
    with pytest.raises(NotJudged, match=": no answer: DeleteObjects: 403 AccessDenied Access Denied"):
        check_claim(many_keys_are_deleted_at_once, Bucket(ForbidsDeletes(), "b", "p/"))


class RefusesReadsInTransactions(Planted):
    def __init__(self, code: str, status: int) -> None:
        super().__init__("correct")
        self.code, self.status = code, status

    async def handle(self, request: Request) -> Response:
        if b"TransactGetItems" in dict(request.headers).get("x-amz-target", "").encode():
            body = {"__type": f"com.amazon.coral.service#{self.code}", "message": ""}
            return Response(self.status, (("Content-Type", "application/x-amz-json-1.0"),), json.dumps(body).encode())
        return await super().handle(request)


@pytest.mark.parametrize(
    ("code", "status", "words"),
    [
        ("UnknownOperationException", 400, "the store lacks TransactGetItems, or "),  # of before there were any
        ("ProvisionedThroughputExceededException", 400, "no answer: TransactGetItems: 400 Provisioned"),
        ("AccessDeniedException", 400, "no answer: TransactGetItems: 400 AccessDenied"),
        ("InternalServerError", 500, "no answer: TransactGetItems: 500 Internal"),
    ],
)
def test_of_dynamodb(code: str, status: int, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lakeproof.commands.conform.claims", lambda seed: ())  # there are those of its protocol left
    with answering(RefusesReadsInTransactions(code, status).handle) as served:
        result = lakeproof("conform", f"dynamodb+{served.url}/")
    lines = [line for line in result.stdout.splitlines() if line.startswith("not judged: ")]
    assert (result.exit_code, len(lines)) == (3, 2), result.stdout
    assert all(words in line for line in lines)
    assert result.stdout.splitlines()[-1].endswith("; 2 claims not judged")


@pytest.mark.parametrize(
    ("error", "raised", "words"),
    [
        (kv.OutcomeUnknown("connection lost"), NotJudged, "no answer: connection lost"),
        (Unsent("connection refused"), NotJudged, "no answer: connection refused"),
        (kv.Refused("ERR unknown command 'EVAL'"), NotJudged, "unknown command 'EVAL'"),
        (kv.Refused("closed on Sundays"), NotConforming, "closed on Sundays"),
        (kv.NotFound(), NotConforming, "NotFound"),
    ],
)
def test_of_key_value_stores(error: kv.KVError, raised: type[Exception], words: str) -> None:
    found = []
    for claim in claims():
        try:
            with name_claim(claim):
                trio.run(claim, raising_at_predicates(error))
        except (NotConforming, NotJudged) as outcome:
            found.append(outcome)
    assert len(found) > 5
    assert {type(each) for each in found} == {raised}
    assert all(words in str(each) for each in found)


def test_of_tasks_of_which_one_has_a_finding_and_one_no_answer_the_finding_stands() -> None:
    def raising(error: Exception) -> Callable[[], None]:
        def task() -> None:
            raise error

        return task

    silent, broken = raising(NotJudged("no answer")), raising(NotConforming("half of it was read"))
    with pytest.raises(NotConforming, match="half of it was read"):
        run_concurrently([silent, broken])
    with pytest.raises(NotJudged):
        run_concurrently([silent, silent])
