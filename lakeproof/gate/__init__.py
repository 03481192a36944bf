"""The gate: real programs, unmodified, held at their store.

A server that speaks the wire protocol of a store holds each request of a program, and lets one go at a time, in the
order that a schedule says.
"""

from lakeproof.gate.cuts import Moment
from lakeproof.gate.graveler import judged
from lakeproof.gate.profile import Profile, Rule
from lakeproof.gate.profiles import lakefs
from lakeproof.gate.programs import Returned
from lakeproof.gate.scenario import GateCall, GateScenario, Invariant, OnTheWay, Outcome, call

__all__ = [
    "GateCall",
    "GateScenario",
    "Invariant",
    "Moment",
    "OnTheWay",
    "Outcome",
    "Profile",
    "Returned",
    "Rule",
    "call",
    "judged",
    "lakefs",
]
