"""`lakeproof follows`: whether flows could have requested the effects of a log."""

from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lakeproof.commands.group import complain
from lakeproof.commands.options import from_option
from lakeproof.words import AS_EXPECTED, INCONCLUSIVE, VIOLATED

if TYPE_CHECKING:
    from lakeproof.scenario import Call

WINDOW: int = 32
"""With --parallel: so many effects of a client may be requested in another order."""


@click.command("follows")
@click.argument("log", metavar="LOG", type=click.Path(path_type=Path))
@click.option(
    "--flows", "name", required=True, metavar="SCENARIO", help="Whose clients make their calls, over and over."
)
@from_option
@click.option("--name", "renamed", multiple=True, metavar="A=B", help="Where a call has the argument A, the log has B.")
@click.option("--parallel", is_flag=True, help="A client may ask for several things at once, in any order.")
def command(log: Path, name: str, file: Path | None, renamed: tuple[str, ...], parallel: bool) -> int:
    """Check whether flows could have requested the effects of LOG, client by client.

    LOG: JSON Lines, as `replay --gate ... --log` writes it. Exit code 1 names the first effect that no flow would have
    requested; 3: a flow runs on without an effect.
    """
    from lakeproof.gate.acceptance import Refuted, accept
    from lakeproof.gate.effect_log import read
    from lakeproof.search.fence import Undecided
    from lakeproof.verify.isolation import isolate_code
    from lakeproof.verify.loader import Source, scenario_named
    from lakeproof.words import Unusable, plural

    source = Source(file)
    scenario = scenario_named(source.load([name]), name, str(log))
    clients = [_rename_calls(calls, renamed) for calls in scenario.clients]
    try:
        with isolate_code(scenario, source):
            found = list(accept(read(log), clients, scenario.start_time, WINDOW if parallel else 1))
    except Undecided as error:
        complain(f"{log}: {error}")
        return INCONCLUSIVE
    except Refuted as error:
        click.echo(f"{log}:{error.line}: {error}")
        return VIOLATED
    except Unusable as error:
        # Errors of the reader name the log already, those of flows do not.
        raise Unusable(str(error) if str(error).startswith(str(log)) else f"{log}: {error}") from None
    for each in found:
        within = f", and ends within {each.within}" if each.within else ""
        click.echo(f"{each.client}: {plural(each.effects, 'effect')}, {plural(each.calls, 'call')} done{within}")
    click.echo(f"followed: the flows of {name} could have requested this")
    return AS_EXPECTED


def _rename_calls(calls: "Sequence[Call]", renamed: Sequence[str]) -> "list[Call]":
    pairs = dict(each.split("=", 1) for each in renamed if "=" in each)
    if len(pairs) != len(renamed):  # one without = or an A that came twice
        raise click.UsageError(f"--name {' '.join(renamed)}: expected A=B, each A once")
    return [_with(call, [pairs.get(arg, arg) if isinstance(arg, str) else arg for arg in call.args]) for call in calls]


def _with(call: "Call", args: "Sequence[Hashable]") -> "Call":
    from lakeproof.scenario import Call

    return Call(call.flow, *args, attempts=call.attempts, **dict(call.options))
