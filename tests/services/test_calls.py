"""Calls: what each does on the fake, how they are recorded, and what leaves a round without a verdict."""

import json

import pytest
import urllib3.exceptions

from lakeproof.model.invariants import Violation
from lakeproof.model.snapshot import Status
from lakeproof.services.api import LakeFS, address, told
from lakeproof.services.calls import NEVER, Answer, Call, Recorder, lines
from lakeproof.services.held import Held
from lakeproof.services.judging import judge_entries
from lakeproof.services.known import NotJudged
from lakeproof.services.presence import EFFECTIVE
from lakeproof.services.promised import PULL_LINEARIZABLE, UPDATED
from lakeproof.services.pulls import ORDERS_MAX, judge_pulls
from tests.fake_lakefs.bugs import OUTSIDE
from tests.fake_lakefs.server import fake_lakefs
from tests.services.test_known import LAKE, call

PULL = (LAKE, "pulled", "offered")
ONE, TWO = OUTSIDE


def test_a_pull_request_with_too_many_unanswered_calls_is_not_judged() -> None:
    created = call("create_pull", 1, 2, *PULL, "t", value="p")
    edits = [call("edit_pull", number, 0, *PULL, "p", str(number)) for number in range(3, 23)]
    wrong = [*edits, call("get_pull", 30, 31, *PULL, "p", value=("never", "open", ""))]
    assert 2 ** len(edits) > ORDERS_MAX
    [(name, found)] = judge_pulls([created, *wrong])
    assert name == PULL_LINEARIZABLE
    assert isinstance(found, NotJudged)
    assert "more than 20,000 orders" in found.why
    [(_, violated)] = judge_pulls([created, *wrong[-4:]])
    assert isinstance(violated, Violation)


WRITTEN = call("set_entry", 1, 2, LAKE, "main", "a/1", "v")
MARKED = call("update_metadata", 3, 4, LAKE, "main", "a/1", "m")
TAGGED = call("create_tag", 1, 2, LAKE, "t", "a", value="a")


def _stat(mark: str) -> Call:
    return call("stat_entry", 7, 8, LAKE, "main", "a/1", value=mark)


@pytest.mark.parametrize(
    ("calls", "name"),
    [
        ([WRITTEN, MARKED, _stat("m")], ""),
        ([WRITTEN, MARKED, _stat("")], UPDATED),
        ([WRITTEN, MARKED, call("set_entry", 5, 6, LAKE, "main", "a/1", "w"), _stat("m")], UPDATED),
        ([WRITTEN, _stat("m")], UPDATED),
        ([TAGGED, call("get_tag", 3, 4, LAKE, "t", value="a")], ""),
        ([TAGGED, call("get_tag", 3, 4, LAKE, "t", value="b")], EFFECTIVE),
    ],
)
def test_a_mark_or_tag_that_no_call_explains_is_found(calls: list[Call], name: str) -> None:
    found = judge_entries(calls, Held(logs={"main": ()}))
    broken = {each for each, finding in found if isinstance(finding, Violation)} & {UPDATED, EFFECTIVE}
    assert broken == ({name} if name else set())


def test_the_history_tells_every_call_twice_in_the_order_of_events() -> None:
    recorder = Recorder()
    one = recorder.begin(1, "get_repository", ("r",))
    other = recorder.begin(2, "commit", ("r", "main", "m"))
    third = recorder.begin(0, "get_branch", ("r", "main"))
    recorder.end(one, Answer(Status.FAIL, 404, words="404: no such repository"))
    recorder.end(other, Answer(Status.INFO, 500))
    recorder.end(third, Answer(Status.OK, 200, "c1", server="h:8000"))
    told = [json.loads(line) for line in lines(recorder.calls)]
    assert [(event["process"], event["type"], event.get("http")) for event in told] == [
        (1, "invoke", None),
        (2, "invoke", None),
        (0, "invoke", None),
        (1, "fail", 404),
        (2, "info", 500),
        (0, "ok", 200),
    ]
    assert told[-1]["server"] == "h:8000"
    assert third.shown == "get_branch(r, main) [3, 6] ok 200 at h:8000"
    assert [event["time"] for event in told] == sorted(event["time"] for event in told)
    assert (one.ended, other.ended, other.noted) == (4, NEVER, 5)


