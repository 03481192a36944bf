"""`lakeproof show`: one trace, for the terminal, for a browser, as a picture, or for other viewers."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from lakeproof.commands.options import seconds_option
from lakeproof.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakeproof.search.trace import Trace
    from lakeproof.show.pages.alternatives import Others

FORMATS: Final = ("text", "html", "mermaid", "svg", "json")
_BESIDE: Final = "beside the trace"


@click.command("show")
@click.argument("trace_file", metavar="TRACE", required=False, type=click.Path(path_type=Path))
@click.option("--lines", is_flag=True, help="Also show the line of the flow for each step (text).")
@click.option(
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    help="Print the trace as text, as a page for browsers, as a diagram or picture, or as JSON. [default: text]",
)
@click.option(
    "--html",
    "page",
    is_flag=False,
    flag_value=_BESIDE,
    metavar="[FILE]",
    help="Write a page for browsers: one file that loads nothing. [default: TRACE, ending in .html]",
)
@click.option(
    "--from",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The Python file with the scenario: html and json then have the other moves of each step.",
)
@click.option(
    "--needed",
    is_flag=True,
    help="Also find which faults the violation needs: drop each kind, search all schedules again (text, html, json).",
)
@seconds_option("--max-seconds", default=20.0, help_="With --needed: stop each search after S seconds.")
def command(
    trace_file: Path | None,
    lines: bool,
    format_: str | None,
    page: str | None,
    file: Path | None,
    needed: bool,
    max_seconds: float,
) -> None:
    """Show a trace as lanes: a column per client, a row per step, with the key and its change.

    Needs only the file, neither the flows nor the scenario. Only the moves that were possible instead of a step, which
    html and json list, and --needed are found with the scenario: that of the catalogue, or of --from.
    """
    from lakeproof.search.trace import read
    from lakeproof.show.lanes import show as show_lanes
    from lakeproof.show.pages.alternatives import of_trace
    from lakeproof.show.style import console
    from lakeproof.verify.needed_faults import in_words
    from lakeproof.verify.outputs import unwritable
    from lakeproof.words import replay_command

    if page is not None and format_ is not None:
        raise click.UsageError("--html writes a page, --format prints: give one of them")
    if lines and (page is not None or format_ not in (None, "text")):
        raise click.UsageError("--lines is for text: every other format but svg and mermaid has the lines anyway")
    if needed and page is None and format_ not in (None, "text", "html", "json"):
        raise click.UsageError(f"--needed is for text, html and json: leave it out of --format {format_}")
    if trace_file is None:
        if page in (None, _BESIDE):
            raise click.UsageError("Missing argument 'TRACE'")
        trace_file, page = Path(str(page)), _BESIDE  # `show --html TRACE`
    target = None if page is None else trace_file.with_suffix(".html") if page == _BESIDE else Path(page)
    # `--html TRACE` takes the trace for the page: it would be overwritten.
    if target is not None and (target.suffix == ".json" or target == trace_file):
        raise click.UsageError(f"--html {target}: that is the name of a trace; name a file such as page.html")
    trace = read(trace_file)
    code = partial(of_trace, trace, file, max_seconds if needed else None)
    replay = replay_command(trace_file, file or trace.file)  # a trace has the name of its file, not the folder
    if target is not None:
        try:
            write_whole(target, _render_trace(trace, "html", replay, code))
        except OSError as error:
            raise unwritable(target, error.strerror or str(error), "--html") from error
        click.echo(f"{target}: open it in a browser")
    elif format_ in (None, "text"):
        show_lanes(trace, console(), lines=lines)
        for line in in_words(code().faults or ()) if needed else ():
            click.echo(f"fault:    {line}")
    else:
        assert format_ is not None
        click.echo(_render_trace(trace, format_, replay, code), nl=False)


def _render_trace(trace: "Trace", format_: str, replay: str, code: "Callable[[], Others]") -> str:
    match format_:
        case "html":
            from lakeproof.show.pages.html import page

            return page(trace, replay, code())
        case "mermaid":
            from lakeproof.show.pages.mermaid import diagram

            return diagram(trace)
        case "svg":
            from lakeproof.show.pages.svg import picture

            return picture(trace)
        case _:
            import json

            from lakeproof.show.pages.trace_view import plain

            return json.dumps(plain(trace, replay, code()), indent=1) + "\n"
