"""A program whose keys are new in every run: a client creates an object and says its name in another one; a second
client looks there, and writes over it."""

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


SCENARIOS = [
    GateScenario(
        name="minted",
        clients=[[call(create)], [call(overwrite)]],
        invariants=[what_was_written_over_stays_so],
        expect={"what_was_written_over_stays_so": "violated"},
    )
]
