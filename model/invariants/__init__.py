"""Invariants, by area. One id serves specification, code, command line, reports, tests and Spark."""

from lakeproof.model.invariants._base import (
    STORE,
    STORE_AND_CLIENTS,
    Always,
    Eventually,
    Finding,
    Invariant,
    Monitor,
    Observer,
    OnStep,
    Reached,
    Reads,
    Violation,
    violations,
)

__all__ = [
    "STORE",
    "STORE_AND_CLIENTS",
    "Always",
    "Eventually",
    "Finding",
    "Invariant",
    "Monitor",
    "Observer",
    "OnStep",
    "Reached",
    "Reads",
    "Violation",
    "violations",
]
