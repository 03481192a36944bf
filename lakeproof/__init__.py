"""lakeproof: prove or refute metadata protocols on key-value stores by running their real code."""

from lakeproof.scenario import Aftermath, Call, Faults, Scenario, ScenarioError

__all__ = ["Aftermath", "Call", "Faults", "Scenario", "ScenarioError"]
