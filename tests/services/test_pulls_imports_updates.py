"""Hand-made histories of pull requests, imports and metadata, legal and illegal; and their calls on the fake."""

from collections.abc import Sequence

import pytest

from lakeproof.model.invariants import Reached, Violation
from lakeproof.services.api import LakeFS, address, told
from lakeproof.services.calls import Call
from lakeproof.services.held import Content, Held
from lakeproof.services.imports import judge_imports
from lakeproof.services.judging import judge_entries
from lakeproof.services.known import Judged, NotJudged
from lakeproof.services.promised import IMPORTED_WHOLE, PULL_LINEARIZABLE, UPDATED
from lakeproof.services.pulls import ORDERS_MAX, judge_pulls
from lakeproof.services.updates import judge_updates
from tests.commands import lakeproof
from tests.fake_lakefs.bugs import OUTSIDE
from tests.fake_lakefs.server import fake_lakefs
from tests.services.test_judging import LAKE, call, commit, write

PULL = (LAKE, "pulled", "offered")
ONE, TWO = OUTSIDE


def created() -> Call:
    return call("create_pull", 1, 2, *PULL, "t", value="p")


def merge(began: int, ended: int, commit_id: str = "c", code: int = 0) -> Call:
    return call("merge_pull", began, ended, *PULL, "p", value=None if code else commit_id, code=code)


def edit(began: int, ended: int, title: str) -> Call:
    return call("edit_pull", began, ended, *PULL, "p", title)


def close(began: int, ended: int) -> Call:
    return call("close_pull", began, ended, *PULL, "p")


def get(began: int, ended: int, *found: str) -> Call:
    return call("get_pull", began, ended, *PULL, "p", value=found, code=0 if found else 404)


def update(began: int, ended: int, mark: str, code: int = 0) -> Call:
    return call("update_metadata", began, ended, LAKE, "main", "a/1", mark, code=code)


def stat(began: int, ended: int, mark: str) -> Call:
    return call("stat_entry", began, ended, LAKE, "main", "a/1", value=mark)


def brought(began: int, name: str, source: str = ONE, prefix: str = "s/") -> Call:
    return call("import", began, began + 1, LAKE, "imported", prefix, source, name, value=name)


def holding(*line: str, **commits: Content) -> Held:
    return Held(branches={"imported": {}}, logs={"imported": line}, commits=commits)


def violated(judgements: Sequence[Judged]) -> set[str]:
    return {name for name, found in judgements if isinstance(found, Violation)}


LEGAL_PULLS = {
    "created, and as it was": [get(3, 4, "t", "open", "")],
    "merged": [merge(3, 4), get(5, 6, "t", "merged", "c")],
    "closed": [close(3, 4), get(5, 6, "t", "closed", "")],
    "closed after it was merged": [merge(3, 4), close(5, 6), get(7, 8, "t", "closed", "c")],
    "merged and closed at once": [merge(3, 6), close(4, 5), get(7, 8, "t", "closed", "c")],
    "edited while it is merged": [merge(3, 6), edit(4, 5, "u"), get(7, 8, "u", "merged", "c")],
    "a read while it is merged": [merge(3, 8), get(4, 5, "t", "open", ""), get(6, 7, "t", "merged", "c")],
    "a merge that was refused": [close(3, 4), merge(5, 6, code=400), get(7, 8, "t", "closed", "")],
    "a merge that nobody answered": [merge(3, 0), get(4, 5, "t", "open", ""), get(6, 7, "t", "merged", "x")],
    "and that did nothing": [merge(3, 0), merge(4, 5), get(6, 7, "t", "merged", "c")],
    "an edit that nobody answered, much later": [edit(3, 0, "u"), edit(4, 5, "v"), get(6, 7, "u", "open", "")],
}
ILLEGAL_PULLS = {
    "it is gone": [get(3, 4)],
    "an edit opens it again": [merge(3, 6), edit(4, 5, "u"), get(7, 8, "u", "open", "")],
    "a close loses the commit": [merge(3, 6), close(4, 5), get(7, 8, "t", "closed", "")],
    "a merge loses the close": [merge(3, 6), close(4, 5), get(7, 8, "t", "merged", "c")],
    "merged after it was closed": [close(3, 4), merge(5, 6)],
    "merged twice": [merge(3, 6, "c"), merge(4, 5, "d")],
    "an edit is lost": [edit(3, 4, "u"), get(5, 6, "t", "open", "")],
    "the commit of another merge": [merge(3, 4, "c"), get(5, 6, "t", "merged", "d")],
    "a refused merge took effect": [merge(3, 4, code=400), get(5, 6, "t", "merged", "c")],
    "it goes back": [merge(3, 0), get(4, 5, "t", "merged", "c"), get(6, 7, "t", "open", "")],
    "two commits of one merge": [merge(3, 0), get(4, 5, "t", "merged", "c"), get(6, 7, "t", "merged", "d")],
}


