"""Hypothesis rule-based state machines that interleave concurrent operations over the reference flows."""
