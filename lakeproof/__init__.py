"""lakeproof: prove or refute metadata protocols on key-value stores by running their real code.

All that a file of scenarios needs is here, and is loaded when it is first used::

    from lakeproof import Call, Env, Eventually, Scenario, Violation, kv

What this page of names offers stays compatible; the modules behind it may change.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    from lakeproof.impl.effects import Env as Env
    from lakeproof.languages.program import Program as Program
    from lakeproof.languages.program import Raised as Raised
    from lakeproof.model import kv as kv
    from lakeproof.model import objects as objects
    from lakeproof.model.invariants import Always as Always
    from lakeproof.model.invariants import AlwaysEventually as AlwaysEventually
    from lakeproof.model.invariants import Eventually as Eventually
    from lakeproof.model.invariants import Finding as Finding
    from lakeproof.model.invariants import LeadsTo as LeadsTo
    from lakeproof.model.invariants import Monitor as Monitor
    from lakeproof.model.invariants import Observer as Observer
    from lakeproof.model.invariants import OnStep as OnStep
    from lakeproof.model.invariants import Reached as Reached
    from lakeproof.model.invariants import Terminates as Terminates
    from lakeproof.model.invariants import Violation as Violation
    from lakeproof.model.linearizable import Specification as Specification
    from lakeproof.model.linearizable import linearizable as linearizable
    from lakeproof.model.snapshot import CallView as CallView
    from lakeproof.model.snapshot import Invoked as Invoked
    from lakeproof.model.snapshot import Observed as Observed
    from lakeproof.model.snapshot import Outcome as Outcome
    from lakeproof.model.snapshot import Reads as Reads
    from lakeproof.model.snapshot import Returned as Returned
    from lakeproof.model.snapshot import Snapshot as _Snapshot
    from lakeproof.model.snapshot import Status as Status
    from lakeproof.model.snapshot import Transition as _Transition
    from lakeproof.records import JSON as JSON
    from lakeproof.records import Codec as Codec
    from lakeproof.scenario import Aftermath as Aftermath
    from lakeproof.scenario import Call as Call
    from lakeproof.scenario import Client as Client
    from lakeproof.scenario import Faults as Faults
    from lakeproof.scenario import Scenario as Scenario
    from lakeproof.scenario import ScenarioError as ScenarioError
    from lakeproof.testing.check import NotAsExpected as NotAsExpected
    from lakeproof.testing.check import check as check

    R = TypeVar("R", default=bytes)
    Snapshot = _Snapshot[R]
    """A store of bytes; `Snapshot[Record | bytes]` where lakeFS' records are in it."""
    Transition = _Transition[R]

# Loaded when used (PEP 562): a command that prints its help, or a test run with the plugin, need not load the search.
_MODULES: Final = {
    "languages.program": ("Program", "Raised"),
    "impl.effects": ("Env",),
    "model.invariants": (
        *("Always", "Eventually", "Finding", "Monitor", "Observer", "OnStep", "Reached", "Violation"),
        *("AlwaysEventually", "LeadsTo", "Terminates"),
    ),
    "model.linearizable": ("Specification", "linearizable"),
    "model.snapshot": (
        *("CallView", "Invoked", "Observed", "Outcome", "Reads", "Returned", "Snapshot", "Status", "Transition"),
    ),
    "records": ("JSON", "Codec"),
    "scenario": ("Aftermath", "Call", "Client", "Faults", "Scenario", "ScenarioError"),
    "testing.check": ("NotAsExpected", "check"),
}
"""Where the names are."""

_HOMES: Final = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "JSON",
    "Aftermath",
    "Always",
    "AlwaysEventually",
    "Call",
    "CallView",
    "Client",
    "Codec",
    "Env",
    "Eventually",
    "Faults",
    "Finding",
    "Invoked",
    "LeadsTo",
    "Monitor",
    "NotAsExpected",
    "Observed",
    "Observer",
    "OnStep",
    "Outcome",
    "Program",
    "Raised",
    "Reached",
    "Reads",
    "Returned",
    "Scenario",
    "ScenarioError",
    "Snapshot",
    "Specification",
    "Status",
    "Terminates",
    "Transition",
    "Violation",
    "check",
    "kv",
    "linearizable",
    "objects",
]


def __getattr__(name: str) -> object:
    # These two are modules themselves, and no names in one.
    if name in {"kv", "objects"}:
        return import_module(f"lakeproof.model.{name}")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'lakeproof' has no attribute {name!r}; it offers {', '.join(__all__)}")
    return getattr(import_module(f"lakeproof.{home}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
