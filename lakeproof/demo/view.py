"""What there is to see: a live table or a line a second while it runs, and the summary after it."""

import json
import sys
from collections.abc import Iterator
from types import TracebackType
from typing import Final, Self

import attrs
import trio
from rich.console import Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from lakeproof.demo.clients import Settings
from lakeproof.demo.judging import Judge, Tally
from lakeproof.demo.measuring import Kind, Measured
from lakeproof.demo.running import Demo
from lakeproof.report.style import console, plural, seconds

EVIDENCE_SHOWN_MAX: Final = 3
_STYLES: Final = {"holds": "green", "violated": "bold red", "inconclusive": "yellow"}


class Progress:
    """A live view on a terminal, a line a second elsewhere; on stderr."""

    def __init__(self) -> None:
        self._live: Live | None = None
        self.every = 1.0
        """How often `__call__` wants to be called, in seconds."""

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            self._live = Live(console=console(sys.stderr), transient=True, auto_refresh=False)
            self._live.start()
            self.every = 0.25
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, demo: Demo) -> None:
        if self._live is None:
            sys.stderr.write(f"demo: {line(demo)}\n")
            return
        title = Text(f"{demo.stage}; {told(demo.judge)}")
        self._live.update(Group(title, measures(demo.measured), invariants(demo.judge)), refresh=True)


def line(demo: Demo) -> str:
    """How far it is, in one line."""
    kinds = demo.measured.kinds
    counts = ", ".join(f"{kind.ok:,} {name}s" for name, kind in kinds.items())
    retries = f"{kinds['write'].retries + kinds['delete'].retries:,} stagings again"
    broken = [tally.id for tally in demo.judge.tallies.values() if tally.unexpected]
    verdict = f"VIOLATED: {', '.join(broken)}" if broken else told(demo.judge)
    return f"{demo.stage}: {counts}; {retries}, {kinds['commit'].retries:,} commits beaten; {verdict}"


def told(judge: Judge) -> str:
    """How much was judged."""
    checks = sum(tally.reached for tally in judge.tallies.values())
    return f"{plural(judge.judged, 'event')} judged in {plural(judge.rounds, 'round')}, {plural(checks, 'check')}"


def measures(measured: Measured) -> Table:
    """A row for each kind of call."""
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("calls")
    for head in ("ok", "/s", "refused", "unknown", "retries", "p50 ms", "p95 ms", "p99 ms", "max ms"):
        table.add_column(head, justify="right")
    for name, kind in measured.kinds.items():
        latencies = [f"{value * 1000:,.1f}" for value in kind.latencies()]
        counts = [f"{kind.ok:,}", f"{measured.rate(name):,.1f}"]
        table.add_row(name, *counts, f"{kind.refused:,}", f"{kind.unknown:,}", f"{kind.retries:,}", *latencies)
    return table


def invariants(judge: Judge) -> Table:
    """A row for each invariant."""
    table = Table(box=None, pad_edge=False)
    table.add_column("invariant")
    table.add_column("checks", justify="right")
    table.add_column("verdict")
    for tally in judge.tallies.values():
        known = "; known of this design" if tally.evidence and not tally.unexpected else ""
        style = _STYLES[tally.verdict] if not known else "yellow"
        table.add_row(tally.id, f"{tally.reached:,}", Text(tally.verdict + known, style))
    return table


def summary(demo: Demo) -> None:
    """All of it, on stdout."""
    out = console()
    settings, judge = demo.settings, demo.judge
    clients = f"{settings.writers} writers, {settings.readers} readers, {settings.committers} committers"
    took = f"{seconds(demo.measured.seconds)} s of traffic"
    out.print(f"{settings.variant}: {clients}; {took}{'; interrupted' if demo.interrupted else ''}", soft_wrap=True)
    out.print()
    out.print(measures(demo.measured))
    out.print()
    out.print(invariants(judge))
    out.print()
    for tally in judge.tallies.values():
        for evidence in tally.evidence[:EVIDENCE_SHOWN_MAX]:
            out.print(f"{tally.id}: {evidence}", soft_wrap=True)
        if len(tally.evidence) > EVIDENCE_SHOWN_MAX:
            out.print(f"{tally.id}: and {len(tally.evidence) - EVIDENCE_SHOWN_MAX:,} more")
        if tally.evidence and tally.reason:
            out.print(f"{tally.id}: known of this design: {tally.reason}", soft_wrap=True)
    out.print(Text(f"{told(judge)}; ").append(*_closing(judge)), soft_wrap=True)


def _closing(judge: Judge) -> tuple[str, str]:
    broken = [tally.id for tally in judge.tallies.values() if tally.unexpected]
    if broken:
        return f"VIOLATED: {', '.join(broken)}", "bold red"
    open_ = [tally.id for tally in judge.tallies.values() if tally.verdict == "inconclusive"]
    if open_:
        return f"INCONCLUSIVE, for the situation did not arise: {', '.join(open_)}", "bold yellow"
    return "all as expected", "bold green"


def json_lines(demo: Demo) -> Iterator[str]:
    """One object a line: each kind of call, then each invariant."""
    settings, judge = demo.settings, demo.judge
    scenario = f"demo/{settings.variant}{'-single-read' if settings.single_read else ''}"
    for name, kind in demo.measured.kinds.items():
        yield json.dumps({"scenario": scenario, "calls": name, **_numbers(kind, demo.measured, name)})
    for tally in judge.tallies.values():
        yield json.dumps({"scenario": scenario, **_verdict(tally), "bounds": _bounds(settings, demo)})


def _numbers(kind: Kind, measured: Measured, name: str) -> dict[str, float]:
    names = ("p50_seconds", "p95_seconds", "p99_seconds", "max_seconds")
    latencies = {key: round(value, 6) for key, value in zip(names, kind.latencies(), strict=True)}
    counts = {"ok": kind.ok, "refused": kind.refused, "unknown": kind.unknown, "retries": kind.retries}
    return {**counts, "per_second": round(measured.rate(name), 3), **latencies}


def _verdict(tally: Tally) -> dict[str, object]:
    return {
        "invariant": tally.id,
        "expected": tally.expected,
        "verdict": tally.verdict,
        "evidence": tally.evidence[0] if tally.evidence else None,
        "reached": tally.reached,
    }


def _bounds(settings: Settings, demo: Demo) -> dict[str, object]:
    return {
        **attrs.asdict(settings),
        "traffic_seconds": round(demo.measured.seconds, 3),
        "rounds": demo.judge.rounds,
        "interrupted": demo.interrupted,
    }


def show(settings: Settings, *, clock: trio.abc.Clock | None = None) -> Demo:
    """Run the demo under a live view. Raises KeyboardInterrupt at the second Ctrl-C."""
    demo = Demo(settings)
    try:
        with Progress() as progress:
            trio.run(demo.run, progress, progress.every, clock=clock)
    except BaseExceptionGroup as group:
        if group.subgroup(KeyboardInterrupt) is not None:
            raise KeyboardInterrupt from None
        raise
    return demo
