"""Invariants, by area. One id serves specification, code, command line, reports, tests and Spark."""

from lakeproof.model.invariants._base import (
    STORE,
    STORE_AND_CLIENTS,
    Afterwards,
    Always,
    Eventually,
    Finding,
    Monitor,
    Observer,
    OnStep,
    Reached,
    Reads,
    Violation,
    always,
    eventually,
    on_step,
    violations,
)
from lakeproof.model.invariants._liveness import (
    FAIRNESS,
    AlwaysEventually,
    Fairness,
    LeadsTo,
    Liveness,
    Predicate,
    Promise,
    Terminates,
)

Invariant = Always | Eventually | OnStep | Monitor | Liveness

__all__ = ["FAIRNESS", "STORE", "STORE_AND_CLIENTS", "Afterwards", "Always", "AlwaysEventually", "Eventually"]
__all__ += ["Fairness", "Finding", "Invariant", "LeadsTo", "Liveness", "Monitor", "Observer", "OnStep", "Predicate"]
__all__ += ["Promise", "Reached", "Reads", "Terminates", "Violation", "always", "eventually", "on_step", "violations"]
