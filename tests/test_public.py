"""`lakeproof` itself: the names that a file of scenarios needs, loaded when they are used."""

import ast
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

import lakeproof
from lakeproof import (
    JSON,
    Aftermath,
    AlwaysEventually,
    Call,
    Env,
    Eventually,
    Finding,
    LeadsTo,
    Monitor,
    NotAsExpected,
    OnStep,
    Outcome,
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
from tests.racing import ATOMIC, LOST_UPDATE

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


def test_check_raises_with_the_shortest_schedule_of_what_does_not() -> None:
    with pytest.raises(NotAsExpected) as raised:
        check(LOST_UPDATE)
    text = str(raised.value)
    assert text.startswith(
        "counters/lost-update: increments-count is violated, expected holds\n\n"
        "increments-count is violated in counters/lost-update, 4 steps"
    )
    assert "2 increments, and the counter says 1" in text
    assert "racing.py:" in text
    assert isinstance(raised.value, AssertionError)


def test_check_proves_nothing_within_limits_that_are_too_small() -> None:
    with pytest.raises(NotAsExpected, match="increments-count is inconclusive, expected holds: "):
        check(ATOMIC, states_max=2)


async def stock(env: Env, content: bytes) -> None:
    await env.store.set(*PLACE, content)


def _stocked(snapshot: Snapshot) -> Iterator[Finding]:
    found = snapshot.values[PLACE]
    yield Reached("2 left") if found == {"left": 2} else Violation("two-are-left", f"{found}")


def _grows(step: Transition) -> Iterator[Finding]:
    before, after = step.before.values.get(PLACE), step.after.values.get(PLACE)
    yield Reached("it was empty") if (before, after) == (None, {"left": 2}) else Violation("it-grows", f"{before}")


LEFT = Eventually(id="two-are-left", meaning="what was put is there", check=_stocked)
GROWS = OnStep(id="it-grows", meaning="it was empty", check=_grows, watches=lambda call, op: isinstance(op, kv.Set))


def shop(content: bytes = b'{"left": 2}', codec: object = JSON) -> Scenario:
    clients = [[Call(stock, content)]]
    return Scenario(name="shop/stock", clients=clients, invariants=[LEFT, GROWS], records=codec)  # type: ignore[arg-type]


def _is_stocked(snapshot: Snapshot) -> bool:
    return bool(snapshot.values.get(PLACE) == {"left": 2})


def _at_end(_: object, snapshot: Snapshot) -> list[Finding]:
    return [Reached("2 left") if _is_stocked(snapshot) else Violation("ends", "no 2 left")]


ENDS = Monitor(id="ends", meaning="2 are left", initial=None, advance=lambda state, _: (state, ()), at_end=_at_end)
LEADS = LeadsTo(lambda seen: not _is_stocked(seen), _is_stocked, id="leads", meaning="2 are left at last")
STAYS = AlwaysEventually(_is_stocked, id="stays", meaning="2 are left again and again")
AFTER = Aftermath(id="ends", meaning="2 are left afterwards", calls=[Call(stock, b'{"left": 2}')], check=_at_end)


class TestRecords:
    def test_promises_of_each_kind_see_values(self) -> None:
        check(shop())
        promises = attrs.evolve(shop(), invariants=[ENDS, LEADS, STAYS])
        # Once more: what decodes already is given the codec again.
        check(attrs.evolve(promises, name="shop/again"))
        check(attrs.evolve(promises, invariants=[LEFT], aftermath=[AFTER]))

    def test_an_aftermath_sees_the_values_from_before_its_calls(self) -> None:
        def emptied(_: tuple[Outcome, ...], seen: Snapshot) -> list[Finding]:
            assert seen.before is not None
            found = seen.before.values[PLACE]["left"], seen.values[PLACE]["left"]
            return [Reached("2, then 0") if found == (2, 0) else Violation("emptied", f"{found}")]

        after = Aftermath(id="emptied", meaning="", calls=[Call(stock, b'{"left": 0}')], check=emptied)
        check(attrs.evolve(shop(), aftermath=[after]))

    def test_a_scenario_without_a_codec_has_no_values(self) -> None:
        with pytest.raises(Unusable, match=r"the scenario has no codec: Scenario\(records=lakeproof.JSON\)"):
            check(shop(codec=None))

    def test_what_is_no_codec_is_refused(self) -> None:
        with pytest.raises(
            ScenarioError, match=r"shop/stock: records is .json.; expected a codec, such as lakeproof\.JSON"
        ):
            shop(codec="json")

    def test_bytes_that_do_not_decode_are_an_error_that_names_them(self) -> None:
        with pytest.raises(Unusable, match=r"records: b'\{' at \(b'shop', b'stock'\) does not decode"):
            check(shop(b"{"))

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
