"""Each operator on small flows: what it changes, and what it leaves alone."""

import marshal
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from lakeproof.model import errors, kv
from lakeproof.mutation import stand_ins
from lakeproof.mutation.mutants import Mutant, NotMutable, mutants_of
from lakeproof.mutation.operators import OPERATORS

BY_NAME = {each.name: each for each in OPERATORS}


def mutated(tmp_path: Path, operator: str, body: str, head: str = "async def f(env, a, b, predicate):") -> list[Mutant]:
    path = tmp_path / "flow.py"
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    path.write_text(f"{head}\n{lines}")
    return list(mutants_of(path, "flow.py", [BY_NAME[operator]]))


CHANGES = [
    ("blind-write", "await s.set_if(a, b, v, p)", [("await s.set_if(a, b, v, p)", "await s.set(a, b, v)")]),
    ("blind-write", "await s.delete_if(a, b, p)", [("await s.delete_if(a, b, p)", "await s.delete(a, b)")]),
    ("blind-write", "await s.set_if(a, key=b, value=v, predicate=p)",
     [("await s.set_if(a, key=b, value=v, predicate=p)", "await s.set(a, key=b, value=v)")]),
    ("blind-write", "await s.set_if(a, b, v, p, ttl=t)",
     [("await s.set_if(a, b, v, p, ttl=t)", "await s.set(a, b, v, ttl=t)")]),
    ("weak-predicate", "await s.set_if(a, b, v, predicate=p)",
     [("s.set_if(a, b, v, predicate=p)", "s.set_if(a, b, v, predicate=weaker(p))")]),
    ("blind-write", "return await s.try_set_if(a, b, v, p)",
     [("await s.try_set_if(a, b, v, p)", "(await s.set(a, b, v), True)[1]")]),
    ("blind-write", "await o.put(a, b, if_absent=True)", [("o.put(a, b, if_absent=True)", "o.put(a, b)")]),
    ("weak-predicate", "await s.set_if(a, b, v, p)", [("s.set_if(a, b, v, p)", "s.set_if(a, b, v, weaker(p))")]),
    ("weak-predicate", "await g(a, found.predicate)", [("g(a, found.predicate)", "g(a, weaker(found.predicate))")]),
    ("weak-predicate", "await _replace(env, a, encode(b))",
     [("_replace(env, a, encode(b))", "_replace(env, a, weaker(encode(b)))")]),
    ("boundary", "return a < b", [("a < b", "a <= b")]),
    ("boundary", "return a >= b", [("a >= b", "a > b")]),
    ("off-by-one", "return a[:b]", [("b", "b + 1")]),
    ("off-by-one", "return range(len(a), 0)",
     [("range(len(a), 0)", "range(len(a) - 1, 0)"), ("range(len(a), 0)", "range(len(a), 0 + 1)")]),
    ("off-by-one", "start = a + b'\\0'", [("a + b'\\x00'", "a")]),
    ("drop-term", "return a and b", [("a and b", "b"), ("a and b", "a")]),
    ("flip-flag", "await g(a, in_doubt=True)", [("True", "False")]),
    ("forget-field", "return attrs.evolve(a, head=b)", [("attrs.evolve(a, head=b)", "attrs.evolve(a)")]),
    ("keep-token", "return attrs.evolve(a, staging_token=b)",
     [("attrs.evolve(a, staging_token=b)", "attrs.evolve(a)")]),
    ("one-branch", "return a if b else 0", [("a if b else 0", "a"), ("a if b else 0", "0")]),
    ("wrong-order", "for x in reversed(a): g(x)", [("reversed(a)", "a")]),
    ("skip-first", "async for x in s.scan(a): g(x)", [("s.scan(a)", "all_but_first(s.scan(a))")]),
    ("only-first", "return [x async for x in s.scan(a)]", [("s.scan(a)", "only_first(s.scan(a))")]),
    ("definite", "raise kv.OutcomeUnknown", [("kv.OutcomeUnknown", "definite(kv.OutcomeUnknown)")]),
    ("definite", "raise WriteNotSettled(a)", [("WriteNotSettled(a)", "definite(WriteNotSettled(a))")]),
    ("drop-check", "if a: raise E", [("a", "False")]),
    ("drop-check", "if not await g(a): return", [("not await g(a)", "(not await g(a), False)[1]")]),
    ("drop-check", "return [x for x in a if x]", [("x", "True")]),
    ("always", "if a: return", [("a", "True")]),
    ("drop-effect", "await s.delete(a, b)", [("await s.delete(a, b)", "")]),
    ("drop-effect", "a.append(b)", [("a.append(b)", "")]),
    ("swap-effects", "await g(a)\nawait h(b)", [("await g(a); await h(b)", "await h(b); await g(a)")]),
    ("delete-first", "await s.set(a)\nawait s.set(b)\nawait s.delete(a)",
     [("await s.set(a); await s.set(b); await s.delete(a)", "await s.delete(a); await s.set(a); await s.set(b)")]),
    ("stale-read", "x = await g(a)\nx = await g(a)", [("x = await g(a)", "")]),
    ("forget-state", "tried = False\nfor x in a:\n    tried = True", [("tried = True", "")]),
    ("ignore-failed-predicate", "try:\n    await g(a)\nexcept kv.PredicateFailed:\n    return",
     [("except kv.PredicateFailed: return", "pass")]),
    ("ignore-error", "try:\n    await g(a)\nexcept kv.NotFound:\n    return", [("except kv.NotFound: return", "pass")]),
    ("let-escape", "try:\n    await g(a)\nexcept kv.NotFound:\n    return", [("except kv.NotFound: return", "raise")]),
    ("let-escape", "with suppress(E):\n    await g(a)", [("with suppress(E): ...", "await g(a)")]),
    ("narrow-except", "try:\n    await g(a)\nexcept (A, B):\n    return", [("(A, B)", "B"), ("(A, B)", "A")]),
]  # fmt: skip


