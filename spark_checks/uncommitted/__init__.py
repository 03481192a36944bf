"""Garbage that was never committed, over a dataset: objects that no commit and no staged entry refers to."""
