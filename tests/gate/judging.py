"""A scenario of real processes behind the gate, run by the command."""

import json
from pathlib import Path
from typing import Final

import attrs

from tests.commands import lakeproof

HERE: Final = Path(__file__).parent
EXAMPLES: Final = HERE.parents[1] / "examples" / "gate"
COUNTER, NASTY = EXAMPLES / "counter.py", HERE / "nasty.py"


@attrs.frozen
class Ran:
    """rows: by invariant, without what is the same in each run."""

    code: int
    rows: dict[str, dict[str, object]]
    complaints: str

    @property
    def row(self) -> dict[str, object]:
        """That of the last invariant; empty where nothing was judged."""
        return list(self.rows.values())[-1] if self.rows else {}


def run(out: Path, file: Path, name: str, *words: str) -> Ran:
    result = lakeproof("gate", "run", str(file), name, "--json", "--out", str(out), *words)
    rows = map(json.loads, result.stdout.splitlines())
    return Ran(result.exit_code, {str(row["invariant"]): row for row in rows}, result.stderr)


def edited(folder: Path, before: str, after: str) -> Path:
    """The counter with another text in it."""
    text = COUNTER.read_text()
    assert before in text
    (folder / "counter.py").write_text(text.replace(before, after))
    return folder / "counter.py"
