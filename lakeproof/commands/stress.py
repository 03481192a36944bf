"""The command ``stress``: real clients, all at once, on a store; and whether what they were told can be explained."""

import random
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import attrs
import click
import trio

from lakeproof.commands.traffic_options import json_option, out_option, seconds_option, seed_option, timeout_option
from lakeproof.histories.evidence import as_object, plain
from lakeproof.impl.stores import Store
from lakeproof.live.answers import counted, tallied
from lakeproof.live.judge import SETTINGS, SPURIOUS, Judged, judge
from lakeproof.live.report import Report
from lakeproof.live.restart import restarting
from lakeproof.live.traffic import FIRST_SECONDS, Fault, Killable, Load, Restartable, Tally, Traffic
from lakeproof.model import kv
from lakeproof.model.linearizability.history import Settings
from lakeproof.model.linearizability.problem import Verdict
from lakeproof.show.pages.runs import html_option
from lakeproof.stores import Target, target
from lakeproof.stores.pooled import KILL_CONNECTIONS, RESTART
from lakeproof.words import AS_EXPECTED, INCONCLUSIVE, VIOLATED, Unusable, first_of, plural, seconds

FAULTS: Final = (KILL_CONNECTIONS, RESTART)
SEED_END: Final = 1 << 32
LEAST: Final = 10
"""So many writes and reads must have been answered for a verdict."""


@attrs.define
class Stressed:
    """What came of a run: the worst verdict, and the round that shows it."""

    verdict: Verdict = Verdict.HOLDS
    rounds: int = 0
    seconds: float = 0.0
    judged: Judged | None = None
    tally: Tally = attrs.field(factory=Tally)
    left: list[bytes] = attrs.field(factory=list)
    gone: bool = False
    """At the end the store did not answer any more: what it would have done is not known."""


