"""Kinds of values that options of several commands take."""

import math
from typing import Final

import click


class _Seconds(click.FloatRange):
    """A time that comes to an end, and has not ended already."""

    name = "seconds"

    def __init__(self) -> None:
        super().__init__(min=0, min_open=True)

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            number = float(str(value))
        except ValueError:
            number = math.nan
        if not 0 < number < math.inf:  # no comparison with NaN is true
            expected = "expected seconds, a number greater than 0 and finite; write one such as 30"
            self.fail(f"{value!r}: {expected}", param, ctx)
        return number


Seconds: Final = _Seconds()
"""Refuses NaN and infinity, which no clock ever passes, and what is not greater than 0."""
