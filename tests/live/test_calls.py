"""Calls: what each does on the fake, how they are recorded, and what leaves a round without a verdict."""

from typing import Any
from unittest.mock import Mock

import pytest
import urllib3.exceptions

from lakeproof.live.lakefs.api import LakeFS, address, answer_of, sdk
from lakeproof.live.lakefs.calls import Call
from lakeproof.live.lakefs.contents import Content, FinalState, RepositoryState
from lakeproof.live.lakefs.existence import EFFECTIVE
from lakeproof.live.lakefs.imports import judge_imports
from lakeproof.live.lakefs.judge import judge_entries, judge_repositories
from lakeproof.live.lakefs.moves import calls as operations
from lakeproof.live.lakefs.promises import PULL_LINEARIZABLE, UPDATED
from lakeproof.live.lakefs.pulls import ORDERS_MAX, judge_pulls
from lakeproof.live.report import NotJudged
from lakeproof.model.invariants import Violation
from lakeproof.model.snapshot import Status
from tests.fake_lakefs.bugs import OUTSIDE
from tests.fake_lakefs.server import fake_lakefs
from tests.live.test_known import CREATED, LAKE, PATH, call, get, write

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
REFUSED = call("set_entry", 5, 6, LAKE, "main", "a/1", "w", code=412)
TAGGED = call("create_tag", 1, 2, LAKE, "t", "a", value="a")


def _stat(mark: str) -> Call:
    return call("stat_entry", 7, 8, LAKE, "main", "a/1", value=mark)


MERGED = call("merge", 5, 6, LAKE, "merged", "main", value="m1")
REFUSED_COMMIT = call("commit", 3, 4, LAKE, "main", "x", code=409)
SIDE = (call("create_branch", 1, 2, LAKE, "side0", "main"), call("delete_branch", 3, 4, LAKE, "side0"))


def _merged(**content: str) -> FinalState:
    """A commit c1 of main, in a merge m1 that has this content."""
    return FinalState(
        logs={"main": ["c2", "c1", "c0"], "merged": ["m1", "c0"]},
        ancestors={"m1": frozenset({"m1", "c1", "c0"})},
        commits={"c0": {"b": "0"}, "c1": {"a": "1"}, "m1": content},
    )


@pytest.mark.parametrize(
    ("calls", "final", "name"),
    [
        ((MERGED,), _merged(a="1"), ""),
        ((MERGED,), _merged(), "commit-is-causal"),
        ((MERGED,), _merged(a="1", b="0"), "commit-is-causal"),
        ((REFUSED_COMMIT,), FinalState(messages={"c1": "y"}), ""),
        ((REFUSED_COMMIT,), FinalState(messages={"c1": "x"}), "commits-form-one-line"),
        ((REFUSED_COMMIT, call("commit", 5, 0, LAKE, "side0", "x")), FinalState(messages={"c1": "x"}), ""),
        ((call("commit", 3, 0, LAKE, "main", "x"),), FinalState(messages={"c1": "x"}), ""),
        (SIDE, FinalState(listed=frozenset({"main"})), ""),
        (SIDE, FinalState(listed=frozenset({"side0"})), "deleted-is-inaccessible"),
        ((*SIDE, call("create_branch", 5, 0, LAKE, "side0", "main")), FinalState(listed=frozenset({"side0"})), ""),
        ((SIDE[0], call("delete_branch", 3, 0, LAKE, "side0")), FinalState(listed=frozenset({"side0"})), ""),
        ((call("create_branch", 1, 2, LAKE, "side0", "main", code=409),), FinalState(listed=frozenset({"main"})), ""),
        ((call("get_branch", 1, 2, LAKE, "moved", value="c1"),), FinalState(), ""),
        ((call("get_branch", 1, 2, LAKE, "moved", code=404),), FinalState(), EFFECTIVE),
    ],
)
def test_what_is_there_in_the_end_and_no_call_explains_is_found(
    calls: tuple[Call, ...], final: FinalState, name: str
) -> None:
    broken = {each for each, finding in judge_entries(calls, final) if isinstance(finding, Violation)}
    assert broken == ({name} if name else set())


