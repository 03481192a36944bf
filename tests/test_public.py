"""`lakeproof` itself: the names that a file of scenarios needs, loaded when they are used."""

import ast
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

import lakeproof
from lakeproof import (
    JSON,
    Call,
    Env,
    Eventually,
    Finding,
    NotAsExpected,
    OnStep,
    Reached,
    Scenario,
    ScenarioError,
    Snapshot,
    Transition,
    Violation,
    check,
    gate,
    kv,
    testing,
)
from lakeproof.words import Unusable

ROOT = Path(__file__).parents[1]
PLACE = (b"shop", b"stock")
SNIPPET = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


FROM_WITHIN = ("lakefs/lakefs_store.py", "lakefs_today/")
"""Of lakeFS: what its records are, and the designs that today's flows are compared with, is within `lakeproof`."""


def programs() -> Iterator[tuple[str, str]]:
    """Each Python text that a user reads: examples, and what the pages for writers of scenarios show."""
    for path in sorted((ROOT / "examples").glob("**/*.py")):
        name = path.relative_to(ROOT / "examples").as_posix()
        if not name.startswith(FROM_WITHIN):
            yield name, path.read_text()
    for path in (
        ROOT / "README.md",
        ROOT / "docs" / "ten-minutes.md",
        *sorted((ROOT / "docs" / "reference").glob("*.md")),
    ):
        yield from ((f"{path.name} {number}", text) for number, text in enumerate(SNIPPET.findall(path.read_text())))


def imported(text: str) -> set[str]:
    """What is imported of lakeproof, as ``module.name``."""
    found = set()
    for node in ast.walk(ast.parse(textwrap.dedent(text))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "lakeproof":
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.startswith("lakeproof.")}
    return found


@pytest.mark.parametrize("name", lakeproof.__all__)
def test_each_name_is_there(name: str) -> None:
    assert getattr(lakeproof, name) is not None
    assert name in dir(lakeproof)


def test_each_name_is_explained_on_its_page() -> None:
    page = (ROOT / "docs" / "reference" / "python.md").read_text()
    assert [name for name in (*lakeproof.__all__, *gate.__all__) if f"`{name}`" not in page] == []
    assert [name for name in testing.__all__ if f"`lakeproof.testing.{name}`" not in page] == []


