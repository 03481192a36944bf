"""Rules for all repositories or for each, and what is refused of them; times, ages, and folders of runs."""

from collections.abc import Callable
from pathlib import Path

import pytest

from lakeproof.model.identifiers import BranchID
from lakeproof.model.retention import DAY, InvalidRules, Rules
from lakeproof.spark_checks.engine import runs
from lakeproof.spark_checks.retention import rulebook
from lakeproof.spark_checks.retention.rulebook import ALL, Rulebook
from lakeproof.words import Unusable

LAKEFS = b'{"default_retention_days": 21, "branches": [{"branch_id": "main", "retention_days": 28}]}'
MAIN = BranchID("main")


class TestRules:
    def test_the_file_of_lakefs_is_for_all_repositories(self) -> None:
        assert rulebook.parse(LAKEFS) == Rulebook(Rules(21, ((MAIN, 28),)))

    def test_a_repository_may_have_rules_of_its_own(self) -> None:
        text = b'{"default": {"default_retention_days": 1}, "repositories": {"r": %s}}' % LAKEFS
        found = rulebook.parse(text)
        assert found.books == {ALL: Rules(1), "r": Rules(21, ((MAIN, 28),))}

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            (b"", "expected a JSON object"),
            (b"[]", "expected a JSON object"),
            (b"{}", "default_retention_days is missing"),
            (b'{"default_retention_days": -1}', "expected a whole number of days"),
            (b'{"repositories": {}}', "'default' is missing"),
            (b'{"repositories": [], "default": {"default_retention_days": 1}}', "expected rules by repository id"),
            (b'{"repositories": {}, "default": {"default_retention_days": 1}, "x": 1}', "'x', expected"),
            (b'{"repositories": {"r": {}}, "default": {"default_retention_days": 1}}', "repositories['r']: default_"),
            (
                b'{"repositories": {"": {"default_retention_days": 0}}, "default": {"default_retention_days": 1}}',
                "rules of '', expected the id of a repository",
            ),
            (b'{"repositories": {}, "default": 7}', "default: the rules: 7, expected a JSON object"),
            (b"\xff", "expected a JSON object"),
            (
                b'{"default": {"default_retention_days": 1}, "repositories": {"r": {}, "r": {}}}',
                "fields ['r', 'r']: expected each once",
            ),
            pytest.param(b'{"repositories": ' + b"[" * 100_000, "expected a JSON object", id="nested too deeply"),
        ],
    )
    def test_what_is_no_rule_is_refused_by_name(self, text: bytes, said: str, tmp_path: Path) -> None:
        with pytest.raises(InvalidRules) as refusal:
            rulebook.parse(text)
        assert said in str(refusal.value)
        path = tmp_path / "rules.json"
        path.write_bytes(text)
        with pytest.raises(Unusable) as unusable:
            rulebook.read(path)
        assert str(unusable.value) == f"{path}: {refusal.value}"


class TestTimes:
    @pytest.mark.parametrize(
        ("text", "microseconds"),
        [
            ("0", 0),
            ("1700000000000000", 1_700_000_000_000_000),
            ("1970-01-02T00:00:00Z", DAY),
            ("1970-01-02", DAY),
            ("1970-01-02T02:00:00.000001+02:00", DAY + 1),
            ("1969-12-31T23:59:59Z", -1_000_000),
        ],
    )
    def test_a_time_is_a_number_of_microseconds_or_a_date(self, text: str, microseconds: int) -> None:
        assert runs.parse_time(text) == microseconds

    def test_an_age_is_a_number_with_a_unit(self) -> None:
        ages = {"0s": 0, "90m": DAY // 16, "24h": DAY, "2d": 2 * DAY}
        assert {text: runs.parse_age(text) for text in ages} == ages

    @pytest.mark.parametrize(
        ("parse", "text"),
        [
            *((runs.parse_time, text) for text in ("yesterday", "", "12:00", "9" * 19)),
            *((runs.parse_age, text) for text in ("24", "h", "1w", "-1h", "")),
        ],
    )
    def test_anything_else_is_refused(self, parse: Callable[[str], int], text: str) -> None:
        with pytest.raises(Unusable, match=f"{text!r}: expected a (date as|number with s, m, h or d)"):
            parse(text)