@pytest.mark.parametrize(("operator", "body", "expected"), CHANGES)
def test_an_operator_changes(operator: str, body: str, expected: list[tuple[str, str]], tmp_path: Path) -> None:
    assert [(each.before, each.after) for each in mutated(tmp_path, operator, body)] == expected


def test_every_operator_is_among_these() -> None:
    assert {operator for operator, _, _ in CHANGES} == BY_NAME.keys()


LEFT_ALONE = [
    ("blind-write", "await s.set(a, b, v)"),
    ("blind-write", "await s.set_if(**a)"),
    ("weak-predicate", "await s.set_if(a, b, v, None)"),
    ("weak-predicate", "await replace_branch(env, a, b)"),
    ("boundary", "return a == b"),
    ("off-by-one", "for _ in range(a): g(a)"),
    ("drop-term", "return a | b"),
    ("flip-flag", "return a is True or 1"),
    ("forget-field", "return attrs.evolve(a, staging_token=b)"),
    ("keep-token", "return attrs.evolve(a, head=b)"),
    ("wrong-order", "for x in range(a): g(x)"),
    ("skip-first", "for x in a: g(x)"),
    ("definite", "raise BranchNotFound(a)"),
    ("drop-effect", "x = await g(a)"),
    ("swap-effects", "x = await g(a)\nawait h(x)"),
    ("swap-effects", "await g(a)\nx = 1"),
    ("delete-first", "x = await g(a)\nawait s.delete(x)"),
    ("delete-first", "'what it does'\nx = 1\nawait s.delete(a)"),
    ("stale-read", "x = await g(a)"),
    ("forget-state", "x = 1"),
    ("ignore-failed-predicate", "try:\n    await g(a)\nexcept kv.NotFound:\n    return"),
    ("ignore-error", "try:\n    await g(a)\nexcept kv.PredicateFailed:\n    return"),
    ("ignore-error", "try:\n    await g(a)\nexcept kv.NotFound:\n    pass"),
    ("let-escape", "with opened(E):\n    await g(a)"),
    ("narrow-except", "try:\n    await g(a)\nexcept A:\n    return"),
]