def test_each_name_is_offered_once_and_no_other_is() -> None:
    assert len(set(lakeproof.__all__)) == len(lakeproof.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Scenarios'; it offers JSON, Aftermath"):
        _ = lakeproof.Scenarios


@pytest.mark.parametrize(("name", "text"), list(programs()), ids=[name for name, _ in programs()])
def test_what_users_read_imports_public_names_only(name: str, text: str) -> None:
    offered = {f"lakeproof.{each}" for each in lakeproof.__all__}
    assert imported(text) <= offered | {f"lakeproof.gate.{each}" for each in gate.__all__}


async def take(env: Env, conditionally: bool) -> int:
    """Take one of what is in stock."""
    held = (await env.store.get(*PLACE)).value
    left = JSON.decode(PLACE, held)
    assert isinstance(left, int)
    if left == 0:
        raise kv.Refused("sold out")
    if conditionally:
        await env.store.set_if(*PLACE, JSON.encode(left - 1), held)
    else:
        await env.store.set(*PLACE, JSON.encode(left - 1))
    return left


async def stock(env: Env, number: int) -> None:
    await env.store.set(*PLACE, JSON.encode(number))


def _counts(snapshot: Snapshot) -> Iterator[Finding]:
    left, sold = snapshot.values[PLACE], sum(call.status.value == "ok" for call in snapshot.calls("take"))
    assert isinstance(left, int)
    if left + sold != 2:
        yield Violation("nothing-is-sold-twice", f"{sold} of 2 were sold, and {left} are left")
    elif sold > 0:
        yield Reached(f"{sold} sold")


def _steps_down(step: Transition) -> Iterator[Finding]:
    before, after = step.before.values.get(PLACE), step.after.values.get(PLACE)
    assert isinstance(before, int)
    assert isinstance(after, int)
    if after > before:
        yield Violation("stock-never-rises", f"from {before} to {after}")
    else:
        yield Reached("it did not rise")


COUNTS = Eventually(id="nothing-is-sold-twice", meaning="what is sold and what is left add up", check=_counts)
FALLS = OnStep(
    id="stock-never-rises",
    meaning="no write adds to what is left",
    check=_steps_down,
    watches=lambda call, op: isinstance(op, kv.Set | kv.SetIf),
)


def shop(*, conditionally: bool, expect: str = "holds", codec: object = JSON) -> Scenario:
    return Scenario(
        name="shop/take",
        setup=[Call(stock, 2)],
        clients=[[Call(take, conditionally)], [Call(take, conditionally)]],
        invariants=[COUNTS, FALLS],
        expect={"nothing-is-sold-twice": expect},
        records=codec,  # type: ignore[arg-type]
    )


def test_check_raises_with_the_shortest_schedule_of_what_does_not() -> None:
    with pytest.raises(NotAsExpected) as raised:
        check(shop(conditionally=False))
    text = str(raised.value)
    assert text.startswith(
        "shop/take: nothing-is-sold-twice is violated, expected holds\n\n"
        "nothing-is-sold-twice is violated in shop/take, 4 steps"
    )
    assert "2 of 2 were sold, and 1 are left" in text
    assert "test_public.py:" in text
    assert isinstance(raised.value, AssertionError)


def test_check_proves_nothing_within_limits_that_are_too_small() -> None:
    with pytest.raises(NotAsExpected, match="nothing-is-sold-twice is inconclusive, expected holds: "):
        check(shop(conditionally=True), states_max=2)


class TestRecords:
    def test_a_scenario_without_a_codec_has_no_values(self) -> None:
        with pytest.raises(Unusable, match=r"the scenario has no codec: Scenario\(records=lakeproof.JSON\)"):
            check(shop(conditionally=True, codec=None))

    def test_what_is_no_codec_is_refused(self) -> None:
        with pytest.raises(
            ScenarioError, match=r"shop/take: records is .json.; expected a codec, such as lakeproof\.JSON"
        ):
            shop(conditionally=True, codec="json")

    def test_bytes_that_do_not_decode_are_an_error_that_names_them(self) -> None:
        async def spoil(env: Env) -> None:
            await env.store.set(*PLACE, b"{")

        spoiled = Scenario(
            name="shop/spoil",
            clients=[[Call(spoil)]],
            invariants=[COUNTS],
            records=JSON,
            expect={COUNTS.id: "violated"},
        )
        with pytest.raises(Unusable, match=r"records: b'\{' at \(b'shop', b'stock'\) does not decode"):
            check(spoiled)

    @pytest.mark.parametrize(
        ("value", "content"),
        [
            (None, b"null"),
            (True, b"true"),
            (-3, b"-3"),
            (0.5, b"0.5"),
            ("ä", b'"\\u00e4"'),
            ((1, ("a",), ()), b'[1,["a"],[]]'),
        ],
    )
    def test_json_goes_both_ways(
        self, value: float | str | tuple[int, tuple[str], tuple[()]] | None, content: bytes
    ) -> None:
        assert JSON.encode(value) == content
        assert JSON.decode(PLACE, content) == value

    def test_objects_have_their_keys_in_order_and_cannot_be_changed(self) -> None:
        assert JSON.encode({"b": 1, "a": {"d": None, "c": ()}}) == b'{"a":{"c":[],"d":null},"b":1}'
        decoded = JSON.decode(PLACE, b'{"a": {"b": [1]}}')
        assert decoded == {"a": {"b": (1,)}}
        with pytest.raises(TypeError):
            decoded["a"] = 2
        assert JSON.encode(decoded) == b'{"a":{"b":[1]}}'
