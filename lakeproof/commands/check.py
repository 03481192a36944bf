"""The command ``check``: is a recorded history linearizable, and if not, what shows it."""

import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

import attrs
import click

from lakeproof.commands.group import complain
from lakeproof.commands.options import Seconds, fail_option, nil_option, order_option
from lakeproof.files import write_whole
from lakeproof.histories import DEFAULTS, FORMATS, TooLarge, Unreadable, detect, open_history, read
from lakeproof.histories.evidence import (
    as_history,
    as_object,
    by_algorithm,
    history_name,
    plain,
    story,
    value,
    verdict_of_keys,
)
from lakeproof.histories.model_fit import hint, misfit, without_observation
from lakeproof.model.linearizability.checker import KeyVerdict, Limits, check, parts
from lakeproof.model.linearizability.evidence import Evidence, explain
from lakeproof.model.linearizability.history import BrokenHistory, History
from lakeproof.model.linearizability.problem import Verdict
from lakeproof.model.linearizability.specifications import ALL, Specification, initial, specification_of
from lakeproof.model.linearizability.values import UNKNOWN, freeze, shorten_value
from lakeproof.plain_json import decode
from lakeproof.verify.machine import rare_collections
from lakeproof.verify.outputs import unwritable
from lakeproof.words import AS_EXPECTED, INCONCLUSIVE, UNUSABLE, VIOLATED, Unusable, plural, reason, seconds

_LISTED: Final = 10
_NONE_OBSERVED: Final = "nothing was observed: no value was read, and no condition met or refused"
_LEAST_MEMORY: Final = 64 << 20


@click.command("check")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--format",
    "format_",
    type=click.Choice(list(FORMATS)),
    help="Format of FILE. Default: recognised from its content.",
)
@click.option("--model", type=click.Choice(list(ALL)), help="Specification. Default: the smallest with all operations.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per key.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write minimal non-linearizable sub-histories to this folder.",
)
@fail_option
@nil_option
@click.option("--initial", "begin", metavar="JSON", help="Initial value of each key. Default: no value.")
@order_option
@click.option("--ties", type=click.Choice(["calls", "returns"]), help="Which events come first at equal timestamps.")
@click.option("--independent", is_flag=True, help="Values are [KEY VALUE] pairs, as in Jepsen's independent tests.")
@click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write a page for browsers: operations as bars on a time line.",
)
@click.option("--evidence", type=click.IntRange(0), default=3, help="Number of keys to show evidence for. Default: 3.")
@click.option("--max-memory", type=click.IntRange(1), default=1024, metavar="MIB", help="Memory limit. Default: 1024.")
@click.option("--max-seconds", type=Seconds, default=300.0, metavar="S", help="Time limit. Default: 300.")
def command(
    file: Path,
    format_: str | None,
    model: str | None,
    as_json: bool,
    out: Path | None,
    begin: str | None,
    independent: bool,
    html: Path | None,
    evidence: int,
    max_memory: int,
    max_seconds: float,
    fail: Literal["did-not-happen", "predicate-false"] | None,
    nil: Literal["nothing", "unrecorded"] | None,
    order: Literal["file", "time"] | None,
    ties: Literal["calls", "returns"] | None,
) -> int:
    """Check whether a recorded history is linearizable, key by key.

    FILE is JSON, or EDN or text of Jepsen, perhaps as .gz: docs/histories.md describes the formats. An
    operation that is open at the end may have taken effect, or not.
    """
    started = time.monotonic()
    if ties is not None and order != "time":
        raise click.UsageError(f"--ties {ties} is for events of one time: give --order time as well")
    # An option that is None leaves the default of the format.
    given = {"fail": fail, "nil": nil, "order": order, "ties": ties}
    try:
        memory = max_memory << 20
        try:
            if not format_:
                with open_history(file) as beginning:
                    format_ = detect(beginning)
            chosen = {name: word for name, word in given.items() if word is not None}
            settings = attrs.evolve(DEFAULTS[format_], **chosen)  # type: ignore[arg-type]
            if begin is not None:
                settings = attrs.evolve(settings, initial=_initial(begin))
            history = read(file, format_, settings, independent=independent, memory=memory)
        # Of the input alone: an error of the output is no matter of FILE.
        except OSError as error:
            complain(f"{error.filename or file}: {error.strerror or error}; name a file that can be read")
            return UNUSABLE
        if not len(history):
            click.echo(f"INCONCLUSIVE: {file} has no operation of a client")
            return INCONCLUSIVE
        specification = ALL[model] if model else specification_of(history.fs)
        # Only a model that was chosen here can be the wrong one by accident: --model is taken at its word.
        wrong = "" if model else misfit(specification, history)
        if wrong:
            complain(f"{file}: {wrong}")
            return UNUSABLE
        # In a model where a key may be absent, nil is most naturally that.
        if nil is None and specification.absence:
            history.settings = attrs.evolve(history.settings, nil="nothing")
        limits = Limits(
            memory=max(memory - history.bytes, _LEAST_MEMORY),  # the history counts towards --max-memory, too
            expired=lambda: time.monotonic() - started > max_seconds,
        )
        parameters = _parameters(file, format_, specification, history)
        verdicts = check(specification, history, limits)
        if without_observation(specification, history) == "none":
            verdicts = map(_leave_open, verdicts)
        with rare_collections():  # the history is large, and none of it is garbage
            report = _CheckReport(specification, history, limits, as_json, out, evidence)
            return report.tell(parameters, verdicts, started, html)
    except TooLarge as error:
        click.echo(f"INCONCLUSIVE: {file} does not fit into memory: {error}; allow more with --max-memory")
        return INCONCLUSIVE
    except BrokenHistory as error:
        complain(f"{file}: {f'line {error.line}: ' if error.line else ''}{error}")
    except Unreadable as error:
        complain(f"{file}: {error}")
    return UNUSABLE