def test_each_call_does_on_the_fake_what_the_api_says() -> None:
    with fake_lakefs() as dsn:
        service = LakeFS(address(dsn), timeout=10, connections=2)

        def do(name: str, *args: str) -> object:
            return service.perform(name, (LAKE, *args))

        do("create_repository", "mem://lake")
        for branch in ("offered", "pulled", "imported"):
            do("create_branch", branch, "main")
        do("set_entry", "main", "x", "1")
        do("update_metadata", "main", "x", "m")
        assert (do("stat_entry", "main", "x"), do("get_entry", "main", "x")) == ("m", "1")
        do("set_entry", "main", "x", "2")
        assert do("stat_entry", "main", "x") == ""
        do("import", "imported", "s/", ONE, "first")
        made = do("import", "imported", "s/", TWO, "second")
        assert (do("get_branch", "imported"), sorted(service.listing(LAKE, "imported"))) == (made, ["s/b", "s/d"])
        do("set_entry", "offered", "x", "3")
        do("commit", "offered", "c")
        pull = str(do("create_pull", "pulled", "offered", "title"))
        do("edit_pull", "pulled", "offered", pull, "other")
        assert do("get_pull", "pulled", "offered", pull) == ("other", "open", "")
        merged = do("merge_pull", "pulled", "offered", pull)
        assert do("get_pull", "pulled", "offered", pull) == ("other", "merged", merged)
        assert (do("get_branch", "pulled"), do("get_entry", "pulled", "x")) == (merged, "3")
        do("close_pull", "pulled", "offered", pull)
        assert do("get_pull", "pulled", "offered", pull) == ("other", "closed", merged)
        codes = []
        for name, *args in (
            ("merge_pull", "pulled", "offered", pull),
            ("get_pull", "pulled", "offered", "none"),
            ("update_metadata", "main", "none", "m"),
            ("create_pull", "pulled", "none", "title"),
        ):
            with pytest.raises(Exception, match=r"\(4") as refused:
                do(name, *args)
            codes.append(told(refused.value).code)
        assert codes == [400, 404, 404, 404]


def test_an_import_that_fails_is_in_doubt() -> None:
    with fake_lakefs() as dsn:
        service = LakeFS(address(dsn), timeout=10, connections=2)
        service.perform("create_repository", (LAKE, "mem://lake"))
        service.perform("set_entry", (LAKE, "main", "x", "1"))
        with pytest.raises(LookupError, match="the import failed: DirtyBranch") as failed:
            service.perform("import", (LAKE, "main", "s/", ONE, "first"))
    assert told(failed.value).status.name == "INFO"


class Refusal(Exception):
    """As the client raises them."""

    def __init__(self, status: int | None) -> None:
        super().__init__("refused")
        self.status, self.body, self.reason = status, '{"message": "because"}', "Reason"


DEFINITE = [400, 401, 403, 404, 409, 410, 412, 422, 501]
IN_DOUBT = [0, None, 302, 408, 423, 429, 500, 502, 503, 504]
"""423 and 429: lakeFS has tried several times, and may have been heard once."""


@pytest.mark.parametrize(
    ("error", "status"),
    [
        *((Refusal(code), Status.FAIL) for code in DEFINITE),
        *((Refusal(code), Status.INFO) for code in IN_DOUBT),
        (OSError("lost"), Status.INFO),
        (ValueError("no JSON"), Status.INFO),
        (urllib3.exceptions.ProtocolError("lost"), Status.INFO),
        (urllib3.exceptions.ReadTimeoutError(None, "", "late"), Status.INFO),  # type: ignore[arg-type]
        (urllib3.exceptions.ConnectTimeoutError("late"), Status.FAIL),  # nothing was sent
    ],
)
def test_what_an_error_says_of_its_call(error: Exception, status: Status) -> None:
    answer = told(error)
    assert answer.status is status
    if isinstance(error, Refusal) and error.status:
        assert (answer.code, answer.words) == (error.status, f'{error.status}: {{"message": "because"}}')
