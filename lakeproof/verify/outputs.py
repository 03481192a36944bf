"""Where traces go: a file name for each scenario and invariant, and whether they can be written there."""

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

from lakeproof.scenario import Scenario
from lakeproof.verify.tasks import Outcome
from lakeproof.words import Unusable

_UNFIT: Final = re.compile(r"[^A-Za-z0-9.+-]+")


class TraceFiles:
    """Writes the traces of a run, each to a file of its own."""

    def __init__(self, folder: Path, scenarios: Sequence[Scenario], kind: str = "") -> None:
        self.folder = folder
        self.found: dict[tuple[str, str], Path] = {}
        """Where the traces belong that were found; `written` are those that are there."""
        self.written: dict[tuple[str, str], Path] = {}
        self.unwritten: Unusable | None = None
        """Why the first one could not be written."""
        # Of all scenarios at once: the name of a file must not depend on which of them are violated, or in which order.
        pairs = [(s.name, name) for s in scenarios for name in s.ids]
        self._paths = trace_paths(folder, pairs, f".{kind}.json" if kind else ".json")
        check_writable(folder)

    def write(self, outcome: Outcome) -> Mapping[str, Path]:
        """Write the traces of a scenario. Returns the paths by invariant id."""
        from lakeproof.search.trace import write

        paths = {}
        for verdict in outcome.verdicts:
            if verdict.trace is not None:
                at = outcome.scenario, verdict.invariant
                path = self.found[at] = self._paths[at]
                try:
                    write(verdict.trace, path)
                except OSError as error:
                    self.unwritten = self.unwritten or unwritable(path, error.strerror or str(error))
                else:
                    paths[verdict.invariant] = self.written[at] = path
        return paths


def trace_paths(
    folder: Path, pairs: Sequence[tuple[str, str]], suffix: str = ".json"
) -> Mapping[tuple[str, str], Path]:
    """By scenario and invariant, a file with a readable name; where two names would be one on any file system, a
    fingerprint tells them apart."""
    stems = {pair: _UNFIT.sub("_", f"{pair[0]}.{pair[1]}") for pair in pairs}
    # In lower case: macOS and Windows take names that differ by case alone for one file.
    met = Counter(stem.lower() for stem in stems.values())
    return {
        pair: folder / f"{stem if met[stem.lower()] == 1 else f'{stem}.{_fingerprint(pair)}'}{suffix}"
        for pair, stem in stems.items()
    }


def _fingerprint(pair: tuple[str, str]) -> str:
    return sha256("\0".join(pair).encode()).hexdigest()[:8]  # no name holds a NUL: two pairs are two texts


def check_writable(folder: Path, option: str = "--out") -> None:
    """Say at the beginning of a long run what would fail at its end. Raises Unusable."""
    # The folder is made with the first trace, so the nearest one that is there decides. A dangling link does not
    # exist to `Path.exists`, and blocks the name all the same; and what is below a folder without access raises there.
    existing = next(path for path in (folder, *folder.absolute().parents) if os.path.lexists(path))
    if not os.path.isdir(existing):  # noqa: PTH112  # that of a `Path` raises, too
        raise unwritable(existing, "it is no folder", option)
    if not os.access(existing, os.W_OK | os.X_OK):
        raise unwritable(existing, "Permission denied", option)


def unwritable(path: Path, why: str, option: str = "--out") -> Unusable:
    """The error of a folder, or a file in it, that ``option`` has named."""
    return Unusable(f"{path}: cannot be written: {why}; make room there, or choose another folder with {option}")
