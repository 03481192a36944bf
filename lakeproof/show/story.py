"""A counterexample as a story: one line a step, for a reader who does not know the code."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Final

from rich.text import Text

from lakeproof.search.describe import printable
from lakeproof.search.execution import LABELS, label
from lakeproof.search.faults import Mode
from lakeproof.search.trace import Trace, TraceStep
from lakeproof.show.races import in_words
from lakeproof.show.style import client_style
from lakeproof.words import plural

SHOWN_AT_FIRST_MAX: Final = 12
"""So many keys of the store at the beginning are shown."""

_VERBS: Final[Mapping[str, str]] = {
    "get": "reads",
    "head": "looks up",
    "scan": "scans",
    "list": "lists",
    "set": "sets",
    "set_if": "sets",
    "put": "writes",
    "copy": "writes",
    "delete": "deletes",
    "delete_if": "deletes",
    "transact": "checks and writes at once",
    "send": "sends to",
    "receive": "receives from",
    "try to receive": "tries to receive from",
    "watch": "watches",
    "next change": "receives a change of",
    "end watch": "ends the watch of",
}
_TIMES: Final[Mapping[str, str]] = {
    "sleep": "sleeps for",
    "timeout": "begins a timeout of",
    "wake": "wakes",
    "time out": "times out after",
}
LOOP: Final = "from here on, for ever:"
"""Before the first step of a loop."""

_READS: Final = ("get", "head", "scan", "list")

_FAULTS: Final[Mapping[Mode, str]] = {
    Mode.REFUSED: "the store refuses: nothing happens, and {client} gets a definite error",
    Mode.LOST_APPLIED: "it happens, but the answer is lost: {client} cannot know",
    Mode.LOST_DROPPED: "it does not happen, and no answer comes: {client} cannot know",
    Mode.REPEATED_APPLIED: "it happens, the answer is lost, and it will happen once more",
    Mode.REPEATED_DROPPED: "no answer comes, and it will happen later",
    Mode.CUT_OFF: "{client} gives up, and it will happen later",
    Mode.FALSE_PREDICATE: "it happens, but the client library tries again and so reports that the predicate failed",
    Mode.SCAN_FAILURE: "the scan breaks off",
    Mode.MESSAGE_LOST: "the message is lost",
    Mode.MESSAGE_DUPLICATED: "the message stays, and will be received once more",
    Mode.WATCH_LOST: "the watch is lost",
    Mode.MESSAGE_OVERTAKEN: "the message that was to be received is overtaken by the next one",
}


def story(traces: Sequence[Trace], replay_commands: Sequence[str] = ()) -> Text:
    """A schedule, what it violates, and the lines that replay it, if they are given. Several traces share one story
    if they have the same schedule."""
    trace = traces[0]
    assert all(other.schedule == trace.schedule for other in traces), "these are several stories"
    lines: list[Text] = [*beginning(traces), Text(), *_steps(trace)]
    # There may be no commands. The race is that of the schedule, and so is named once.
    for other, command in zip_longest(traces, replay_commands):
        named = race_lines(trace) if other is trace else ()
        lines += [*_afterwards(other), Text(), *named, *verdict_lines(other)]
        if command:
            lines.append(Text.assemble(("replay:   ", "bold"), command))
    return Text("\n").join(lines)


def beginning(traces: Sequence[Trace]) -> Iterator[Text]:
    """Which scenario, which clients, and what the store holds at first."""
    trace = traces[0]
    names = [Text(printable(other.invariant), "bold") for other in traces]
    what = Text(" and ").join([*([Text(", ").join(names[:-1])] if names[1:] else []), names[-1]])
    what.append(" is " if len(traces) == 1 else " are ").append("violated", "bold red").append(" in ")
    what.append(printable(trace.scenario), "bold")
    yield what.append(f", {plural(len(trace.schedule), 'step')}")
    yield Text()
    for client, program in enumerate(trace.programs):
        yield Text.assemble("  ", _label(client), "  ", printable(program))
    shown = [f"{key}: {content}" for key, content in trace.initially]
    rest = len(shown) - SHOWN_AT_FIRST_MAX
    shown = shown[:SHOWN_AT_FIRST_MAX] + ([f"and {plural(rest, 'more key')}"] if rest > 0 else [])
    for number, line in enumerate(shown or ["nothing"]):
        yield Text(f"  {'at first,' if number == 0 else '         '} {printable(line)}", "dim")


def _label(client: int) -> Text:
    return Text(label(client), client_style(client))


def _steps(trace: Trace) -> Iterator[Text]:
    whose = [(step.call.partition("(")[0], step.task if step.client else "") for step in trace.schedule]
    names = [printable("/".join(filter(None, parts))) for parts in whose]
    width = max(map(len, names), default=0)
    digits = len(str(len(trace.schedule)))
    contents: dict[str, str | None] = dict(trace.initially)
    for number, (step, name) in enumerate(zip(trace.schedule, names, strict=True), start=1):
        if number - 1 == trace.loop:
            yield Text(f"  {'':>{digits}}  {LOOP}", "bold")
        mover: Text | str = " "
        # The clock has no client, and a late write no mover: its call may be over.
        if step.client and step.mode is not Mode.DELIVER:
            # A trace that is read from a file may have any label.
            mover = _label(LABELS.index(step.client)) if step.client in LABELS else step.client
        shown = name if step.mode is not Mode.DELIVER else ""
        line = Text.assemble(f"  {number:>{digits}}  ", mover, f" {shown:<{width}}  ", sentence(step, contents))
        yield line.append(f"  {printable(step.at)}", "dim") if step.at else line
        # After the sentence, which speaks of the store before the step.
        contents.update({change.key: change.after for change in step.changes})
        for ended in step.returned:
            yield Text.assemble(f"  {'':>{digits}}    {'':<{width}}  ", ("=> " + printable(ended), "italic"))


def sentence(step: TraceStep, contents: Mapping[str, str | None]) -> Text:
    """What one step does and what comes of it. ``contents``: what the store holds before it."""
    match step.mode:
        case Mode.TICK:
            return Text(f"the clock jumps by {printable(step.value)}", "yellow")
        case Mode.EXPIRE:
            return Text(f"the time to live of {printable(step.key)} ends", "yellow")
        case Mode.CRASH:
            return Text("crashes: it never moves again", "yellow")
        case Mode.RESTART:
            return Text("crashes, and starts again", "yellow")
        case Mode.DELIVER:
            text = Text.assemble((f"the late write of {printable(step.client)} arrives: ", "yellow"))
            return text.append_text(_change_text(step, contents))
        case Mode.NORMAL:
            return _change_text(step, contents)
        case _:
            fault = Text(_FAULTS[step.mode].format(client=printable(step.client)), "yellow")
            # The fault has an effect on the store: what changed first, then what the client gets to see.
            if step.changes:
                return _change_text(step, contents).append("; ").append_text(fault)
            received = f": {printable(step.reply)}" if step.mode is Mode.MESSAGE_DUPLICATED else ""
            return Text(f"{_attempt(step)}{received}; ").append_text(fault)


def whole(step: TraceStep, contents: Mapping[str, str | None]) -> str:
    """The same with its subject; a late write, the clock and a key are their own subjects."""
    text = sentence(step, contents).plain
    return text if step.mode in (Mode.DELIVER, Mode.TICK, Mode.EXPIRE) else f"{step.client} {text}"


def _attempt(step: TraceStep) -> str:
    """What a client tries, whatever comes of it."""
    if step.effect == "now":
        return "reads the clock"
    if step.effect in _TIMES:
        return printable(f"{_TIMES[step.effect]} {step.value}".rstrip())
    text = f"{_VERBS.get(step.effect, step.effect)} {step.key}"
    if step.value:
        text += f" to {step.value}" if step.effect in ("set", "set_if") else f" with {step.value}"
    return printable(f"{text}, {step.condition}" if step.condition else text)


def _change_text(step: TraceStep, contents: Mapping[str, str | None]) -> Text:
    """What a client does and what comes of it, if nothing goes wrong."""
    if step.effect in _READS or step.effect == "now":
        return Text(f"{_attempt(step)}: {printable(step.reply)}")
    if step.changes:
        text = Text(printable(f"{_VERBS.get(step.effect, step.effect)} {step.key}"))
        if step.condition:
            text.append(printable(f", {step.condition}"))
        for number, change in enumerate(step.changes):
            text.append("; " if number else ": ")
            if change.key != step.key:
                text.append(printable(f"{change.key} "))
            text.append(printable(f"{content_of(change.before)} -> {content_of(change.after)}"), "bold")
        return text
    if step.effect in _TIMES and step.reply == "ok":
        return Text(_attempt(step))
    found = contents.get(step.key)
    if step.reply == "predicate failed":
        return Text(f"{_attempt(step)}: ").append(
            printable(f"predicate failed, it is {content_of(found, 'absent')}"), "bold"
        )
    # It succeeded without a change, so there was nothing to delete.
    if step.effect in ("delete", "delete_if") and step.reply == "ok":
        return Text(f"{_attempt(step)}: it is absent")
    if step.reply == "ok":
        return Text(f"{_attempt(step)}: unchanged")
    return Text(f"{_attempt(step)}: {printable(step.reply)}")


def no_change(step: TraceStep) -> str:
    """What is shown of a step that changes nothing."""
    return f"for {step.value}" if step.effect in _TIMES and step.value else "" if step.effect in _TIMES else "no change"


def intent_text(step: TraceStep) -> str:
    """What a step tries to write, and under which condition; empty: neither."""
    return ", ".join(part for part in (step.value, step.condition) if part)


def content_of(content: str | None, nothing: str = "nothing") -> str:
    """What a key holds, in words."""
    return nothing if content is None else content


def _afterwards(trace: Trace) -> Iterator[Text]:
    if trace.afterwards:
        yield Text()
        yield Text("  Afterwards, alone and without faults:", "dim")
    for ended in trace.afterwards:
        yield Text(f"  => {printable(ended)}", "italic")


def verdict_lines(trace: Trace) -> Iterator[Text]:
    """What is violated, what that means, and the evidence."""
    yield Text.assemble(("violated: ", "bold red"), (printable(trace.invariant), "bold"))
    yield Text.assemble(("meaning:  ", "bold"), printable(trace.meaning))
    yield Text.assemble(("evidence: ", "bold"), printable(trace.evidence))


def race_lines(trace: Trace) -> Iterator[Text]:
    """The names of the races; nothing, where no rule can tell."""
    for each in in_words(trace):
        yield Text.assemble(("race:     ", "bold"), each)
