"""Programs for invariants of every step, for requests that are let through, and for timers of a program."""

import threading
import time
from collections.abc import Sequence
from functools import partial

from lakeproof.gate import GateCall, GateScenario, Moment, call
from tests.gate.nasty import get, nothing
from tests.gate.talking import asked


def swap() -> None:
    """Writes ``new``, then deletes ``old``: one of the two is always there."""
    asked("PUT", "new", b"1")
    asked("DELETE", "old")


def swap_at_once() -> None:
    """The same, by a client that looks at something else in between."""
    get("credentials")
    asked("DELETE", "old")
    get("else")
    asked("PUT", "new", b"1")


def make_old() -> None:
    asked("PUT", "old", b"1")
    asked("PUT", "credentials", b"1")


def plain() -> None:
    get("credentials")
    get("elsewhere")


def change_credentials() -> None:
    asked("PUT", "credentials", b"2")


def later() -> None:
    """Two requests at once, one of them behind a timer."""
    threads = [threading.Thread(target=_after, args=(wait,)) for wait in (0.0, 0.03)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def _after(seconds: float) -> None:
    time.sleep(seconds)
    get(f"after/{seconds}")


def one_is_there(moment: Moment, calls: Sequence[GateCall]) -> str | None:
    """Of ``old`` and ``new`` one is there."""
    there = sorted(moment.store.objects)
    return None if {"bucket/old", "bucket/new"} & set(there) else f"there is {', '.join(there)}"


def says_false(moment: Moment, calls: Sequence[GateCall]) -> str | None:
    return False  # type: ignore[return-value]  # a mistake of a user's


scenario = partial(GateScenario, setup=[call(make_old)], invariants=[nothing])
CREDENTIALS = ["GET */credentials"]
SCENARIOS = [
    scenario(name="swap", clients=[[call(swap)], [call(plain)]], always=[one_is_there]),
    scenario(
        name="swap-at-once", clients=[[call(swap_at_once)], [call(plain)]], always=[one_is_there], through=CREDENTIALS
    ),
    scenario(name="changed", clients=[[call(change_credentials)], [call(plain)]], through=CREDENTIALS),
    scenario(name="writes", clients=[[call(swap)], [call(plain)]], through=["PUT *"]),
    scenario(name="false", setup=[], clients=[[call(plain)]], always=[says_false]),
    scenario(name="timer", setup=[], clients=[[call(later)]], calm_seconds=0.15),
    scenario(name="timer-in-one-order", setup=[], clients=[[call(later)]], calm_seconds=0.15, parallel=False),
]
