"""The rules of retention: lakeFS' own format, and what is wrong with one that is not."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.model.identifiers import BranchID
from lakeproof.model.retention import DAY, InvalidRules, Rules

TWICE = '{"branch_id": "b", "retention_days": 1}'
NOW = 1_700_000_000_000_000
MAIN, FEATURE = BranchID("main"), BranchID("feature1")


class TestRules:
    text = '{"default_retention_days": 21, "branches": [{"branch_id": "main", "retention_days": 28}]}'

    def test_the_format_of_lakefs_is_read_and_written(self) -> None:
        rules = Rules.parse(self.text)
        assert rules == Rules(21, ((MAIN, 28),))
        assert rules.encode() == self.text
        assert Rules.parse(b'{"default_retention_days": 0}') == Rules(0)

    def test_the_order_of_branches_is_no_matter(self) -> None:
        one, other = (MAIN, 1), (FEATURE, 2)
        assert Rules(3, (one, other)) == Rules(3, (other, one))
        assert Rules(3, (one, other)).encode() == Rules(3, (other, one)).encode()
        assert hash(Rules(3, (one, other))) == hash(Rules(3, (other, one)))

    def test_thresholds(self) -> None:
        rules = Rules.parse(self.text)
        assert rules.threshold(MAIN, NOW) == NOW - 28 * DAY
        assert rules.threshold(FEATURE, NOW) == rules.threshold(None, NOW) == NOW - 21 * DAY

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("", "expected a JSON object"),
            ("[]", r"the rules: \[\], expected a JSON object"),
            ("{}", "default_retention_days is missing"),
            ('{"default_retention_days": -1}', "default_retention_days: -1, expected a whole number"),
            ('{"default_retention_days": 1.5}', "1.5, expected a whole number"),
            pytest.param("[" * 2_000, "expected a JSON object", id="nested too deeply"),
            ('{"default_retention_days": true}', "True, expected a whole number"),
            ('{"default_retention_days": "7"}', "'7', expected a whole number"),
            ('{"default_retention_days": 2147483648}', "2147483648, expected"),
            ('{"default_retention_days": 7, "default_retention_days": 8}', "expected each once"),
            ('{"default_retention_days": 7, "branchs": []}', "'branchs', expected one of .*correct its spelling"),
            ('{"default_retention_days": 7, "branches": {}}', "expected a list of rules"),
            ('{"default_retention_days": 7, "branches": [7]}', r"branches\[0\]: 7, expected a JSON object"),
            ('{"default_retention_days": 7, "branches": [{"retention_days": 1}]}', "branch_id is None"),
            ('{"default_retention_days": 7, "branches": [{"branch_id": ""}]}', "branch_id is ''"),
            ('{"default_retention_days": 7, "branches": [{"branch_id": "b"}]}', "'b': None, expected a whole number"),
            (
                '{"default_retention_days": 7, "branches": [' + ", ".join([TWICE] * 2) + "]}",
                "'b': expected one rule for a branch; leave one out",
            ),
        ],
    )
    def test_what_is_wrong_is_named_with_what_is_expected(self, text: str, says: str) -> None:
        with pytest.raises(InvalidRules, match=says):
            Rules.parse(text)

    @given(st.integers(0, 99), st.dictionaries(st.text(min_size=1), st.integers(0, 99), max_size=4))
    def test_reading_inverts_writing(self, default: int, days: dict[str, int]) -> None:
        rules = Rules(default, tuple((BranchID(name), each) for name, each in days.items()))
        assert Rules.parse(rules.encode()) == rules
        assert json.loads(rules.encode())["default_retention_days"] == default