@pytest.mark.parametrize("calls", LEGAL_PULLS.values(), ids=list(LEGAL_PULLS))
def test_a_legal_history_of_a_pull_request_holds(calls: list[Call]) -> None:
    assert violated(list(judge_pulls([created(), *calls]))) == set()


@pytest.mark.parametrize("calls", ILLEGAL_PULLS.values(), ids=list(ILLEGAL_PULLS))
def test_what_no_order_of_calls_explains_is_found(calls: list[Call]) -> None:
    [(name, found)] = [each for each in judge_pulls([created(), *calls]) if isinstance(each[1], Violation)]
    assert name == PULL_LINEARIZABLE
    assert isinstance(found, Violation)
    assert calls[-1].shown in found.evidence


def test_a_pull_request_with_too_many_unanswered_calls_is_not_judged() -> None:
    edits = [edit(number, 0, str(number)) for number in range(3, 23)]
    wrong = [*edits, get(30, 31, "never", "open", "")]
    assert 2 ** len(edits) > ORDERS_MAX
    [(name, found)] = judge_pulls([created(), *wrong])
    assert name == PULL_LINEARIZABLE
    assert isinstance(found, NotJudged)
    assert "more than 20,000 orders" in found.why
    assert violated(list(judge_pulls([created(), *wrong[-4:]]))) == {PULL_LINEARIZABLE}


LEGAL_UPDATES = {
    "an update is found": [write(1, 2, "v"), update(3, 4, "m"), stat(5, 6, "m")],
    "a write clears it": [write(1, 2, "v"), update(3, 4, "m"), write(5, 6, "w"), stat(7, 8, "")],
    "or comes before it": [write(1, 6, "v"), update(2, 5, "m"), stat(7, 8, "m")],
    "or after it": [write(1, 6, "v"), update(2, 5, "m"), stat(7, 8, "")],
    "a refused update": [write(1, 2, "v"), update(3, 4, "m", code=404), stat(5, 6, "")],
    "an update that nobody answered": [write(1, 2, "v"), update(3, 0, "m"), stat(5, 6, "m")],
    "one of two at once": [write(1, 2, "v"), update(3, 6, "m"), update(4, 5, "n"), stat(7, 8, "m")],
    "a write that nobody answered": [write(1, 2, "v"), write(3, 0, "w"), update(4, 5, "m"), stat(6, 7, "")],
    "a path that nobody is known to have written": [stat(1, 2, "")],
}
ILLEGAL_UPDATES = {
    "an update is lost": [write(1, 2, "v"), update(3, 4, "m"), stat(5, 6, "")],
    "an older one comes back": [write(1, 2, "v"), update(3, 4, "m"), update(5, 6, "n"), stat(7, 8, "m")],
    "it outlives a write": [write(1, 2, "v"), update(3, 4, "m"), write(5, 6, "w"), stat(7, 8, "m")],
    "a refused one is found": [write(1, 2, "v"), update(3, 4, "m", code=404), stat(5, 6, "m")],
    "one that nobody made": [write(1, 2, "v"), stat(3, 4, "m")],
    "one that comes later": [write(1, 2, "v"), stat(3, 4, "m"), update(5, 6, "m")],
}


