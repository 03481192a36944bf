"""The command ``service``: clients on a running lakeFS, what they were told, and whether it can be right."""

import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Final

import attrs
import click
import trio

from lakeproof.commands.group import AS_EXPECTED, INCONCLUSIVE, VIOLATED
from lakeproof.commands.options import Seconds
from lakeproof.model.invariants import Violation
from lakeproof.report.style import plural, seconds
from lakeproof.running.tasks import Unusable
from lakeproof.services.api import LakeFS, address, sdk, visible
from lakeproof.services.calls import lines
from lakeproof.services.driving import FIRST_SECONDS, FOUNDED, LONGEST_SECONDS, WAIT_SECONDS, Round, Traffic
from lakeproof.services.judging import IDS, judge_entries, judge_founded, judge_repositories
from lakeproof.services.presence import Judgement
from lakeproof.services.stand_in import BUGS, DOUBTFUL
from lakeproof.targets.answers import VERDICTS, counted, first_of, per_invariant, tallied
from lakeproof.targets.options import json_option, out_option, seconds_option, seed_option, timeout_option
from lakeproof.targets.traffic import Load, Tally

STAND_IN: Final = "stand-in:"
SEED_END: Final = 1 << 32
EVIDENCE_SHOWN_MAX: Final = 5
UNJUDGED_MAX: Final = 3
"""Rounds, one after the other: more would not be judged either."""


@attrs.define
class Served:
    """What came of a run: how often each invariant was put to the test, and the round that violates some."""

    rounds: int = 0
    seconds: float = 0.0
    calls: int = 0
    reached: Counter[str] = attrs.field(factory=Counter)
    violations: list[Violation] = attrs.field(factory=list)
    last: Round | None = None
    unread: list[str] = attrs.field(factory=list)
    tally: Tally = attrs.field(factory=Tally)
    left: list[str] = attrs.field(factory=list)

    @property
    def missing(self) -> list[str]:
        """Invariants that were never put to the test."""
        return [name for name in IDS if not self.reached[name]]

    @property
    def code(self) -> int:
        if self.violations:
            return VIOLATED
        return INCONCLUSIVE if self.missing or self.unread else AS_EXPECTED

    def verdict(self, name: str) -> str:
        """Of an invariant: what is known of rounds that could not be judged is nothing."""
        if any(violation.invariant == name for violation in self.violations):
            return "violated"
        return "holds" if self.reached[name] and not self.unread else "inconclusive"

    def judge(self, made: Round) -> None:
        """Take in a round."""
        self.rounds += 1
        self.seconds += max(made.seconds, 0.001)
        self.calls += len(made.entries) + len(made.repositories)
        self.last = made
        if made.unread:
            self.unread.append(made.unread)
            return
        self._note(judge_founded(made.names.lake, FOUNDED, made.held))
        self._note(judge_entries(made.entries, made.held))
        self._note(judge_repositories(made.repositories, made.last))

    def _note(self, judgements: Iterator[Judgement]) -> None:
        for name, finding in judgements:
            if isinstance(finding, Violation):
                self.violations.append(attrs.evolve(finding, invariant=name))
            else:
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
@click.option("--keep", is_flag=True, help="Do not delete the repositories of the run.")
@json_option
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
    keep: bool,
    as_json: bool,
    out: Path,
    timeout: float,
    wait: float,
) -> int:
    """Run concurrent clients on a lakeFS server, and check its answers.

    DSN is lakefs+http://KEY:SECRET@HOST:PORT or lakefs+https://..., or stand-in: for a built-in server, stand-in:NAME
    for one with a planted bug: see docs/services.md. Only fresh repositories are used, and deleted afterwards. Exit
    code 1 for a violation, with the history and its evidence in DIR; 3 if an invariant was never tested, or a round
    could not be judged.
    """
    seed = random.randrange(SEED_END) if seed is None else seed
    load = Load(clients=clients, seconds=duration, seed=seed, timeout=timeout)
    with ExitStack() as stack:
        if dsn.startswith(STAND_IN):
            dsn = stack.enter_context(_stand_in(dsn, seed))
            storage_namespace = storage_namespace or "mem://lakeproof"
        at = address(dsn)
        if storage_namespace is None:
            raise Unusable(f"{at.name}: say where the data may go with --storage-namespace, as in local://lakeproof")
        service = LakeFS(at, timeout=timeout, connections=clients)
        version = trio.run(_greeted, service, at.name, 2 * timeout)
        click.echo(f"{at.name}: lakeFS {version}, seed {seed}, {plural(clients, 'client')}", err=as_json)
        traffic = Traffic(service, load, storage_namespace, keep, wait, _note)
        done = trio.run(drive, traffic)
    if not as_json:
        for line in _told(done):
            click.echo(visible(line))
    written = list(_written(done, out)) if done.violations else []
    if as_json:
        click.echo(json.dumps({"service": at.name, "version": version, **_object(load, done, written)}))
    else:
        for path in written:
            click.echo(f"written to {path}")
    click.echo(_closing(done, seed), err=as_json)
    return done.code


