"""Programs whose keys are new in every run: a client creates an object and says its name in another one; a second
client looks there, and writes over it, or lists what begins with a part of the name."""

import hashlib
import secrets
import uuid

from lakeproof.gate import GateScenario, Outcome, call
from tests.gate.talking import asked


def create() -> None:
    name = str(uuid.uuid4())
    asked("PUT", "pointer", name.encode())
    asked("PUT", name, b"created")


def overwrite() -> bool:
    status, name = asked("GET", "pointer")
    if status == 200:
        asked("PUT", name, b"overwritten")
    return status == 200


def what_was_written_over_stays_so(outcome: Outcome) -> str | None:
    """Violated in one class of the three: the second client writes before the first has created the object."""
    contents = {each.content for address, each in outcome.store.objects.items() if address != "bucket/pointer"}
    wrote = outcome.results["c2"][0][1].value
    return "created over what was there" if wrote and contents == {b"created"} else None


def announce() -> None:
    asked("PUT", "pointer", str(uuid.uuid4()).encode())


def follow() -> None:
    """Whichever client does this first is the first to ask for either name."""
    status, name = asked("GET", "pointer")
    asked("GET", name if status == 200 else "nothing")
    asked("GET", f"blob/{hashlib.sha256(b'x').hexdigest()}")


def publish() -> None:
    name = secrets.token_hex(20)
    asked("PUT", f"data/{name}", b"x")
    asked("PUT", "head", name.encode())


def look() -> None:
    """By an abbreviated name, which by itself looks like another one."""
    status, name = asked("GET", "head")
    if status == 200:
        _, listed = asked("GET", f"?list-type=2&prefix=data/{name[:24]}")
        asked("PUT", "seen", b"all" if "<Key>" in listed else b"nothing")
        asked("PUT", "seen", b"")


def collect() -> None:
    status, name = asked("GET", "head")
    if status == 200:
        asked("DELETE", f"data/{name}")


def watch() -> str:
    return asked("GET", "seen")[1]


def a_published_object_is_listed(outcome: Outcome) -> str | None:
    """Violated where it is collected between the two steps of the look, and watched between the other two."""
    return "it is gone" if outcome.results["c4"][0][1].value == "nothing" else None


SCENARIOS = [
    GateScenario(
        name="abbreviated",
        clients=[[call(each)] for each in (publish, look, collect, watch)],
        invariants=[a_published_object_is_listed],
        expect={"a_published_object_is_listed": "violated"},
    ),
    GateScenario(
        name="passed-on",
        clients=[[call(each)] for each in (announce, follow, follow)],
        invariants=[what_was_written_over_stays_so],
        expect={"what_was_written_over_stays_so": "holds"},
    ),
    GateScenario(
        name="minted",
        clients=[[call(create)], [call(overwrite)]],
        invariants=[what_was_written_over_stays_so],
        expect={"what_was_written_over_stays_so": "violated"},
    ),
]
