"""Histories by hand: one operation a line, placed by its bar."""

from collections.abc import Hashable

from lakeproof.model.linearizability.history import NEVER, History, Operation, Settings, history
from lakeproof.model.snapshot import Status

REFUSES = Settings(fail="predicate-false")


def drawn(text: str, settings: Settings | None = None) -> History:
    """A history from lines such as ``|---|  write 1``, where ``|--...`` never returns and ``X`` ends a failed one.

    Each bar's ends are its times; at one time, lines are ordered from top to bottom.
    """
    marks: list[tuple[int, int, int]] = []
    rows = [line for line in text.strip("\n").splitlines() if line.strip()]
    indent = min(len(row) - len(row.lstrip()) for row in rows)
    words = []
    for number, row in enumerate(rows):
        row = row[indent:]
        begin = row.index("|")
        bar, _, told = row[begin:].partition("  ")
        words.append((bar, told.split()))
        marks.append((begin, number, 0))
        if not bar.endswith("..."):
            marks.append((begin + len(bar) - 1, number, 1))
    marks.sort()
    at = {(number, side): time for time, (_, number, side) in enumerate(marks)}
    return history(
        (
            Operation(
                process=number,
                f=f,
                argument=_argument(f, rest),
                result=_atom(rest[0]) if f in ("read", "get") and rest else None,
                status=Status.FAIL if bar.endswith("X") else Status.INFO if bar.endswith("...") else Status.OK,
                call=at[number, 0],
                returned=at.get((number, 1), NEVER),
            )
            for number, (bar, (f, *rest)) in enumerate(words)
        ),
        settings or REFUSES,
    )


def _argument(f: str, rest: list[str]) -> Hashable:
    if f in ("read", "get") or not rest:
        return None
    return _atom(rest[0]) if len(rest) == 1 else tuple(map(_atom, rest))


def _atom(word: str) -> Hashable:
    return None if word == "nil" else int(word)