@pytest.mark.parametrize(("operator", "body"), LEFT_ALONE)
def test_an_operator_leaves_alone(operator: str, body: str, tmp_path: Path) -> None:
    assert mutated(tmp_path, operator, body) == []


class TestMutants:
    def test_no_two_are_the_same_and_none_is_the_file_itself(self, tmp_path: Path) -> None:
        path = tmp_path / "flow.py"
        path.write_text("async def f(s):\n    await s.delete(1)\n    await s.delete(1)\n")
        found = [(each.operator, each.lines) for each in mutants_of(path, "flow.py")]
        assert found == [("drop-effect", (2, 2)), ("drop-effect", (3, 3))]  # exchanged they are the same

    def test_the_tree_is_as_it_was_after_each(self, tmp_path: Path) -> None:
        path = tmp_path / "flow.py"
        path.write_text("def f(a, b):\n    x = a < b\n    return x and a\n")
        results = []
        for each in mutants_of(path, "flow.py"):
            names: dict[str, object] = {}
            exec(marshal.loads(each.code), names)  # noqa: S102, S302  # ours
            f = names["f"]
            assert callable(f)
            results.append((each.before, each.after, f(1, 2), f(2, 2)))
        assert results == [("x and a", "a", 1, 2), ("x and a", "x", True, False), ("a < b", "a <= b", 1, 2)]

    def test_of_a_file_with_invariants_only_what_flows_name_is_mutated(self, tmp_path: Path) -> None:
        path = tmp_path / "file.py"
        rows = ["def helper(a):", "    return a < 1", "def invariant(a):", "    return a < 1"]
        path.write_text("\n".join([*rows, "async def flow(a):", "    return helper(a)", ""]))
        assert [each.function for each in mutants_of(path, "file.py")] == ["helper", "invariant"]
        assert [each.function for each in mutants_of(path, "file.py", flows_alone=True)] == ["helper"]

    @pytest.mark.parametrize("content", [b"def f(:\n", b"x = '\xff'\n", None])
    def test_what_is_no_python_is_an_error_that_names_the_file(self, content: bytes | None, tmp_path: Path) -> None:
        path = tmp_path / "flow.py"
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(NotMutable, match=r"flow\.py.*; name a Python file"):
            list(mutants_of(path, "flow.py"))


def test_mutants_of_the_same_words_have_the_same_numbers_whichever_operators_are_chosen(tmp_path: Path) -> None:
    """Else the verdict on one of them would be taken for that on another, in a later run."""
    alone = mutated(tmp_path, "boundary", "if a > b:\n    await g(a < b, a < b)")
    every = [each for each in mutants_of(tmp_path / "flow.py", "flow.py") if each.operator == "boundary"]
    assert alone == every
    assert [(each.before, each.number) for each in alone] == [("a > b", 0), ("a < b", 0), ("a < b", 1)]


def test_what_changed_code_calls_does_what_it_is_called() -> None:
    async def rows() -> AsyncIterator[int]:
        for each in (1, 2, 3):
            yield each

    async def left(change: Callable[[AsyncIterator[int]], AsyncIterator[int]]) -> list[int]:
        return [each async for each in change(rows())]

    for change, expected in ((stand_ins.all_but_first, [2, 3]), (stand_ins.only_first, [1])):
        with pytest.raises(StopIteration) as end:
            left(change).send(None)
        assert end.value.value == expected
    assert (stand_ins.weaker(None), stand_ins.weaker(b"seen")) == (None, kv.EXISTS)
    for given in (kv.OutcomeUnknown, kv.OutcomeUnknown()):
        assert isinstance(stand_ins.definite(given), kv.Refused)
    assert isinstance(stand_ins.definite(ValueError()), errors.BranchBusy)
