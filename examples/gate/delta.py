"""Delta tables on S3, written by `deltalake` as it is released: each pair of calls, plain and with one lost answer.

lakeproof gate run examples/gate/delta.py one-append/lost-answer
"""

import json
import os
import sys
from functools import partial
from itertools import combinations_with_replacement

from tables import FIRST, readable_and_explained

from lakeproof import Faults
from lakeproof.gate import GateScenario, Outcome, call

TABLE = "s3://bucket/table"
LOG = "bucket/table/_delta_log/"


def options() -> dict[str, str]:
    """The store, as the gate gives it to this process; commits by conditional puts; retries at once."""
    return {name: value for name, value in os.environ.items() if name.startswith("AWS_")} | {
        "conditional_put": "etag",
        "backoff_config.init_backoff": "1ms",
        "backoff_config.max_backoff": "2ms",
    }


def create() -> None:
    """One commit of two rows in two files: there is something to compact, and something that a delete leaves alone.

    On several cores the library numbers the two files as it comes, and what is compacted from them has another size,
    and a trace would be followed after one setup in two. So this process keeps to one core on Linux.
    """
    if sys.platform == "linux":
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    import pyarrow as pa
    from deltalake import write_deltalake

    batches = [pa.record_batch({"row": [row]}) for row in FIRST]
    reader = pa.RecordBatchReader.from_batches(batches[0].schema, batches)
    write_deltalake(TABLE, reader, target_file_size=1, storage_options=options())


def append(row: int) -> None:
    import pyarrow as pa
    from deltalake import write_deltalake

    write_deltalake(TABLE, pa.table({"row": [row]}), mode="append", storage_options=options())


def overwrite(row: int) -> None:
    import pyarrow as pa
    from deltalake import write_deltalake

    write_deltalake(TABLE, pa.table({"row": [row]}), mode="overwrite", storage_options=options())


def delete(row: int) -> None:
    from deltalake import DeltaTable

    DeltaTable(TABLE, storage_options=options()).delete(f"row = {row}")


def optimize() -> None:
    from deltalake import DeltaTable

    DeltaTable(TABLE, storage_options=options()).optimize.compact()


def vacuum(full: bool) -> None:
    """Delete at once what the table no longer names. full: files that its log has never named, too."""
    from deltalake import DeltaTable

    table = DeltaTable(TABLE, storage_options=options())
    table.vacuum(retention_hours=0, dry_run=False, enforce_retention_duration=False, full=full)


def rows() -> list[int]:
    from deltalake import DeltaTable

    return sorted(DeltaTable(TABLE, storage_options=options()).to_pyarrow_table()["row"].to_pylist())


def recorded_once(outcome: Outcome) -> str | None:
    """No data file is added as new data by two commits: a reader of the change feed would see its rows twice."""
    commits: dict[str, list[str]] = {}
    for address, stored in sorted(outcome.store.objects.items()):
        if address.startswith(LOG) and address.endswith(".json"):
            for action in map(json.loads, stored.content.splitlines()):
                if action.get("add", {}).get("dataChange"):
                    commits.setdefault(action["add"]["path"], []).append(address.removeprefix(LOG))
    twice = next((found for found in commits.values() if len(found) > 1), None)
    return None if twice is None else f"one data file is added by the commits {' and '.join(twice)}"


scenario = partial(
    GateScenario,
    setup=[call(create)],
    after=[call(rows)],
    invariants=[readable_and_explained, recorded_once],
    parallel="threads",
)

CALLS = {
    "append": lambda number: [call(append, number)],
    "overwrite": lambda number: [call(overwrite, 10 + number)],
    "delete": lambda number: [call(delete, 0)],
    "optimize": lambda number: [call(optimize)],
    "vacuum": lambda number: [call(vacuum, False)],
    "vacuum-full": lambda number: [call(vacuum, True)],
}

TWICE = {"recorded_once": "violated"}
WRONG = {"readable_and_explained": "violated"}

PLAIN = {
    "append-vacuum-full": WRONG,
    "overwrite-vacuum-full": WRONG,
    "overwrite-optimize": WRONG,
    "optimize-optimize": WRONG,
    "optimize-vacuum-full": WRONG,
}
"""Of deltalake 1.6.6: see docs/gate-findings.md."""

LOST = {
    **dict.fromkeys(("append-append", "append-overwrite", "append-delete", "append-vacuum"), TWICE),
    "append-optimize": TWICE | WRONG,
    **dict.fromkeys(("overwrite-optimize", "delete-optimize", "optimize-optimize"), WRONG),
}
"""With one lost answer."""
LOST_CALLS = [name for name in CALLS if name != "vacuum-full"]


def pair(one: str, other: str, lost_answers: int, expect: dict[str, str]) -> GateScenario:
    return scenario(
        name=f"delta/{'lost-answer/' if lost_answers else ''}{one}-{other}",
        clients=[CALLS[one](1), CALLS[other](2)],
        faults=Faults(lost_answers=lost_answers),
        expect=expect,
    )


SCENARIOS = [
    *(
        scenario(
            name=f"delta/one-{name}/lost-answer",
            clients=[calls(1)],
            faults=Faults(lost_answers=1),
            expect=TWICE if name == "append" else {},
        )
        for name, calls in CALLS.items()
    ),
    *(pair(one, other, 0, PLAIN.get(f"{one}-{other}", {})) for one, other in combinations_with_replacement(CALLS, 2)),
    *(
        pair(one, other, 1, LOST.get(f"{one}-{other}", {}))
        for one, other in combinations_with_replacement(LOST_CALLS, 2)
    ),
]