def _stand_in(dsn: str, seed: int) -> AbstractContextManager[str]:
    bug = dsn.removeprefix(STAND_IN)
    if bug and bug not in {*BUGS, DOUBTFUL}:
        raise Unusable(f"{dsn}: no such bug; expected {STAND_IN} alone, or with one of {DOUBTFUL}, {', '.join(BUGS)}")
    sdk(dsn)
    from lakeproof.services.stand_in_http import stand_in

    return stand_in(bug, seed)


async def _greeted(service: LakeFS, name: str, most: float) -> str:
    """The version. A name that is looked up, or has many addresses, may take longer than an answer. Raises Unusable."""
    with trio.move_on_after(most):
        return await trio.to_thread.run_sync(service.greet, abandon_on_cancel=True)
    raise Unusable(f"{name}: cannot be reached within {most:g} s; is it running there?")


def _note(words: str) -> None:
    click.echo(f"service: {words}", err=True)


async def drive(traffic: Traffic) -> Served:
    """Rounds of traffic until the time is up or an invariant is violated. Raises Unusable."""
    done, length, unjudged = Served(tally=traffic.tally, left=traffic.left), FIRST_SECONDS, 0
    try:
        while not (done.violations or traffic.gone or unjudged == UNJUDGED_MAX) and done.seconds < traffic.load.seconds:
            made = await traffic.round(min(length, traffic.load.seconds - done.seconds))
            length = min(2 * length, LONGEST_SECONDS)
            done.judge(made)
            calls = plural(len(made.entries) + len(made.repositories), "call")
            how = "violated" if done.violations else f"not judged: {made.unread}" if made.unread else "holds"
            _note(f"round {made.number}: {calls} in {seconds(made.seconds)} s: {how}")
            unjudged = unjudged + 1 if made.unread else 0
        await traffic.finish()
    except BaseExceptionGroup as group:
        raise first_of(group) from None
    return done


def _object(load: Load, done: Served, written: Sequence[Path]) -> dict[str, object]:
    return {
        "seed": load.seed,
        "clients": load.clients,
        "verdict": VERDICTS[done.code],
        "rounds": done.rounds,
        "seconds": round(done.seconds, 3),
        "calls": done.calls,
        "invariants": [
            {**one, "verdict": done.verdict(str(one["invariant"]))}
            for one in per_invariant(IDS, done.reached, done.violations)
        ],
        **counted(done.tally),
        "unread": dict(Counter(done.unread).most_common()),
        "left": done.left,
        "written": list(map(str, written)),
    }


def _told(done: Served) -> Iterator[str]:
    yield f"{plural(done.rounds, 'round')}, {seconds(done.seconds)} s, {plural(done.calls, 'call')}"
    yield from tallied(done.tally, list(dict.fromkeys(name for name, _ in sorted(done.tally.answers))))
    for name in IDS:
        verdict = done.verdict(name)
        if verdict == "inconclusive" and not done.reached[name]:
            verdict = "not put to the test"
        yield f"  {name:<30}{done.reached[name]:>7,} checks  {verdict}"
    for words, count in Counter(done.unread).most_common():
        yield f"  {plural(count, 'round')} not judged: {words}"
    for name in done.left:
        yield f"  left behind: repository {name}"
    for violation in done.violations[:EVIDENCE_SHOWN_MAX]:
        yield f"{violation.invariant}: {violation.evidence}"
    if len(done.violations) > EVIDENCE_SHOWN_MAX:
        yield f"and {len(done.violations) - EVIDENCE_SHOWN_MAX:,} more"


def _written(done: Served, folder: Path) -> Iterator[Path]:
    assert done.last is not None
    folder.mkdir(parents=True, exist_ok=True)
    files = {
        "evidence.txt": [f"{violation.invariant}: {violation.evidence}" for violation in done.violations],
        "history.jsonl": list(lines([*done.last.entries, *done.last.repositories])),
        "held.txt": list(_held(done.last)),
    }
    for name, told in files.items():
        path = folder / name
        path.write_text("".join(f"{visible(line)}\n" for line in told), encoding="utf-8")
        yield path


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
    broken = sorted({violation.invariant for violation in done.violations})
    if broken:
        return f"VIOLATED: {', '.join(broken)} (seed {seed})"
    open_ = [f"{len(done.unread):,} of {plural(done.rounds, 'round')} not judged"] if done.unread else []
    if done.missing:
        open_.append(f"not put to the test: {', '.join(done.missing)}")
    if open_:
        return f"INCONCLUSIVE: {'; '.join(open_)} (seed {seed})"
    return f"HOLDS: {plural(len(IDS), 'invariant')} (seed {seed})"
