"""Programs that come to grief while they are walked: after a step, or when they are run again."""

import os
import stat
import sys
import threading
import time
from pathlib import Path

from lakeproof import Faults
from lakeproof.gate import GateScenario, Outcome, call

sys.path.append(str(Path(__file__).parents[1] / "gate"))
from nasty import ask, get  # type: ignore[import-not-found]  # it lies with the tests of the gate


def dies() -> None:
    get("a")
    os._exit(7)


def hangs() -> None:
    get("a")
    time.sleep(3600)


def garbles() -> None:
    """Writes into the pipe on which calls are answered."""
    get("a")
    for number in range(3, 10):
        try:
            if stat.S_ISFIFO(os.fstat(number).st_mode):
                os.write(number, b"hello\n")
        except OSError:
            continue


RUNS = [0]


def forgets() -> None:
    """Asks for something else from its fourth run on."""
    RUNS[0] += 1
    get("a")
    get("b" if RUNS[0] < 4 else "c")


def stranger() -> None:
    """Writes under an access key that is none of a client's."""
    get("a")
    os.environ["AWS_ACCESS_KEY_ID"] = "stranger"
    ask("PUT", "b", b"1")
    os.environ["AWS_ACCESS_KEY_ID"] = "c1"
    get("c")


def two_at_once() -> None:
    threads = [threading.Thread(target=get, args=(key,)) for key in ("a", "b")]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def cached() -> str:
    return "known"


def put() -> None:
    for key in ("first", "second"):
        try:
            ask("PUT", key, b"x")
        except ConnectionError:
            continue


def plain() -> None:
    get("a")


def both_or_none(outcome: Outcome) -> str | None:
    """The two objects are there, or none of them is.

    Nobody writes only one.
    """
    found = sorted(outcome.store.objects)
    return f"only {found[0]} is there" if len(found) == 1 else None


FAULTS = Faults(lost_answers=1, refusals=1, crashes=1)
SCENARIOS = [
    *(
        GateScenario(name=each.__name__, clients=[[call(each)]], invariants=[both_or_none])
        for each in (dies, hangs, garbles, forgets, stranger, two_at_once)
    ),
    GateScenario(name="cached", clients=[[call(cached), call(plain)]], invariants=[both_or_none]),
    GateScenario(name="faults", clients=[[call(put)]], invariants=[both_or_none], faults=FAULTS),
]
