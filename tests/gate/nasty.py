"""Programs that a gate has to cope with: they do not repeat themselves, hang, die, or answer from memory."""

import os
import random
import time
from functools import partial

from lakeproof import Faults
from lakeproof.gate import GateScenario, Outcome, call
from tests.gate.talking import asked


def get(key: str) -> None:
    asked("GET", key)


KNOWN: list[int] = []
"""What this process knows of a counter: it keeps that from one schedule to the next."""
STARTS_WITH = os.environ.get("STARTS_WITH")
if STARTS_WITH:
    asked(STARTS_WITH, "settings", os.urandom(4))


def add_to_what_is_known() -> None:
    """Only the first call reads the counter."""
    if not KNOWN:
        _, found = asked("GET", "counter")
        KNOWN.append(int(found) if found.isdigit() else 0)
    KNOWN.append(KNOWN.pop() + 1)
    asked("PUT", "counter", str(KNOWN[0]).encode())


def counted(outcome: Outcome) -> str | None:
    """Both additions count."""
    found = outcome.store.objects["bucket/counter"].content
    return None if found == b"2" else f"the counter is {found.decode()}"


def erratic() -> None:
    get(str(random.randrange(10**6)))


def endless() -> None:
    time.sleep(3600)


def mortal() -> None:
    os._exit(7)


def plain() -> None:
    get("a")


def nothing(outcome: Outcome) -> str | None:
    """Nothing is asked of it."""
    return None


def cached() -> str:
    """Answers from what the process remembers."""
    return "known"


def put() -> None:
    """Two writes that belong together."""
    for key in ("first", "second"):
        asked("PUT", key, b"x")


def raises(outcome: Outcome) -> str | None:
    """Has a mistake."""
    raise KeyError("x")


def exits(outcome: Outcome) -> str | None:
    """Ends the gate."""
    raise SystemExit


def says_false(outcome: Outcome) -> bool:
    """Returns a truth value."""
    return False


def both_or_none(outcome: Outcome) -> str | None:
    """The two objects are there, or none of them is."""
    found = sorted(outcome.store.objects)
    return f"only {found[0]} is there" if len(found) == 1 else None


scenario = partial(GateScenario, clients=[[call(plain)]], invariants=[nothing])
forgetful = partial(
    GateScenario,
    clients=[[call(add_to_what_is_known)], [call(add_to_what_is_known)]],
    invariants=[counted],
    expect={"counted": "violated"},
    environment={"STARTS_WITH": "GET"},
)
SCENARIOS = [
    *(scenario(name=each.__name__, clients=[[call(each)], [call(plain)]]) for each in (erratic, endless, mortal)),
    scenario(name="cached", clients=[[call(cached)], [call(plain)]]),
    scenario(name="cached/after", after=[call(cached), call(plain)]),
    scenario(name="raises", invariants=[raises]),
    scenario(name="exits", invariants=[exits]),
    scenario(name="false", invariants=[says_false]),  # type: ignore[list-item]
    scenario(name="crash", clients=[[call(put)], [call(plain)]], invariants=[both_or_none], faults=Faults(crashes=1)),
    scenario(name="service", service=["python", "-c", "pass"]),
    forgetful(name="kept"),
    forgetful(name="fresh", fresh=True),
    forgetful(name="writes", fresh=True, environment={"STARTS_WITH": "PUT"}),
]
