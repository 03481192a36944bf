"""The gate: real programs, unmodified, stopped at each request to their store.

A server that speaks the wire protocol of a store holds each request of a program, and lets one go at a time, in the
order that a schedule says.

A name is loaded when it is first used: each process of a program under test imports this.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from lakeproof.gate.cuts import Moment as Moment
    from lakeproof.gate.profile import Profile as Profile
    from lakeproof.gate.profile import Rule as Rule
    from lakeproof.gate.programs import Returned as Returned
    from lakeproof.gate.scenario import GateCall as GateCall
    from lakeproof.gate.scenario import GateScenario as GateScenario
    from lakeproof.gate.scenario import Invariant as Invariant
    from lakeproof.gate.scenario import OnTheWay as OnTheWay
    from lakeproof.gate.scenario import Outcome as Outcome
    from lakeproof.gate.scenario import call as call

_HOMES: Final = {
    "Moment": "cuts",
    "Profile": "profile",
    "Rule": "profile",
    "Returned": "programs",
    **dict.fromkeys(("GateCall", "GateScenario", "Invariant", "OnTheWay", "Outcome", "call"), "scenario"),
}
"""The module of each name."""

__all__ = [*_HOMES]  # noqa: PLE0604  # these are texts


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'lakeproof.gate' has no attribute {name!r}; it offers {', '.join(__all__)}")
    return getattr(import_module(f"lakeproof.gate.{_HOMES[name]}"), name)
