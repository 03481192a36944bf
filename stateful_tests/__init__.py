"""Swarm machines: random races of the reference flows under random schedules and faults, judged as by the search."""
