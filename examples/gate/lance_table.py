"""Lance tables on S3: appends, deletes, a compaction and a cleanup, two at a time.

lakeproof gate run examples/gate/lance_table.py one-append
"""

import os
import time
from datetime import timedelta
from functools import partial
from typing import Any

from tables import FIRST, readable_and_explained

from lakeproof import Faults
from lakeproof.gate import GateScenario, call

TABLE = "s3://bucket/table.lance"


def options() -> dict[str, str]:
    """The store, as the gate gives it to this process."""
    return {name.lower(): value for name, value in os.environ.items() if name.startswith("AWS_")}


def table() -> Any:
    import lance

    return lance.dataset(TABLE, storage_options=options())


def create() -> None:
    for row in FIRST:
        append(row)
    # S3 lists whole seconds: what is written in this one looks older than the table, and a cleanup compares the two.
    time.sleep(1 - time.time() % 1)


def append(row: int) -> None:
    import lance
    import pyarrow as pa

    lance.write_dataset(pa.table({"row": [row]}), TABLE, mode="append", storage_options=options())


def overwrite(row: int) -> None:
    import lance
    import pyarrow as pa

    lance.write_dataset(pa.table({"row": [row]}), TABLE, mode="overwrite", storage_options=options())


def delete(row: int) -> None:
    table().delete(f"row = {row}")


def compact() -> None:
    table().optimize.compact_files()


def cleanup() -> None:
    """Delete at once what no version but the newest one names."""
    table().cleanup_old_versions(older_than=timedelta(0))


def cleanup_unverified() -> None:
    """The same, with files that no version has ever named: those of writers that are at work, too."""
    table().cleanup_old_versions(older_than=timedelta(0), delete_unverified=True)


def rows() -> list[int]:
    return sorted(table().to_table()["row"].to_pylist())


scenario = partial(
    GateScenario,
    setup=[call(create)],
    after=[call(rows)],
    invariants=[readable_and_explained],
    parallel="threads",
)

CALLS = {
    "append": [call(append, 1)],
    "overwrite": [call(overwrite, 11)],
    "delete": [call(delete, 0)],
    "compact": [call(compact)],
    "cleanup": [call(cleanup)],
    "cleanup-unverified": [call(cleanup_unverified)],
}
PAIRS = [
    *("append-append", "append-overwrite", "append-delete", "append-compact", "append-cleanup"),
    *("append-cleanup-unverified", "overwrite-overwrite", "overwrite-delete", "overwrite-compact", "overwrite-cleanup"),
    *("delete-delete", "delete-compact", "delete-cleanup", "compact-compact", "compact-cleanup"),
]

PLAIN = {"append-cleanup-unverified": {"readable_and_explained": "violated"}}
"""Of pylance 14.0.2: see docs/gate-findings.md."""


def pair(name: str, faults: Faults, expect: dict[str, str]) -> GateScenario:
    one, _, other = name.partition("-")
    fault = "lost-answer/" if faults.lost_answers else ""
    return scenario(name=f"lance/{fault}{name}", clients=[CALLS[one], CALLS[other]], faults=faults, expect=expect)


SCENARIOS = [
    *(
        scenario(name=f"lance/one-{name}/lost-answer", clients=[calls], faults=Faults(lost_answers=1))
        for name, calls in CALLS.items()
    ),
    *(pair(name, Faults(), PLAIN.get(name, {})) for name in PAIRS),
    pair("append-append", Faults(lost_answers=1), {}),
]
