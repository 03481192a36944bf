"""The command ``service``: clients on a running lakeFS, what they were told, and whether it can be right."""

import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

import attrs
import click
import trio

from lakeproof.commands.options import Seconds
from lakeproof.commands.traffic_options import json_option, out_option, seconds_option, seed_option, timeout_option
from lakeproof.live.answers import Outcome
from lakeproof.live.lakefs.api import LakeFS, address, visible
from lakeproof.live.lakefs.calls import lines
from lakeproof.live.lakefs.final_state import Round
from lakeproof.live.lakefs.judge import NOTHING_KNOWN, judge_entries, judge_founded, judge_repositories
from lakeproof.live.lakefs.known_issues import CAUSES, Excused, Judged, Known, NotJudged, known_of
from lakeproof.live.lakefs.promises import IDS, IMPORTED_WHOLE
from lakeproof.live.lakefs.rounds import FIRST_SECONDS, LONGEST_SECONDS, WAIT_SECONDS, Traffic
from lakeproof.live.lakefs.workload import FOUNDED, OF_ENTRIES, focused
from lakeproof.live.report import Report, evidence
from lakeproof.live.restart import restarting
from lakeproof.live.traffic import Load
from lakeproof.model.invariants import Reached, Violation
from lakeproof.show.pages.runs import html_option
from lakeproof.words import Unusable, first_of, plural, seconds

SEED_END: Final = 1 << 32
UNJUDGED_MAX: Final = 3
"""Rounds, one after the other: more would not be judged either."""


@attrs.define
class Served(Outcome):
    """What came of a run, and the first round that violates an invariant."""

    asked: tuple[str, ...] = IDS
    last: Round | None = None
    worst: Round | None = None
    known: Known = NOTHING_KNOWN
    """What is set aside."""
    aside: Counter[str] = attrs.field(factory=Counter)
    """By cause, how many names and paths it has explained."""

    def judge(self, made: Round) -> None:
        """Take in a round."""
        self.rounds += 1
        self.seconds += max(made.seconds, 0.001)
        self.last = made
        if made.unread:
            self.unread.append(made.unread)
            return
        known = attrs.evolve(self.known, asked=frozenset(self.asked))
        judgements = [
            *judge_founded(made.names.lake, FOUNDED, made.held),
            *judge_entries(made.entries, made.held, known),
            *judge_repositories(made.repositories, made.last, known),
        ]
        asked = [(name, finding) for name, finding in judgements if name in self.asked]
        self._note(asked)
        self.unread += [finding.why for _, finding in asked if isinstance(finding, NotJudged)][:1]
        if self.violations and self.worst is None:
            self.worst = made

    def _note(self, judgements: Iterable[Judged]) -> None:
        for name, finding in judgements:
            if isinstance(finding, Excused):
                self.aside[finding.cause] += 1
            elif isinstance(finding, Violation):
                self.violations.append(attrs.evolve(finding, invariant=name))
            elif isinstance(finding, Reached):
                self.reached[name] += 1


