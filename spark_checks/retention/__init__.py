"""Retention of committed objects, over a dataset: which commits are expired, what only they reach, and its deletion."""
