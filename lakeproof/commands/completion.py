"""What a shell completes: names of commands and of scenarios, without loading what is completed.

The names of the catalogue take seconds to build, and a shell asks at each press of a key. They are kept in the user's
cache, under a fingerprint of the catalogue's files: a file that changes makes its list anew. The names in a user's
file are read from its text, and the file is not executed.
"""

import ast
import os
import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

import click

from lakeproof.running.folders import user_cache

NAMES_MAX: Final = 60
"""More names than this are completed up to the next slash."""

CATALOGUE: Final = Path(__file__).parents[1] / "scenarios"
_BREAKS: Final = re.compile(r"[:@=]")
"""Where bash ends a word: `COMP_WORDBREAKS`."""


def scenario_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Names of scenarios that begin with what was typed. A shell has no use for an error: then there are none."""
    before = ""
    if "bash" in os.environ.get("_LAKEPROOF_COMPLETE", ""):
        before = _cut_off(os.environ.get("COMP_WORDS", "").split(), incomplete)
        incomplete = "" if _BREAKS.fullmatch(incomplete) else incomplete
    try:
        file = ctx.params.get("file")
        names = list(named_in(file)) if isinstance(file, Path) else catalogue_names()
    except (OSError, SyntaxError, ValueError):
        return []
    return [name.removeprefix(before) for name in levels(names, before + incomplete)]


def levels(names: Sequence[str], begun: str) -> list[str]:
    """The names that begin so; of more than `NAMES_MAX` only the parts up to the next slash where they differ."""
    found = sorted({name for name in names if name.startswith(begun)})
    while len(found) > NAMES_MAX:
        parts = {name[: end + 1] if (end := name.find("/", len(begun))) >= 0 else name for name in found}
        if len(parts) > 1:
            return sorted(parts)
        [begun] = parts
    return found


def _cut_off(words: Sequence[str], incomplete: str) -> str:
    """What bash has cut off the word that is typed: ``design/a@b`` reaches us as three words."""
    words = list(words)
    if words and words[-1] == incomplete and not _BREAKS.fullmatch(incomplete):
        words.pop()
    if not words or not _BREAKS.fullmatch(words[-1]):
        return ""
    cut = words.pop()
    while words and (_BREAKS.fullmatch(words[-1]) or _BREAKS.fullmatch(cut[:1])):
        cut = words.pop() + cut
    return cut


def named_in(path: Path) -> Iterator[str]:
    """The names that the calls of ``Scenario`` in a file spell out. Raises OSError, SyntaxError, ValueError."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            for keyword in node.keywords if called.endswith("Scenario") else ():
                if keyword.arg == "name" and isinstance(keyword.value, ast.Constant):
                    yield str(keyword.value.value)


def catalogue_names() -> list[str]:
    """The names of the catalogue. Cost: a file; after a change of the catalogue, that of loading it."""
    files = sorted((path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in CATALOGUE.glob("*.py"))
    fingerprint = sha256(repr((str(CATALOGUE), files)).encode()).hexdigest()[:16]
    kept = user_cache() / f"scenarios-{fingerprint}"
    try:
        return kept.read_text(encoding="utf-8").splitlines()
    except OSError:
        names = _built()
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        for stale in kept.parent.glob("scenarios-*"):
            stale.unlink(missing_ok=True)
        part = kept.with_name(f".{kept.name}.{os.getpid()}")
        part.write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
        part.replace(kept)
    except OSError:
        pass  # a folder that cannot be written costs time, nothing else
    return names


def _built() -> list[str]:
    from lakeproof.scenarios import catalogue

    return [scenario.name for scenario in catalogue()]