def _leave_open(found: KeyVerdict) -> KeyVerdict:
    """The verdict where nothing was observed."""
    if found.verdict is not Verdict.HOLDS:
        return found
    return attrs.evolve(found, verdict=Verdict.INCONCLUSIVE, why=_NONE_OBSERVED)


def _initial(text: str) -> object:
    try:
        return freeze(decode(text))
    except RecursionError:
        why = "nested too deeply"
    except (ValueError, TypeError) as error:
        why = reason(error)
    raise click.UsageError(
        f"--initial {shorten_value(text)} is no JSON value ({why}); text needs quotes, as in '\"a\"'"
    )


def _parameters(file: Path, format_: str, specification: Specification, history: History) -> str:
    settings = history.settings
    begin, given = initial(specification, history), settings.initial
    # UNKNOWN: the model has an initial value of its own.
    shown = value(given) if given is not UNKNOWN else "empty" if begin in ((), frozenset()) else value(begin)
    order = f", ties: {settings.ties} first" if settings.order == "time" else ""
    return (
        f"{file}: {plural(history.events, 'event')}, {plural(len(history), 'operation')}, "
        f"{plural(len(history.keys), 'key')}; {format_}, {specification.name}; fail: {settings.fail}, "
        f"nil: {settings.nil}, initial: {shown}, order: {settings.order}{order}"
    )