@pytest.mark.parametrize(
    "calls",
    [
        (*SIDE[:1], call("delete_branch", 3, 6, LAKE, "side0"), call("delete_branch", 4, 5, LAKE, "side0")),
        (TAGGED, call("delete_tag", 3, 6, LAKE, "t"), call("delete_tag", 4, 5, LAKE, "t")),
        # What another call has overtaken is refused as a conflict, where nothing in the content is one.
        (
            call("merge", 1, 4, LAKE, "merged", "main", value="m1"),
            call("merge", 2, 3, LAKE, "merged", "main", code=409),
        ),
        (call("commit", 1, 4, LAKE, "main", "x", value="c1"), call("commit", 2, 3, LAKE, "main", "y", code=409)),
        *(
            (call("revert", 1, 4, LAKE, "undone", "c0", "x"), call(name, 2, 3, LAKE, "undone", "c0", "y", code=409))
            for name in ("revert", "cherry_pick", "hard_reset")
        ),
        # A write that does not know whether it was committed or reset is done again.
        (write(1, 10, "v"), get(2, 3, "v"), call("reset_branch", 4, 5, LAKE, "main"), get(6, 7, "v")),
    ],
)
def test_what_lakefs_answers_to_calls_that_meet_is_not_blamed(calls: tuple[Call, ...]) -> None:
    """The fake answers some of it now and then."""
    final = FinalState(branches={"main": {PATH: "v"}}, logs={"main": ("c1", "c0")})
    assert [found for _, found in judge_entries(calls, final) if isinstance(found, Violation)] == []


@pytest.mark.parametrize(
    "calls",
    [
        (call("delete_repository", 3, 6, "r"), call("delete_repository", 4, 5, "r")),
        (call("delete_repository", 3, 6, "r"), call("get_repository", 4, 5, "r", code=409)),
        (call("get_repository", 3, 4, "r", value="ns/1"), call("list_repositories", 5, 6, "", value=())),
    ],
)
def test_what_lakefs_answers_of_repositories_that_come_and_go_is_not_blamed(calls: tuple[Call, ...]) -> None:
    deleted = any(call.name == "delete_repository" for call in calls)
    last = {} if deleted else {"r": RepositoryState("ns/1", frozenset({"main"}))}
    found = judge_repositories((CREATED, *calls), last)
    assert [each for _, each in found if isinstance(each, Violation)] == []


@pytest.mark.parametrize(
    ("calls", "name"),
    [
        ([WRITTEN, MARKED, _stat("m")], ""),
        ([WRITTEN, MARKED, _stat("")], UPDATED),
        ([WRITTEN, MARKED, call("set_entry", 5, 6, LAKE, "main", "a/1", "w"), _stat("m")], UPDATED),
        ([WRITTEN, MARKED, REFUSED, _stat("m")], ""),
        ([WRITTEN, _stat("m")], UPDATED),
        ([TAGGED, call("get_tag", 3, 4, LAKE, "t", value="a")], ""),
        ([TAGGED, call("get_tag", 3, 4, LAKE, "t", value="b")], EFFECTIVE),
    ],
)
def test_a_mark_or_tag_that_no_call_explains_is_found(calls: list[Call], name: str) -> None:
    found = judge_entries(calls, FinalState(logs={"main": ()}))
    broken = {each for each, finding in found if isinstance(finding, Violation)} & {UPDATED, EFFECTIVE}
    assert broken == ({name} if name else set())


def test_an_import_that_fails_is_in_doubt() -> None:
    with fake_lakefs() as dsn:
        service = LakeFS(address(dsn), timeout=10, connections=2)
        service.perform("create_repository", (LAKE, "mem://lake"))
        service.perform("set_entry", (LAKE, "main", "x", "1"))
        with pytest.raises(LookupError, match="the import failed: DirtyBranch") as failed:
            service.perform("import", (LAKE, "main", "s/", ONE, "first"))
    assert answer_of(failed.value).status.name == "INFO"


@pytest.mark.parametrize("code", [404, 0])
@pytest.mark.parametrize("begun", [False, True])
def test_an_import_that_has_begun_is_in_doubt_whatever_a_question_is_answered(code: int, begun: bool) -> None:
    """Code 0: there is no connection to be had, as while a server restarts."""
    pool: Any = None  # type: ignore[explicit-any]  # of no interest here
    error = Refusal(code) if code else urllib3.exceptions.NewConnectionError(pool, "refused")
    api = Mock()
    (api.import_api.import_status if begun else api.import_api.import_start).side_effect = error
    with pytest.raises(LookupError if begun else type(error)) as failed:
        operations(sdk("lakefs"), api, 5.0)["import"](LAKE, "imported", "s/", ONE, "m")
    assert answer_of(failed.value).status is (Status.INFO if begun else Status.FAIL)


def test_imports_of_a_source_without_objects_do_not_show_that_imports_are_whole() -> None:
    imports = [call("import", at, at + 1, LAKE, "imported", "s/", ONE, f"m{at}", value=f"c{at}") for at in (1, 3)]

    def checks(content: Content) -> int:
        return len(list(judge_imports(imports, FinalState(commits={"c1": content, "c3": content}))))

    assert (checks({}), checks({"s/a": "1"})) == (0, 1)


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
    answer = answer_of(error)
    assert answer.status is status
    if isinstance(error, Refusal) and error.status:
        assert (answer.code, answer.words) == (error.status, f'{error.status}: {{"message": "because"}}')
