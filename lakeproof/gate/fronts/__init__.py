"""Fronts of the gate: pure stores that speak the protocol of a service."""