@click.command("stress")
@click.argument("dsn")
@click.option(
    "--clients",
    type=click.IntRange(1),
    default=16,
    show_default=True,
    metavar="N",
    help="Number of concurrent clients.",
)
@seconds_option
@click.option(
    "--keys", type=click.IntRange(1), default=8, show_default=True, metavar="N", help="Number of keys in each round."
)
@seed_option
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
@json_option
@html_option
@out_option("out/stress")
@timeout_option
def command(
    dsn: str,
    clients: int,
    duration: float,
    keys: int,
    seed: int | None,
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
    asked = _faults(chosen, faults, restart_with)
    seed = random.randrange(SEED_END) if seed is None else seed
    load = Load(clients=clients, keys=keys, seconds=duration, seed=seed, timeout=timeout)
    click.echo(f"{chosen.name}: seed {seed}, {plural(clients, 'client')}", err=as_json)
    if flows:
        from lakeproof.live.flow_report import report

        return report(chosen, load, lambda store: disturbances(store, asked, restart_with), out, as_json=as_json)
    done = trio.run(stress, chosen, load, asked, restart_with, SPURIOUS if spurious else SETTINGS)
    judged = done.judged
    Report(
        kind="stress",
        subject=chosen.name,
        told=_told(done),
        found=_object(chosen.name, load, done),
        files=judged.files if judged is not None and done.verdict is Verdict.VIOLATED else {},
        closing=_closing(done, seed),
        evidence=[] if judged is None else judged.told,
    ).give(out, as_json=as_json, html=html)
    return {Verdict.HOLDS: AS_EXPECTED, Verdict.VIOLATED: VIOLATED, Verdict.INCONCLUSIVE: INCONCLUSIVE}[done.verdict]


def _faults(chosen: Target, faults: str, restart_with: str | None) -> tuple[str, ...]:
    asked = tuple(word.strip() for word in faults.split(",") if word.strip())
    can = chosen.faults | ({RESTART} if restart_with else set())
    for fault in asked:
        if fault not in FAULTS:
            raise Unusable(f"--faults {fault}: no such fault; expected some of {', '.join(FAULTS)}")
        if fault not in can:
            repair = "say how with --restart-with" if fault == RESTART else "leave it out"
            raise Unusable(f"--faults {fault}: not of {chosen.name}, which has {_any(can)}; {repair}")
    return asked


def _any(words: Iterable[str]) -> str:
    return ", ".join(sorted(words)) or "none"


def disturbances(store: Store, asked: Iterable[str], restart_with: str | None) -> tuple[Fault, ...]:
    """The faults that were asked for, as functions."""
    made: list[Fault] = []
    for fault in asked:
        if fault == KILL_CONNECTIONS:
            assert isinstance(store, Killable)
            made.append(store.kill)
        elif restart_with:
            made.append(restarting(restart_with))
        else:
            assert isinstance(store, Restartable)
            made.append(_restarted(store))
    return tuple(made)


def _restarted(store: Restartable) -> Fault:
    async def restart(rng: random.Random) -> str:
        return await store.restart()

    return restart


async def stress(
    chosen: Target,
    load: Load,
    asked: Iterable[str] = (),
    restart_with: str | None = None,
    settings: Settings = SETTINGS,
) -> Stressed:
    """Rounds of traffic until the time is up or one cannot be explained. Raises Unusable."""
    done, length = Stressed(), FIRST_SECONDS
    try:
        async with chosen.open() as store:
            traffic = Traffic(store, load, disturbances(store, asked, restart_with), done.tally, done.left)
            await _awake(store, load.timeout)
            while done.verdict is not Verdict.VIOLATED and done.seconds < load.seconds:
                made = await traffic.round(min(length, load.seconds - done.seconds))
                length *= 2
                done.rounds += 1
                done.seconds += max(made.seconds, 0.001)
                judged = judge(made, settings)
                if judged.verdict is not Verdict.HOLDS:
                    done.verdict, done.judged = judged.verdict, judged
                operations = plural(len(made.recorder.rows), "operation")
                told = f"round {made.number}: {operations} in {seconds(made.seconds)} s: {judged.verdict.value}"
                click.echo(f"stress: {told}", err=True)
                done.gone = made.silent or made.gone
                if made.silent:
                    break  # it is gone, or never was a store: more rounds would only wait
    except BaseExceptionGroup as group:
        raise first_of(group) from None
    tally = done.tally
    few = min(tally.ok("set", "set_if"), tally.ok("get")) < LEAST
    if done.verdict is Verdict.HOLDS and (few or done.gone):
        done.verdict = Verdict.INCONCLUSIVE
    return done


async def _awake(store: Store, most: float) -> None:
    """Wait for a first answer, whatever it is: a store may take its time to start."""
    with trio.move_on_after(most), suppress(kv.KVError):
        await store.perform(kv.Get(b"lakeproof", b"awake"))


def _object(store: str, load: Load, done: Stressed) -> dict[str, object]:
    judged = done.judged
    return {
        "store": store,
        "seed": load.seed,
        "clients": load.clients,
        "verdict": done.verdict.value,
        "why": "; ".join(_open(done)) if done.verdict is Verdict.INCONCLUSIVE else "",
        "rounds": done.rounds,
        "seconds": round(done.seconds, 3),
        **counted(done.tally),
        "left": [partition.decode() for partition in done.left],
        "malformed": [] if judged is None else judged.malformed,
        "evidence": [] if judged is None else [{"key": plain(one.key), **as_object(one)} for one in judged.evidence],
    }


def _told(done: Stressed) -> Iterable[str]:
    yield f"{plural(done.rounds, 'round')}, {seconds(done.seconds)} s, {plural(done.tally.total, 'operation')}"
    yield from tallied(done.tally, ("get", "set", "set_if", "delete", "scan"))
    for partition in done.left:
        yield f"  left behind: keys in partition {partition.decode()}"
    if done.judged is not None:
        yield from done.judged.told


def _closing(done: Stressed, seed: int) -> str:
    if done.verdict is Verdict.VIOLATED:
        return f"VIOLATED: round {done.rounds} is not linearizable (seed {seed})"
    if done.verdict is Verdict.HOLDS:
        return f"HOLDS: {plural(done.rounds, 'round')}, every key linearizable (seed {seed})"
    return f"INCONCLUSIVE: {next(_open(done))} (seed {seed})"


def _open(done: Stressed) -> Iterator[str]:
    """Why there is no verdict, and of which keys."""
    if done.judged is not None:
        yield "not every key could be judged"
        yield from done.judged.told
    elif done.gone and done.tally.ok("get"):
        yield f"in round {done.rounds} the store stopped answering; what it had answered until then is linearizable"
    else:
        yield "hardly anything was answered"
