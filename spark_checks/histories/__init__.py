"""Recorded histories by the million keys, each judged by the same pure function as one by `lakeproof check`."""
