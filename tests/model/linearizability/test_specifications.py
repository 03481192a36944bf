"""Specifications: what each object does, and that its register form says the same."""

import random
from collections.abc import Hashable

import pytest

from lakeproof.model.linearizability.checker import check
from lakeproof.model.linearizability.history import BrokenHistory, Operation, Settings, history
from lakeproof.model.linearizability.problem import Verdict
from lakeproof.model.linearizability.specifications import (
    ALL,
    ANY,
    APPEND,
    DONE,
    EXISTS,
    HELD,
    IS,
    KV,
    KV_SCAN,
    MULTI_REGISTER,
    MUTEX,
    Specification,
    specification_of,
)
from lakeproof.model.linearizability.values import REFUSED, Atom, freeze
from lakeproof.model.snapshot import Status


def verdict(specification: Specification, *calls: tuple[object, ...]) -> Verdict:
    """Of (f, key, argument, result), one after the other; a fifth says that it overlaps all that follow."""
    operations = []
    for at, (f, key, argument, result, *overlaps) in enumerate(calls):
        returned = 2 * len(calls) + 2 * at if overlaps else 2 * at + 1
        operations.append(
            Operation(
                process=at,
                f=str(f),
                key=freeze(key),
                argument=freeze(argument),
                result=freeze(result),
                call=2 * at,
                returned=returned,
            )
        )
    found = {v.verdict for v in check(specification, history(operations))}
    return Verdict.VIOLATED if Verdict.VIOLATED in found else found.pop()


@pytest.mark.parametrize("name", [name for name, s in ALL.items() if s.guarded is not None])
def test_the_register_form_says_what_the_specification_says(name: str) -> None:
    specification, rng = ALL[name], random.Random(1)
    assert specification.guarded is not None
    states: list[Hashable] = [None, HELD] if name == "mutex" else [None, 0, 1]
    for _ in range(500):
        state, f = rng.choice(states), rng.choice(sorted(specification.fs - specification.observers))
        argument: Hashable = None
        if f in ("write", "set"):
            argument = rng.choice((0, 1))
        elif f in ("cas", "set_if"):
            argument = (rng.choice((*states, EXISTS) if f == "set_if" else states), rng.choice((0, 1)))
        after, result = specification.step(state, f, argument)
        refused = result is REFUSED
        guard, value, writes, write = specification.guarded(f, argument, Status.FAIL if refused else Status.OK)
        assert guard == ANY or (state == value) == (guard == IS)
        assert (write if writes else state) == after
        if f in specification.conditional:  # and the other answer does not fit
            guard, value, _, _ = specification.guarded(f, argument, Status.OK if refused else Status.FAIL)
            assert (state == value) != (guard == IS)


def test_keys_are_objects_of_their_own() -> None:
    assert verdict(KV, ("set", "a", 1, None), ("get", "b", None, None)) is Verdict.HOLDS
    assert verdict(KV, ("set", "a", 1, None), ("get", "a", None, None)) is Verdict.VIOLATED


def test_a_scan_sees_all_keys_at_one_moment_in_the_order_of_their_bytes() -> None:
    writes = [("set", "b", 2, None), ("set", "a", 1, None), ("delete", "b", None, None), ("set", "é", 3, None)]
    assert verdict(KV_SCAN, *writes, ("scan", None, None, [["a", 1], ["é", 3]])) is Verdict.HOLDS
    assert verdict(KV_SCAN, *writes, ("scan", None, ["b", None], [["é", 3]])) is Verdict.HOLDS
    assert verdict(KV_SCAN, *writes, ("scan", None, [None, 1], [["a", 1]])) is Verdict.HOLDS
    for wrong in ([["é", 3], ["a", 1]], [["a", 1]], [["a", 1], ["b", 2], ["é", 3]], []):
        assert verdict(KV_SCAN, *writes, ("scan", None, None, wrong)) is Verdict.VIOLATED


def test_a_scan_that_skips_is_refused_even_while_another_write_goes_on() -> None:
    calls = [("set", "a", 1, None, "overlaps"), ("set", "b", 2, None)]
    assert verdict(KV_SCAN, *calls, ("scan", None, None, [["b", 2]])) is Verdict.HOLDS
    assert verdict(KV_SCAN, *calls, ("scan", None, None, [["a", 1]])) is Verdict.VIOLATED


def test_appended_strings_are_in_the_order_of_the_appends() -> None:
    calls = [("append", "k", "a", None), ("append", "k", "b", None)]
    assert verdict(APPEND, ("get", "k", None, ""), *calls, ("get", "k", None, "ab")) is Verdict.HOLDS
    assert verdict(APPEND, ("get", "k", None, None), *calls) is Verdict.HOLDS
    assert verdict(APPEND, *calls, ("get", "k", None, "ba")) is Verdict.VIOLATED
    assert verdict(APPEND, *calls, ("put", "k", "c", None), ("get", "k", None, "c")) is Verdict.HOLDS


