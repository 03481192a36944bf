"""A part that is impossible by itself is so in its file, too, whatever the key held when it began."""

from collections.abc import Hashable
from pathlib import Path

import pytest

from lakeproof.histories.evidence import as_history
from lakeproof.model.linearizability.evidence import Evidence
from lakeproof.model.linearizability.history import Operation
from lakeproof.model.linearizability.specifications import HELD
from lakeproof.model.snapshot import Status
from tests.commands import lakeproof

REFUSED = Operation(process=1, f="set_if", key="k", argument=("a", "b"), status=Status.FAIL, call=10, returned=11)
"""It found something else than "a"."""
ACQUIRED = Operation(process=1, f="acquire", key="k", call=10, returned=11)
READ = Operation(process=1, f="read", argument=None, result="a", call=10, returned=11)


@pytest.mark.parametrize(
    ("op", "model", "held", "last"),
    [
        (REFUSED, "kv", ("a",), "VIOLATED"),
        (REFUSED, "kv", ("a", "c"), "HOLDS"),
        (REFUSED, "kv", ("a", None), "HOLDS"),
        (REFUSED, "kv", None, "HOLDS"),
        (READ, "cas-register", ("b", None), "VIOLATED"),
        (READ, "cas-register", ("b", "a"), "HOLDS"),
        (ACQUIRED, "mutex", (HELD,), "VIOLATED"),
        (ACQUIRED, "mutex", (None,), "HOLDS"),
        (ACQUIRED, "mutex", (None, HELD), "HOLDS"),
    ],
)
def test_what_the_key_may_have_held_is_written_first(
    op: Operation, model: str, held: tuple[Hashable, ...] | None, last: str, tmp_path: Path
) -> None:
    evidence = Evidence(key=op.key, returned=1, failed=op, operations=(op,), minimal=True, possible=held)
    file = tmp_path / "part.jsonl"
    file.write_text("".join(f"{line}\n" for line in as_history(evidence)))
    result = lakeproof("check", "--model", model, "--fail", "predicate-false", "--evidence", "0", str(file))
    assert result.stdout.splitlines()[-1].split(":")[0] == last, result.output