@click.command("service")
@click.argument("dsn")
@click.option(
    "--clients", type=click.IntRange(2), default=8, show_default=True, metavar="N", help="Number of concurrent clients."
)
@seconds_option
@seed_option
@click.option(
    "--storage-namespace",
    metavar="URI",
    help="Storage namespace for the repositories of the run, such as local://lakeproof or s3://BUCKET/lakeproof.",
)
@click.option(
    "--import-from",
    default="",
    metavar="URI,...",
    help="Prefixes of the object store, outside the storage namespace, that imports read. None: no imports.",
)
@click.option("--keep", is_flag=True, help="Do not delete the repositories of the run.")
@click.option("--only", metavar="ID,...", help="Judge only these invariants.")
@click.option("--except", "spared", metavar="ID,...", help="Judge all invariants but these.")
@click.option("--keep-going", is_flag=True, help="Do not stop at the first violation.")
@click.option("--known", default="", metavar="CAUSE,...", help=f"Set known causes aside: {', '.join(CAUSES)}.")
@click.option("--focus", default="", metavar="KIND,...", help="Make these kinds of calls eight times as often.")
@click.option("--rounds", type=click.IntRange(1), metavar="N", help="End after so many rounds, if not before.")
@click.option("--restart-with", metavar="COMMAND", help="Command that restarts the server, run once in every round.")
@json_option
@html_option
@out_option("out/service")
@timeout_option
@click.option(
    "--wait",
    type=Seconds,
    default=WAIT_SECONDS,
    show_default=True,
    metavar="S",
    help="Time to wait for an unavailable service.",
)
def command(
    dsn: str,
    clients: int,
    duration: float,
    seed: int | None,
    storage_namespace: str | None,
    import_from: str,
    keep: bool,
    only: str | None,
    spared: str | None,
    keep_going: bool,
    known: str,
    focus: str,
    rounds: int | None,
    restart_with: str | None,
    as_json: bool,
    html: Path | None,
    out: Path,
    timeout: float,
    wait: float,
) -> int:
    """Run concurrent clients on a lakeFS server, and check its answers.

    DSN is lakefs+http://KEY:SECRET@HOST:PORT[,HOST:PORT...] or lakefs+https://...: see docs/services.md. Only fresh
    repositories are used, and deleted afterwards. Exit code 1 for a violation, with the history and its evidence in
    DIR; 3 if an invariant was never tested, or a round could not be judged.
    """
    sources = _sources(import_from)
    plan = Plan(_asked(only, spared, imports=bool(sources)), keep_going, known_of(known), rounds)
    often = _focused(focus)
    restart = restarting(restart_with) if restart_with is not None else None
    seed = random.randrange(SEED_END) if seed is None else seed
    load = Load(clients=clients, seconds=duration, seed=seed, timeout=timeout)
    at = address(dsn)
    if storage_namespace is None:
        raise Unusable(f"{at.name}: say where the data may go with --storage-namespace, as in local://lakeproof")
    service = LakeFS(at, timeout=timeout, connections=clients)
    version = trio.run(_greeted, service, at.name, 2 * timeout)
    click.echo(f"{at.name}: lakeFS {version}, seed {seed}, {plural(clients, 'client')}", err=as_json)
    traffic = Traffic(service, load, storage_namespace, keep, wait, _note)
    traffic.restart, traffic.settle, traffic.sources = restart, plan.known.settle, sources
    traffic.often = often
    done = trio.run(drive, traffic, plan)
    aside = [f"  set aside, {cause}: {plural(done.aside[cause], 'time')}" for cause in sorted(done.known.causes)]
    Report(
        kind="service",
        subject=at.name,
        told=map(visible, done.lines(*aside, left="repository")),
        found={
            "service": at.name,
            "version": version,
            "seed": seed,
            "clients": clients,
            **done.as_object(),
            "known": dict(sorted(done.aside.items())),
        },
        files=_files(done) if done.violations else {},
        closing=_closing(done, seed),
        evidence=list(evidence(done.violations)),
    ).give(out, as_json=as_json, html=html)
    return done.code


async def _greeted(service: LakeFS, name: str, most: float) -> str:
    """The version. A name that is looked up, or has many addresses, may take longer than an answer. Raises Unusable."""
    with trio.move_on_after(most):
        return await trio.to_thread.run_sync(service.greet, abandon_on_cancel=True)
    raise Unusable(f"{name}: cannot be reached within {most:g} s; is it running there?")


def _note(words: str) -> None:
    click.echo(f"service: {words}", err=True)


def _sources(text: str) -> tuple[str, ...]:
    """The prefixes of ``URI,...``. Raises Unusable."""
    found = tuple(filter(None, (each.strip() for each in text.split(","))))
    if bad := next((each for each in found if not all(each.partition("://"))), None):
        raise Unusable(f"--import-from {bad}: no address of objects; expected URI,..., as in s3://BUCKET/incoming/")
    return found


def _focused(text: str) -> Mapping[str, int]:
    """Frequencies of the kinds of calls, for ``KIND,...``. Raises Unusable."""
    kinds = {each.strip() for each in text.split(",")} - {""}
    if unknown := sorted(kinds - set(OF_ENTRIES)):
        raise Unusable(f"--focus {unknown[0]}: no such kind of call; expected some of {', '.join(OF_ENTRIES)}")
    return focused(kinds)