@pytest.mark.parametrize("calls", LEGAL_UPDATES.values(), ids=list(LEGAL_UPDATES))
def test_a_legal_history_of_metadata_holds(calls: list[Call]) -> None:
    assert violated(list(judge_updates(calls))) == set()


@pytest.mark.parametrize("calls", ILLEGAL_UPDATES.values(), ids=list(ILLEGAL_UPDATES))
def test_metadata_that_cannot_be_is_found(calls: list[Call]) -> None:
    assert violated(list(judge_updates(calls))) == {UPDATED}


def test_what_is_said_of_a_path_concerns_its_metadata_too() -> None:
    calls = [write(1, 2, "v"), update(3, 4, "m"), stat(5, 6, "")]
    found = list(judge_entries(calls, Held(branches={"main": {"a/1": "v"}}, logs={"main": ()})))
    assert UPDATED in {name for name, finding in found if isinstance(finding, Violation)}


WHOLE = {"s/a": "a", "s/b": "b"}


@pytest.mark.parametrize(
    ("calls", "held", "names"),
    [
        ([brought(1, "i"), brought(3, "j")], holding("j", "i", i=WHOLE, j=WHOLE), set()),
        (
            [brought(1, "i"), brought(3, "j", TWO), brought(5, "k")],
            holding("k", "j", "i", i=WHOLE, j={"s/c": "c"}, k=WHOLE),
            set(),
        ),
        (
            [brought(1, "i"), brought(3, "j", prefix="i/1/")],
            holding("j", "i", i=WHOLE, j=WHOLE | {"i/1/a": "a", "i/1/b": "b"}),
            set(),
        ),
        ([brought(1, "i"), brought(3, "j")], holding("j", "i", i=WHOLE, j={"s/a": "a"}), {IMPORTED_WHOLE}),
        ([brought(1, "i"), brought(3, "j")], holding("j", "i", i=WHOLE, j=WHOLE | {"s/c": "c"}), {IMPORTED_WHOLE}),
        ([brought(1, "i"), brought(3, "j")], holding("j", "i", i=WHOLE, j=WHOLE | {"s/b": "x"}), {IMPORTED_WHOLE}),
        (
            [commit(1, 2, "c", "imported"), brought(3, "i")],
            holding("i", "c", c={"i/7": "7"}, i=WHOLE),
            {IMPORTED_WHOLE},
        ),
    ],
    ids=["same", "of another source", "elsewhere", "partly", "with more", "with another value", "and took something"],
)
def test_an_import_brings_its_source_and_nothing_else(calls: list[Call], held: Held, names: set[str]) -> None:
    assert violated(list(judge_imports(calls, held))) == names


def test_a_single_import_is_no_check_of_it() -> None:
    assert list(judge_imports([brought(1, "i")], holding("i", i=WHOLE))) == []
    again = judge_imports([brought(1, "i"), brought(3, "j")], holding("j", "i", i=WHOLE, j=WHOLE))
    assert [type(found) for _, found in again] == [Reached]


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


def test_what_is_imported_must_be_named_by_addresses() -> None:
    result = lakeproof("service", "lakefs+http://k:s@h", "--import-from", "mem://outside/one/,incoming")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--import-from incoming: no address of objects; expected URI,..." in result.stderr


def test_imports_are_not_judged_where_nothing_is_imported() -> None:
    nothing = ("service", "lakefs+http://key:secret@127.0.0.1:1", "--storage-namespace", "mem://x")
    result = lakeproof(*nothing, "--only", IMPORTED_WHOLE)
    assert result.exit_code == 2
    assert "nothing is imported; name what to import with --import-from" in result.stderr
