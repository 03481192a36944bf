"""Calls as values: the table is held to the flows, and specifications and invariants use nothing else."""

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

import lakefs_today
from lakeproof.impl import catalog, graveler, hard_delete, refs, repositories, retention
from lakeproof.model import calls, errors
from lakeproof.model.calls import KINDS, Kind, Role, UnknownCall
from lakeproof.model.invariants.entries import write_is_kept_beside
from lakeproof.model.snapshot import CallView, Status

Flow = Callable[..., object]  # type: ignore[explicit-any]  # flows take what they like after env

MODEL = Path(__file__).parents[2] / "model"
JUDGES = sorted([*(MODEL / "invariants").glob("*.py"), *(MODEL / f"{name}.py" for name in ("branch", "ref"))])


def flows() -> Iterator[tuple[str, Flow]]:
    """The flows of all designs, each by the name that its module gives to it."""
    for room in (catalog, graveler, hard_delete, refs, repositories, retention, lakefs_today):
        for found in pkgutil.iter_modules(room.__path__, f"{room.__name__}."):
            if not found.name.rpartition(".")[2].startswith("_"):
                for name, value in vars(importlib.import_module(found.name)).items():
                    if inspect.iscoroutinefunction(value) and "env" in inspect.signature(value).parameters:
                        yield name, value


FLOWS: dict[str, list[Flow]] = {}
for _name, _flow in flows():
    FLOWS.setdefault(_name, []).append(_flow)


def arguments(flow: Flow) -> list[str]:
    """The names of what a flow takes by position, after ``env``."""
    positional = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.POSITIONAL_ONLY)
    return [each.name for each in inspect.signature(flow).parameters.values() if each.kind in positional][1:]


def mistakes(kind: Kind, known: Mapping[str, list[Flow]]) -> list[str]:
    """What the flows of a name say against a kind; one line each."""
    if kind.name not in known:
        return [f"{kind.name}: no flow has this name"]
    found = []
    for flow in known[kind.name]:
        found += [
            f"{kind.name}: {flow.__module__} has {argument} where {role.name} is expected"
            for argument, role in zip(arguments(flow), kind.roles, strict=False)
            if argument not in role.value
        ]
    if max(len(arguments(flow)) for flow in known[kind.name]) < len(kind.roles):
        found.append(f"{kind.name}: no flow has {len(kind.roles)} arguments")
    return found


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_each_call_is_a_flow_with_its_arguments_in_this_order(kind: Kind) -> None:
    assert mistakes(kind, FLOWS) == []


def test_a_name_that_no_flow_has_is_found() -> None:
    assert mistakes(Kind("set_entyr"), FLOWS) == ["set_entyr: no flow has this name"]


def test_an_argument_in_another_place_is_found_and_so_is_one_too_many() -> None:
    swapped = Kind("get_entry", (Role.REPOSITORY, Role.PATH, Role.BRANCH))
    assert mistakes(swapped, {"get_entry": FLOWS["get_entry"][:1]}) == [
        "get_entry: lakeproof.impl.graveler.reads has branch_id where PATH is expected",
        "get_entry: lakeproof.impl.graveler.reads has path where BRANCH is expected",
    ]
    assert mistakes(Kind("clean", (Role.REPOSITORY,)), FLOWS) == ["clean: no flow has 1 arguments"]


def test_an_invariant_that_is_asked_about_a_call_that_no_flow_has_is_an_error() -> None:
    write_is_kept_beside("merge")
    with pytest.raises(UnknownCall, match="'marge': no flow has this name; expected one of background_job, clean, "):
        write_is_kept_beside("marge")


def literals(text: str) -> list[str]:
    """Where a program names a call or an error by a string, asks for the name of a class, or counts arguments."""
    words = KINDS.keys() | {name for name, value in vars(errors).items() if isinstance(value, type)}
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in words:
            found.append(f"{node.lineno}: {node.value!r}")
        elif isinstance(node, ast.Attribute) and node.attr == "__name__":
            found.append(f"{node.lineno}: __name__")
        elif isinstance(node, ast.Subscript) and getattr(node.value, "attr", getattr(node.value, "id", "")) == "args":
            found.append(f"{node.lineno}: args[...]")
    return found


@pytest.mark.parametrize("path", JUDGES, ids=lambda path: path.stem)
def test_specifications_and_invariants_compare_no_strings_and_count_no_arguments(path: Path) -> None:
    assert literals(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('event.name == "commit"', "1: 'commit'"),
        ('NAMES = ("set_entry",)', "1: 'set_entry'"),
        ('type(error).__name__ == "BranchBusy"', "1: 'BranchBusy'"),
        ("path = event.args[2]", "1: args[...]"),
        ("path = args[2:4]", "1: args[...]"),
    ],
)
def test_a_planted_literal_is_found(text: str, found: str) -> None:
    assert found in literals(text)


class TestSaid:
    def test_one_that_was_left_out_is_none_or_the_default(self) -> None:
        arguments = CallView("list_entries", ("r", "b"), Status.PENDING).arguments
        assert arguments[Role.PREFIX] is None
        assert arguments.data(Role.PREFIX, b"") == b""
        with pytest.raises(AssertionError, match="None: expected a path"):
            arguments.data(Role.PREFIX)

    def test_a_call_that_nobody_knows_says_nothing(self) -> None:
        arguments = calls.arguments_by_role("transfer", ("r", "b", b"x"))
        assert (arguments.kind, arguments.branch_id, arguments[Role.PATH]) == (None, "", None)


class TestErrors:
    def test_they_are_equal_by_type_and_arguments_across_areas(self) -> None:
        assert errors.PathNotFound(b"x") == errors.PathNotFound(b"x")
        assert errors.PathNotFound(b"x") not in (errors.PathNotFound(b"y"), errors.PathExists(b"x"), KeyError(b"x"))
        assert len({errors.TagExists("t"), errors.TagExists("t"), errors.BranchExists("t")}) == 2

    def test_each_says_whether_it_is_definite_and_the_base_is_one(self) -> None:
        found = [
            value for value in vars(errors).values() if isinstance(value, type) and value.__module__ == errors.__name__
        ]
        assert found
        assert all(issubclass(each, errors.NoResult) and each.definite for each in found)