def test_the_registers_of_a_transaction_change_at_one_moment() -> None:
    both = ("txn", None, [["w", "x", 1], ["w", "y", 1]], [["w", "x", 1], ["w", "y", 1]])
    torn = ("txn", None, [["r", "x", None], ["r", "y", None]], [["r", "x", 1], ["r", "y", None]])
    whole = ("txn", None, [["r", "x", None], ["r", "y", None]], [["r", "x", 1], ["r", "y", 1]])
    assert verdict(MULTI_REGISTER, both, whole) is Verdict.HOLDS
    assert verdict(MULTI_REGISTER, (*both, "overlaps"), torn) is Verdict.VIOLATED
    assert verdict(MULTI_REGISTER, (*both, "overlaps"), whole) is Verdict.HOLDS


def test_a_mutex_is_held_by_one() -> None:
    take, free = ("acquire", None, None, None), ("release", None, None, None)
    assert verdict(MUTEX, take, free, take) is Verdict.HOLDS
    assert verdict(MUTEX, take, (*free, "overlaps"), take) is Verdict.HOLDS
    for wrong in ((take, take), (free,), (take, free, free)):
        assert verdict(MUTEX, *wrong) is Verdict.VIOLATED


@pytest.mark.parametrize(
    ("fail", "expected"), [("predicate-false", Verdict.VIOLATED), ("did-not-happen", Verdict.HOLDS)]
)
def test_what_a_failure_says_is_a_setting(fail: str, expected: Verdict) -> None:
    told = [
        Operation(process=0, f="write", argument=1, call=0, returned=1),
        Operation(process=1, f="cas", argument=(1, 2), status=Status.FAIL, call=2, returned=3),
    ]
    assert [each.verdict for each in check(ALL["cas-register"], history(told, Settings(fail=fail)))] == [expected]  # type: ignore[arg-type]


def test_values_that_were_written_apart_are_apart() -> None:
    for written, read in ((1, True), (1, 1.0), ("1", 1), (None, "nil"), ([1], [True]), ("", None)):
        wrote = ("write", None, written, None)
        assert verdict(ALL["register"], wrote, ("read", None, None, written)) is Verdict.HOLDS
        assert verdict(ALL["register"], wrote, ("read", None, None, read)) is Verdict.VIOLATED


def test_a_map_is_equal_to_one_with_the_same_names_in_any_order() -> None:
    assert freeze({"a": [1, {}], "b": True}) == freeze({"b": True, "a": (1, {})})
    assert freeze({"a": 1}) != freeze({"a": 1.0})


@pytest.mark.parametrize(
    ("fs", "name"),
    [
        ({"read"}, "register"),
        ({"read", "cas"}, "cas-register"),
        ({"set", "get"}, "kv"),
        ({"get", "scan"}, "kv-scan"),
        ({"put", "get"}, "append"),
        ({"acquire"}, "mutex"),
        ({"txn"}, "multi-register"),
    ],
)
def test_the_smallest_model_that_has_the_operations_is_taken(fs: set[str], name: str) -> None:
    assert specification_of(frozenset(fs)).name == name


@pytest.mark.parametrize(("fs", "told"), [({"get"}, "--model"), ({"read", "get"}, "no model"), ({"x"}, "no model")])
def test_no_model_is_guessed(fs: set[str], told: str) -> None:
    with pytest.raises(BrokenHistory, match=told):
        specification_of(frozenset(fs))


@pytest.mark.parametrize(
    ("name", "f", "argument", "told"),
    [
        ("cas-register", "cas", 1, "two values"),
        ("cas-register", "cas", (1, 2, 3), "two values"),
        ("kv", "set", None, "expected a value"),
        ("kv", "set_if", (1, None), "expected a value"),
        ("kv", "read", None, "not one of kv"),
        ("append", "append", 1, "expected strings"),
        ("multi-register", "txn", 1, "list of"),
        ("multi-register", "txn", (("x", "y", 1),), "list of"),
        ("kv-scan", "scan", ("a", -1), "limit"),
        ("kv-scan", "scan", (1, None), "text or bytes"),
    ],
)
def test_what_an_operation_cannot_be_is_refused(name: str, f: str, argument: Hashable, told: str) -> None:
    operations = [Operation(process=0, f=f, argument=argument, call=0, returned=1)]
    with pytest.raises(BrokenHistory, match=told):
        list(check(ALL[name], history(operations)))


def test_what_is_no_data_is_refused() -> None:
    with pytest.raises(TypeError, match="expected text"):
        freeze(object())
    assert freeze(b"x") == b"x"
    assert freeze({1, 2}) == Atom("set", frozenset({1, 2}))
    assert freeze("done") != DONE
