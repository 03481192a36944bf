"""Values of options that no run can honour are refused before it begins."""

import click
import pytest

from lakeproof.commands.options import Seconds
from tests.commands import complaint, lakeproof

ENDLESS = ["nan", "-nan", "inf", "Infinity", "1e999", "-inf", "0", "-0.0", "-1", "1e-999", "ten", ""]
TIMES = [
    ("check", "history", "--max-seconds"),
    ("service", "lakefs+http://k:s@h", "--seconds"),
    ("service", "lakefs+http://k:s@h", "--timeout"),
    ("service", "lakefs+http://k:s@h", "--wait"),
    ("spark", "histories", "history", "--max-seconds"),
    ("spark", "explore", "--max-seconds"),
]


@pytest.mark.parametrize("value", ENDLESS)
def test_a_time_that_never_ends_or_has_ended_is_refused(value: str) -> None:
    with pytest.raises(click.BadParameter, match="expected seconds, a number greater than 0 and finite"):
        Seconds.convert(value, None, None)


@pytest.mark.parametrize("command", TIMES, ids=" ".join)
def test_each_command_refuses_it_in_one_line(command: tuple[str, ...]) -> None:
    assert f"'{command[-1]}': 'nan': expected seconds" in complaint(lakeproof(*command, "nan"))
