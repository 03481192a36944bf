"""The sequential specification of a branch, against what the text says and against a store of two dictionaries."""

from collections.abc import Hashable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.model.branch import ABSENT, ANSWERS, DONE, branch
from lakeproof.model.committed import Entry
from lakeproof.model.errors import BranchBusy, BranchExists, BranchNotFound, EntryChanged, PathExists, PathNotFound
from lakeproof.model.linearizable import Specification
from lakeproof.model.snapshot import CallView, Status

R, B = "r", "b"
BRANCH = branch()
Step = tuple[str, tuple[Hashable, ...]]

paths = st.sampled_from([b"a", b"a/1", b"b"])
identities = st.sampled_from([b"1", b"2", b"3"])
DELETES = ("delete_branch", "delete_branch_by_tombstone")
steps: st.SearchStrategy[Step] = st.one_of(
    st.tuples(st.just("set_entry"), st.tuples(paths, identities)),
    st.tuples(st.just("set_entries"), st.tuples(st.tuples(st.tuples(paths, identities), st.tuples(paths, identities)))),
    st.tuples(st.just("delete_entry"), st.tuples(paths)),
    st.tuples(st.just("create_entry"), st.tuples(paths, identities)),
    st.tuples(st.just("replace_entry"), st.tuples(paths, identities, identities)),
    st.tuples(st.just("get_entry"), st.tuples(paths)),
    st.tuples(st.just("list_entries"), st.tuples(st.sampled_from([b"", b"a", b"a/"]))),
    st.tuples(st.sampled_from(["commit", "reset_branch", *DELETES]), st.just(())),
    st.tuples(st.just("reset_prefix"), st.tuples(st.sampled_from([b"", b"a", b"b"]))),
    st.tuples(st.just("reset_entry"), st.tuples(paths)),
    st.tuples(st.just("create_branch"), st.just(("main",))),
)


def play(*todo: tuple[Hashable, ...], specification: Specification = BRANCH) -> list[Hashable]:
    """The results of these calls of one branch, in order. A call: its name, and its arguments after the branch."""
    found: list[Hashable] = []
    state = specification.initial
    for name, *args in todo:
        state, result = specification.apply(state, str(name), (R, B, *args))
        found.append(result)
    return found


def test_a_branch_created_anew_begins_with_what_its_source_has_and_nothing_of_the_old_one() -> None:
    assert play(
        ("create_branch", "main"),
        ("create_branch", "main"),
        ("set_entry", b"x", b"1"),
        ("delete_branch",),
        ("create_branch", "main"),
        ("list_entries",),
        specification=branch(ABSENT, {"main": {b"m": b"0"}}),
    ) == [DONE, BranchExists, DONE, DONE, DONE, ((b"m", b"0"),)]


def test_a_call_that_is_not_about_one_branch_is_refused() -> None:
    with pytest.raises(ValueError, match="merge: expected a call that reads or changes the entries of one branch"):
        play(("merge", "main"))


def simulated(todo: Sequence[Step]) -> list[Hashable]:
    """The same by two dictionaries, written as an obvious program."""
    there = True
    head: dict[bytes, bytes] = {}
    staged: dict[bytes, bytes | None] = {}
    results: list[Hashable] = []
    for name, args in todo:
        shown = {path: value for path, value in {**head, **staged}.items() if value is not None}
        result: Hashable = DONE
        if not there:
            result = BranchNotFound if name != "create_branch" else DONE
            there = name == "create_branch"
            head, staged = {}, {}
        elif name == "create_branch":
            result = BranchExists
        elif name in DELETES:
            there = False
        elif name == "commit":
            head, staged = shown, {}
        elif name == "list_entries":
            result = tuple((path, shown[path]) for path in sorted(shown) if path.startswith(args[0]))  # type: ignore[arg-type]
        elif name == "set_entries":
            staged.update(args[0])  # type: ignore[call-overload]
        elif name.startswith("reset"):
            for path in list(staged):
                if name == "reset_branch" or path == args[0] or (name == "reset_prefix" and path.startswith(args[0])):  # type: ignore[arg-type]
                    del staged[path]
        else:
            at = args[0]
            assert isinstance(at, bytes)
            if name == "get_entry":
                result = shown.get(at, PathNotFound)
            elif name == "create_entry" and at in shown:
                result = PathExists
            elif name == "replace_entry" and shown.get(at) != args[2]:
                result = EntryChanged
            else:
                staged[at] = None if name == "delete_entry" else args[1]  # type: ignore[assignment]
        results.append(result)
    return results


@given(st.lists(steps, max_size=20))
def test_it_is_two_dictionaries(todo: list[Step]) -> None:
    assert play(*[(name, *args) for name, args in todo]) == simulated(todo)


def test_results_are_compared_by_identity_and_errors_by_class() -> None:
    entry = Entry(path=b"x", identity=b"1", data=b"whatever")
    assert BRANCH.result(CallView("get_entry", (R, B, b"x"), Status.OK, entry)) == b"1"
    assert BRANCH.result(CallView("list_entries", (R, B), Status.OK, (entry,))) == ((b"x", b"1"),)
    assert BRANCH.result(CallView("commit", (R, B, "m"), Status.OK, "a commit")) == DONE
    assert BRANCH.result(CallView("get_entry", (R, B, b"x"), Status.FAIL, error=PathNotFound())) == PathNotFound
    assert [BRANCH.is_answer(error) for error in (PathNotFound(), BranchBusy())] == [True, False]
    assert PathNotFound in ANSWERS