def _asked(only: str | None, spared: str | None, *, imports: bool) -> tuple[str, ...]:
    """The ids to judge, in their order. Raises Unusable: there is no such id, or none is left."""
    without = frozenset() if imports else frozenset({IMPORTED_WHOLE})
    chosen = set(IDS) - without if only is None else {each.strip() for each in only.split(",")}
    left_out = set() if spared is None else {each.strip() for each in spared.split(",")}
    if unknown := sorted((chosen | left_out) - set(IDS)):
        raise Unusable(f"{unknown[0]!r}: no such invariant; expected one of {', '.join(IDS)}")
    if chosen & without:
        raise Unusable(f"--only {IMPORTED_WHOLE}: nothing is imported; name what to import with --import-from")
    asked = tuple(each for each in IDS if each in chosen - left_out)
    if not asked:
        raise Unusable("--only and --except leave no invariant to judge; name fewer with --except")
    return asked


@attrs.frozen
class Plan:
    """What a run judges, and when it ends. rounds: so many at most; None: as many as there is time for. calls: of a
    round, about, whatever time it takes; None: rounds are measured in time."""

    asked: tuple[str, ...] = IDS
    keep_going: bool = False
    known: Known = NOTHING_KNOWN
    rounds: int | None = None
    calls: int | None = None


async def drive(traffic: Traffic, plan: Plan = Plan()) -> Served:  # frozen
    """Rounds of traffic until the time is up, or, unless it is to go on, an invariant is violated. Raises Unusable."""
    done = Served(asked=plan.asked, known=plan.known, tally=traffic.tally, left=traffic.left)
    length, unjudged = FIRST_SECONDS, 0
    try:
        while (
            (plan.keep_going or not done.violations)
            and not (traffic.gone or unjudged == UNJUDGED_MAX or done.rounds == plan.rounds)
            and done.seconds < traffic.load.seconds
        ):
            if plan.calls is not None:
                made = await traffic.round(math.inf, plan.calls)
            else:
                made = await traffic.round(min(length, traffic.load.seconds - done.seconds))
            length = min(2 * length, LONGEST_SECONDS)
            before = len(done.violations)
            done.judge(made)
            calls = plural(len(made.entries) + len(made.repositories), "call")
            unread = f"not judged: {made.unread}" if made.unread else "holds"
            how = "violated" if len(done.violations) > before else unread
            _note(f"round {made.number}: {calls} in {seconds(made.seconds)} s: {how}")
            unjudged = unjudged + 1 if made.unread else 0
        await traffic.finish()
    except BaseExceptionGroup as group:
        raise first_of(group) from None
    return done


def _files(done: Served) -> dict[str, Iterator[str]]:
    assert done.worst is not None
    files = {
        "evidence.txt": evidence(done.violations, None),
        "history.jsonl": lines([*done.worst.entries, *done.worst.repositories]),
        "held.txt": _held(done.worst),
    }
    return {name: map(visible, told) for name, told in files.items()}


def _held(made: Round) -> Iterator[str]:
    """What the service held in the end."""
    for branch, content in sorted(made.held.branches.items()):
        yield f"{made.names.lake} branch {branch}: {dict(sorted(content.items()))}"
        yield f"{made.names.lake} branch {branch}, commits, newest first: {list(made.held.logs[branch])}"
    for commit_id, content in made.held.commits.items():
        yield f"{made.names.lake} commit {commit_id}: {dict(sorted(content.items()))}"
    for name, last in sorted(made.last.items()):
        yield f"{name} in {last.life}: branches {sorted(last.branches)}, paths {sorted(last.paths)}"


def _closing(done: Served, seed: int) -> str:
    rest = f" of {len(IDS)}" if len(done.asked) < len(IDS) else ""
    aside = [f"{cause} {count:,}" for cause, count in sorted(done.aside.items())]
    but = f"; set aside: {', '.join(aside)}" if aside else ""
    return done.closing(seed, f"{plural(len(done.asked), 'invariant')}{rest}{but}")
