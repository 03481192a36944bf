"""Mutants that are no faults, each with the reason: the table ``equivalents.toml``.

A row that matches no mutant is an error of `tests/mutation`, and one whose mutant is killed is reported as *stale*.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from lakeproof.mutation.mutants import Mutant

Key = tuple[str, str, str, str, int]
"""``FILE:FUNCTION``, operator, both texts as `lakeproof mutants` prints them, and the number of the mutant: the fourth
part of a row, else 0."""


@cache
def equivalents() -> Mapping[Key, str]:
    """The reason of each.

    Raises:
        ValueError: a row stands twice, or has no reason.
    """
    document = tomllib.loads(Path(__file__).with_name("equivalents.toml").read_text(encoding="utf-8"))
    found: dict[Key, str] = {}
    for row in document["equivalent"]:
        for operator, before, after, *number in row["changes"]:
            key = (row["function"], operator, before, after, *(number or [0]))
            if key in found or not row["reason"]:
                raise ValueError(f"equivalents.toml: {key}: expected once, with a reason")
            found[key] = row["reason"]
    return found


def key_of(mutant: Mutant) -> Key:
    # The line is no part of it: unrelated changes move it.
    return f"{mutant.file}:{mutant.function}", mutant.operator, mutant.before, mutant.after, mutant.number
