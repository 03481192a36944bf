"""What is known of mutants already: JSON lines, one for each scenario as it is and for each mutant, found by a key.

A key covers all that an answer depends on: the code of model, flows, search, scenarios and modules which a
user's file imports, Python and what is installed, the mutant, the scenarios that judge, and the bounds. An answer whose
key is not needed is kept in the file, and ignored.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final, cast

import attrs

from lakeproof.mutation.injection import package
from lakeproof.mutation.mutants import Mutant
from lakeproof.mutation.work import KILLED, Bounds, JudgeStep, MutantResult, Origin, Reach
from lakeproof.verify.keys import installation
from lakeproof.verify.loader import users_files
from lakeproof.verify.witness import WITNESS, status
from lakeproof.words import Unusable

_BEGINNING: Final = '{"key": '
ROOMS: Final = ("model", "impl", "search", "designs", "mutation", "verify", "languages")


def digest(*parts: object) -> str:
    """A fingerprint of values that print themselves fully."""
    # No `repr` has a NUL, so parts stay apart.
    return hashlib.sha256("\0".join(map(repr, parts)).encode()).hexdigest()[:24]


def digest_of_code(file: Path | None) -> str:
    """A fingerprint of all code that a verdict depends on: of lakeproof, of the user's file, and of the modules that
    are loaded besides: what the file imports. Once the file is loaded."""
    root = package()
    found = [*root.glob("*.py"), *(path for room in ROOMS for path in (root / room).rglob("*.py"))]
    found += [*users_files(), *([] if file is None else [file])]
    # What the file has read besides may be another thing in another run, which is not to find what this one has kept.
    run = WITNESS.began_ns if WITNESS.strange else 0
    digests = (_digest_of(str(path), status(str(path))) for path in sorted(found))
    return digest(run, installation(), sorted(WITNESS.known), *digests)


@lru_cache(1 << 14)
def _digest_of(file: str, _: tuple[int, ...]) -> str:
    """Of its bytes. It is called at each result, so a file with the same status is not read again."""
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


def key_of_reach(code: str, scenario: str, files: Iterable[str]) -> str:
    """files: those that are mutated: of others no line is noted."""
    return digest("reach 2", code, scenario, sorted(files))


def key_of_verdict(
    code: str, mutant: Mutant, steps: Iterable[JudgeStep], bounds: Bounds, *, thorough: bool = False
) -> str:
    # Not the code of the mutant: the file is in `code`, and these say what differs.
    row = (mutant.file, mutant.function, mutant.operator, mutant.lines, mutant.before, mutant.after, mutant.number)
    # Sorted: the order only says who kills first.
    judges = sorted((step.scenario, step.states_max, step.states) for step in steps)
    # Counted up when a row means something else.
    return digest("verdict 4", code, row, judges, attrs.astuple(bounds), thorough)


class Results:
    """The file of results. Opened to append: what is written stays after an interrupt.

    Raises Unusable: a line is no result, or there is no room for one.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: dict[str, dict[str, object]] = {}
        self._killers: dict[tuple[object, ...], str] = {}
        before = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""  # a device may never end
        for number, line in enumerate(before.splitlines(), start=1):
            self._take(line, number)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("ab", buffering=0)  # else `close` would write again what found no room
        self._end = "" if before[-1:] in ("", "\n") else "\n"
        """Of the last row: a disk that fills up takes a part of it."""

    def _take(self, line: str, number: int) -> None:
        try:
            row = json.loads(line)
            self._known[row["key"]] = row  # later lines replace earlier ones
            self._remember(row)
        except (ValueError, KeyError, TypeError) as error:
            if line.startswith(_BEGINNING):  # the rest of the row found no room
                return
            raise Unusable(
                f"{self.path}: line {number}: {line[:60]!r} is no result of `lakeproof mutants`; choose another file "
                "with --results, or remove it"
            ) from error

    def close(self) -> None:
        self._file.close()

    def _put(self, key: str, row: dict[str, object]) -> None:
        self._known[key] = row
        line = f"{self._end}{json.dumps({'key': key, **row})}\n".encode()
        try:
            self._end = "" if self._file.write(line) == len(line) else "\n"
        except OSError as error:
            raise Unusable(
                f"{self.path}: cannot be written: {error.strerror}; make room there, or name another with --results"
            ) from error

    def reach(self, key: str, origin: Origin) -> Reach | None:
        row = self._known.get(key)
        if row is None:
            return None
        rows = cast("dict[str, list[int]]", row["lines"])
        return Reach(
            scenario=str(row["scenario"]),
            origin=origin,
            states=cast("int", row["states"]),
            lines=tuple((name, tuple(lines)) for name, lines in rows.items()),
        )

    def put_reach(self, key: str, reach: Reach) -> None:
        row: dict[str, object] = {
            "scenario": reach.scenario,
            "states": reach.states,
            "lines": {name: list(lines) for name, lines in reach.lines},
        }
        self._put(key, row)

    def verdict(self, key: str) -> MutantResult | None:
        row = self._known.get(key)
        if row is None:
            return None
        return MutantResult(**{name: row[name] for name in attrs.fields_dict(MutantResult)})  # type: ignore[arg-type]

    def put_verdict(self, key: str, mutant: Mutant, verdict: MutantResult) -> None:
        self._put(key, {**describe_mutant(mutant), **attrs.asdict(verdict)})
        self._remember(self._known[key])

    def killer(self, mutant: Mutant) -> str | None:
        """The scenario that killed it last, in whatever state the code was then: a good one to begin with."""
        return self._killers.get(_identity_of(describe_mutant(mutant)))

    def _remember(self, row: Mapping[str, object]) -> None:
        if row.get("fate") == KILLED:
            self._killers[_identity_of(row)] = str(row["scenario"])


def _identity_of(row: Mapping[str, object]) -> tuple[object, ...]:
    """A mutant without its lines, which an unrelated change moves."""
    return tuple(row[name] for name in ("file", "function", "operator", "before", "after"))


def describe_mutant(mutant: Mutant) -> dict[str, object]:
    """A mutant for programs, without its code."""
    return {
        "file": mutant.file,
        "line": mutant.lines[0],
        "function": mutant.function,
        "operator": mutant.operator,
        "before": mutant.before,
        "after": mutant.after,
    }
