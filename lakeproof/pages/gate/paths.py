"""How the steps of a program are named in addresses.

``c1`` is the only request of client c1 that waits; ``c1:0a5f93de`` the one whose label and number have this digest;
``c1:0a5f93de.lost-applied`` the same request, let go with a fault. The page writes digests, so that an address never
leads on with another request than the one that was clicked.
"""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

import attrs

from lakeproof.explore import describe
from lakeproof.gate.classes import Choice, Name, Pending
from lakeproof.gate.holding import CRASHED, CRASHED_APPLIED, LOST_APPLIED, LOST_DROPPED, NORMAL, REFUSED
from lakeproof.gate.scenario import GateScenario
from lakeproof.pages.walking import NoSuchMove

PATH_MAX: Final = 2_000
"""A path may have so many moves: its state is made by a run of the program through all of them."""
DIGITS: Final = 8
SUFFIXES: Final[Mapping[str, str]] = {
    NORMAL: "",
    REFUSED: "refused",
    LOST_APPLIED: "lost-applied",
    LOST_DROPPED: "lost-dropped",
    CRASHED: "crash",
    CRASHED_APPLIED: "crash-applied",
}
_MODES: Final = {suffix: mode for mode, suffix in SUFFIXES.items()}
_NAME: Final = re.compile(rf"(c[1-9]\d*)(?::([0-9a-f]{{{DIGITS}}}))?(?:\.([a-z][a-z-]*))?")


@attrs.frozen
class Move:
    """A step as an address names it. digest: empty where the address leaves it out."""

    client: str
    digest: str
    mode: str

    def __str__(self) -> str:
        request = f":{self.digest}" if self.digest else ""
        return f"{self.client}{request}{f'.{SUFFIXES[self.mode]}' if SUFFIXES[self.mode] else ''}"


def digest(name: Name) -> str:
    """What tells a request from the others of its client."""
    return sha256(f"{name.number} {name.label}".encode()).hexdigest()[:DIGITS]


def move_of(choice: Choice) -> Move:
    """The step of an address that a choice is."""
    return Move(choice.name.client, digest(choice.name), choice.mode)


def path_of(choices: Iterable[Choice]) -> str:
    """The path of a schedule."""
    return ",".join(str(move_of(each)) for each in choices)


def command(scenario: GateScenario, file: Path, path: str) -> str:
    """The command that opens a path."""
    return shlex.join(["lakeproof", "explore", f"{file}::{scenario.name}", *(["--path", path] if path else [])])


def moves_of(path: str) -> tuple[Move, ...]:
    """The steps of a path: names with commas between them; an empty one is the beginning.

    Raises:
        NoSuchMove: a name is none, or there are more than `PATH_MAX`.
    """
    names = path.split(",") if path else []
    if len(names) > PATH_MAX:
        raise NoSuchMove(f"the path has {len(names):,} moves; at most {PATH_MAX:,} are walked")
    return tuple(map(_named, names))


def _named(name: str) -> Move:
    found = _NAME.fullmatch(name)
    if found is None or (found[3] or "") not in _MODES:
        known = ", ".join(f"c1.{suffix}" for suffix in _MODES if suffix)
        raise NoSuchMove(
            f"{describe.brief(name)} is no move; expected a client, as in c1, with a request, as in "
            f"c1:{'0' * DIGITS}, or with a fault: {known}"
        )
    return Move(found[1], found[2] or "", _MODES[found[3] or ""])


def chosen(move: Move, pending: Sequence[Pending], step: int) -> Choice:
    """The request that a step of a path lets go, among those that wait. step: its number, from 1.

    Raises:
        NoSuchMove: none of them, more than one, or not in this way.
    """
    mine = [each for each in pending if each.name.client == move.client]
    found = [each for each in mine if move.digest in ("", digest(each.name))]
    if len(found) != 1:
        waits = "; ".join(f"{move.client}:{digest(each.name)} {each.name.label}" for each in mine)
        clients = ", ".join(dict.fromkeys(each.name.client for each in pending)) or "nothing: it is the end"
        what = "it is not one request" if found else "no such request waits"
        repair = f"{move.client} waits with {waits}" if mine else f"possible: {clients}"
        raise NoSuchMove(f"step {step}, {move}: {what} there; {repair}")
    [asked] = found
    if move.mode not in asked.modes:
        possible = ", ".join(str(move_of(Choice(asked.name, mode))) for mode in asked.modes)
        raise NoSuchMove(f"step {step}, {move}: it is not possible there; possible: {possible}")
    return Choice(asked.name, move.mode)
