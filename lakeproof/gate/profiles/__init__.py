"""Profiles that are shipped: programs, seen from the flows. See `lakeproof.gate.profile`."""
