"""The command ``stress``: real clients, all at once, on a store; and whether an order explains their answers."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

import click
import trio

from lakeproof.commands.traffic_options import chosen_of, traffic_options
from lakeproof.impl.stores import Store
from lakeproof.live.engine import Fault, Load, Workload, restarting, run_rounds
from lakeproof.live.judge import SETTINGS, SPURIOUS, HistoryReport
from lakeproof.live.report import Report
from lakeproof.live.traffic import Traffic
from lakeproof.stores import Target, target
from lakeproof.stores.child import ChildStore
from lakeproof.stores.pooled import KILL_CONNECTIONS, RESTART, Pooled
from lakeproof.stores.wrappers import answers
from lakeproof.words import Unusable, first_of, plural

FAULTS: Final = (KILL_CONNECTIONS, RESTART)


@click.command("stress")
@click.argument("dsn")
@click.option(
    "--keys", type=click.IntRange(1), default=8, show_default=True, metavar="N", help="Number of keys in each round."
)
@click.option("--faults", metavar="F[,F]", default="", help=f"Faults to inject: {', '.join(FAULTS)}. Default: none.")
@click.option(
    "--restart-with",
    metavar="COMMAND",
    help="Command that restarts the server. Required by the fault restart, except for exec: targets.",
)
@click.option("--flows", is_flag=True, help="Run lakeFS' flows on the store and check their invariants instead.")
@click.option(
    "--spurious-predicate-failures",
    "spurious",
    is_flag=True,
    help="A conditional write of this store may fail without a reason: take it for what did not happen, and no more.",
)
@traffic_options("out/stress", clients=16, least=1)
def command(
    dsn: str,
    clients: int,
    duration: float,
    keys: int,
    seed: int,
    faults: str,
    restart_with: str | None,
    flows: bool,
    spurious: bool,
    as_json: bool,
    html: Path | None,
    out: Path,
    timeout: float,
) -> int:
    """Run concurrent clients on a store, and check that the history is linearizable.

    DSN is memory:, sqlite:///FILE, postgresql://..., redis://..., or exec:COMMAND: see docs/targets.md. Only fresh
    partitions are used, and emptied afterwards. Exit code 1 for a violation, with the history and its evidence in DIR;
    3 if there were too few answers for a verdict, or none any more at the end.
    """
    if flows and spurious:
        raise Unusable("--spurious-predicate-failures: a matter of histories, and --flows judges none; leave one out")
    if flows and html is not None:
        raise Unusable("--html: --flows has no page; leave one out, or take --json")
    chosen = target(dsn, connections=clients, seconds=timeout)
    # Before the store is opened, which may take seconds.
    names = _faults(chosen, faults, restart_with)
    load = Load(clients=clients, keys=keys, seconds=duration, seed=seed, timeout=timeout)
    click.echo(f"{chosen.name}: seed {seed}, {plural(clients, 'client')}", err=as_json)
    if flows:
        from lakeproof.live.flows import IDS, FlowReport, Flows

        report: Report = FlowReport(IDS)
        made: MakeWorkload = lambda store, faults: Flows(load, store, faults)  # noqa: E731
    else:
        history = report = HistoryReport()
        settings = SPURIOUS if spurious else SETTINGS
        made = lambda store, faults: Traffic(load, store, faults, lambda each: history.judge(each, settings))  # noqa: E731
    trio.run(stress, chosen, report, made, names, restart_with)
    heads = {"store": chosen.name, "seed": seed, "clients": clients}
    return report.publish("stress", chosen.name, heads, out, as_json=as_json, html=html)


MakeWorkload = Callable[[Store, tuple[Fault, ...]], Workload]


def _faults(chosen: Target, faults: str, restart_with: str | None) -> tuple[str, ...]:
    found = chosen_of("--faults", faults, "fault", FAULTS)
    can = chosen.faults | ({RESTART} if restart_with else set())
    for fault in found:
        if fault not in can:
            repair = "say how with --restart-with" if fault == RESTART else "leave it out"
            has = ", ".join(sorted(can)) or "none"
            raise Unusable(f"--faults {fault}: not of {chosen.name}, which has {has}; {repair}")
    return found


def faults_of(store: Store, names: Iterable[str], restart_with: str | None) -> tuple[Fault, ...]:
    """The faults of these names, as functions."""
    own: dict[str, Fault] = {}
    if isinstance(store, Pooled):
        own[KILL_CONNECTIONS] = store.kill
    if isinstance(store, ChildStore):
        own[RESTART] = lambda rng: store.restart()
    # A command of the user takes the place of the restart that a store has itself.
    if restart_with:
        own[RESTART] = restarting(restart_with)
    return tuple(own[name] for name in names)


async def stress(
    chosen: Target,
    report: Report,
    make: MakeWorkload,
    names: Iterable[str] = (),
    restart_with: str | None = None,
) -> None:
    """Rounds on a store. Raises Unusable."""
    try:
        async with chosen.open() as store:
            workload = make(store, faults_of(store, names, restart_with))
            workload.tally, workload.left = report.tally, report.left
            await answers(store, workload.load.timeout)  # a store may take its time to start
            await run_rounds(workload, report)
    except BaseExceptionGroup as group:
        raise first_of(group) from None
