"""Kinds of values that options of several commands take."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Final

import click

FORMATS: Final = ("junit", "github", "sarif", "markdown")
"""How verdicts are printed for other tools, besides `--json`."""


class _Seconds(click.FloatRange):
    """A time that comes to an end, and has not ended already."""

    name = "seconds"

    def __init__(self) -> None:
        super().__init__(min=0, min_open=True)

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            number = float(str(value))
        except ValueError:
            number = math.nan  # fails the comparison below
        if not 0 < number < math.inf:  # no comparison with NaN is true
            expected = "expected seconds, a number greater than 0 and finite; write one such as 30"
            self.fail(f"{value!r}: {expected}", param, ctx)
        return number


Seconds: Final = _Seconds()
"""Refuses NaN and infinity, which no clock ever passes, and what is not greater than 0."""


from_option: Final = click.option(
    "--from", "file", type=click.Path(path_type=Path), metavar="FILE", help="Load scenarios from a Python file."
)
fail_option: Final = click.option(
    "--fail", type=click.Choice(["did-not-happen", "predicate-false"]), help="Meaning of a failed conditional write."
)
nil_option: Final = click.option(
    "--nil",
    type=click.Choice(["nothing", "unrecorded"]),
    help="Meaning of a read of nil: no value, or a value that was not recorded.",
)
order_option: Final = click.option(
    "--order", type=click.Choice(["file", "time"]), help="Order events by line or by timestamp."
)


def seconds_option(*names: str, default: float, help_: str) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """An option for a time."""
    return click.option(*names, type=Seconds, default=default, show_default=True, metavar="S", help=help_)


def reports_of(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> tuple[tuple[str, Path], ...]:
    """Each ``FORMAT=FILE`` as the format and the file. Raises BadParameter: it is none, or two go to one file."""
    found: list[tuple[str, Path]] = []
    for each in given:
        format_, _, file = each.partition("=")
        if format_ not in ("json", *FORMATS) or not file:
            expected = f"expected FORMAT=FILE, with a format of {', '.join(('json', *FORMATS))}"
            raise click.BadParameter(f"{each!r}: {expected}; write one such as json=verdicts.jsonl", ctx, param)
        # The second report would overwrite the first one.
        if Path(file) in [path for _, path in found]:
            raise click.BadParameter(f"two reports go to {file}; name two files", ctx, param)
        found.append((format_, Path(file)))
    return tuple(found)