class _CheckReport:
    def __init__(
        self,
        specification: Specification,
        history: History,
        limits: Limits,
        as_json: bool,
        out: Path | None,
        evidence: int,
    ) -> None:
        self.specification, self.history, self.limits = specification, history, limits
        self.as_json, self.out, self.evidence = as_json, out, evidence
        self.parts = dict(parts(specification, history))
        self.found: dict[Verdict, list[KeyVerdict]] = {verdict: [] for verdict in Verdict}
        self.explained: list[Evidence] = []
        self.hints: dict[str, None] = {}
        self.unwritten: Unusable | None = None

    def tell(self, parameters: str, verdicts: Iterator[KeyVerdict], started: float, html: Path | None) -> int:
        by: Counter[str] = Counter()
        holding = 0
        first = next(verdicts, None)  # what is unusable shows here: before anything is printed
        click.echo(parameters, err=self.as_json)
        # Key by key as they are decided, so that a long check shows what it has found so far.
        while first is not None:
            by[first.algorithm] += 1
            if first.verdict is Verdict.HOLDS:
                holding += 1
            else:
                self.found[first.verdict].append(first)
            self._key(first)
            first = next(verdicts, None)
        violated, open_ = self.found[Verdict.VIOLATED], self.found[Verdict.INCONCLUSIVE]
        summary = f"{self._verdict(holding)} ({by_algorithm(by)}; {seconds(time.monotonic() - started)} s)"
        if html is not None:
            self._page(html, parameters, summary)
        for line in self.hints:
            click.echo(line, err=self.as_json)
        click.echo(summary, err=self.as_json)
        # Only now: what cannot be written takes no verdict from the screen.
        if self.unwritten is not None:
            raise self.unwritten
        # One key that is violated settles it; keys that hold do not make up for one that is open.
        return VIOLATED if violated else INCONCLUSIVE if open_ else AS_EXPECTED

    def _page(self, html: Path, parameters: str, summary: str) -> None:
        from lakeproof.show.pages.history import Checked, history_page

        violated, open_ = self.found[Verdict.VIOLATED], self.found[Verdict.INCONCLUSIVE]
        verdict = Verdict.VIOLATED if violated else Verdict.INCONCLUSIVE if open_ else Verdict.HOLDS
        checked = Checked(
            parameters=parameters,
            verdict=verdict,
            summary=summary.partition(": ")[2],
            undecided=[*violated, *open_],
            evidence=self.explained,
            hints=list(self.hints),
        )
        try:
            write_whole(html, history_page(self.history, checked))
        except OSError as error:
            self.unwritten = unwritable(html, error.strerror or str(error), "--html")
        else:
            click.echo(f"{html}: open it in a browser", err=self.as_json)

    def _verdict(self, holding: int) -> str:
        violated, open_ = len(self.found[Verdict.VIOLATED]), len(self.found[Verdict.INCONCLUSIVE])
        return verdict_of_keys(holding, violated, open_)

    def _key(self, verdict: KeyVerdict) -> None:
        evidence, path = None, None
        # Minimising is the slow part, and thousands of keys may be violated by one bug.
        if verdict.verdict is Verdict.VIOLATED and len(self.explained) < self.evidence:
            numbers = self.parts[verdict.key]
            evidence = explain(self.specification, self.history, verdict.key, numbers, self.limits, verdict.at)
            self.explained.append(evidence)
            if tip := hint(self.specification, self.history, numbers, evidence):
                self.hints.setdefault(tip)
            path = self._write(evidence) if self.out is not None else None
        if self.as_json:
            click.echo(json.dumps(self._object(verdict, evidence, path)))
        elif verdict.verdict is not Verdict.HOLDS:
            self._story(verdict, evidence, path)

    def _story(self, verdict: KeyVerdict, evidence: Evidence | None, path: Path | None) -> None:
        if evidence is not None:
            for line in story(evidence):
                click.echo(line)
            if path is not None:
                click.echo(f"  written to {path}")
            return
        # Of each verdict the first ones are listed. The summary counts them all.
        if len(self.found[verdict.verdict]) <= _LISTED:
            why = f": {verdict.why}" if verdict.why else ""
            key = "" if verdict.key is None else f"key {value(verdict.key)}, "
            click.echo(f"{key}{verdict.operations:,} operations: {verdict.verdict.value}{why}")

    def _object(self, verdict: KeyVerdict, evidence: Evidence | None, path: Path | None) -> dict[str, object]:
        return {
            "key": plain(verdict.key),
            "model": self.specification.name,
            "verdict": verdict.verdict.value,
            "algorithm": verdict.algorithm,
            "operations": verdict.operations,
            "why": verdict.why,
            "evidence": None if evidence is None else as_object(evidence),
            "history": None if path is None else str(path),
        }

    def _write(self, evidence: Evidence) -> Path | None:
        assert self.out is not None
        path = self.out / history_name(len(self.explained), evidence)
        try:
            self.out.mkdir(parents=True, exist_ok=True)
            write_whole(path, "".join(f"{line}\n" for line in as_history(evidence)))
        except OSError as error:
            self.unwritten = unwritable(path, error.strerror or str(error))
            return None
        return path
