"""Benchmarks, each with a rival or a limit beside it."""
