"""Worlds, faults, behaviour tries, searches and traces."""
