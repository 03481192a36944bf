"""What Python's workers do for the graph of commits: a module of its own, since each worker imports it anew, and all
that it imports."""

from collections.abc import Iterator
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakeproof.spark_checks.checks import graph

NAMES: Final = ("node", "bits", "expected", "lost")
ROWS_AT_ONCE: Final = 1 << 16


def judge_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The graph of whole repositories, in any number of batches: what is wrong with which node."""
    # A repository's graph has edges between any two batches, so all of them are needed before the first answer.
    arrived = list(batches)
    if not arrived:
        return
    found = pa.Table.from_batches(arrived)
    parents = found.column("parents").combine_chunks()
    names = found.column("node").to_numpy()
    result = graph.judge(
        graph.Graph(
            names=names,
            heads=found.column("head").to_numpy(zero_copy_only=False),
            generations=found.column("generation").to_numpy(),
            dates=found.column("date").to_numpy(),
            # Not the offsets of the array: they need not begin at 0, and have 32 bits.
            starts=np.concatenate([[0], np.cumsum(parents.value_lengths().to_numpy(), dtype=np.int64)]),
            parents=parents.flatten().to_numpy(),
        )
    )
    # Only nodes with a finding leave the worker: of a sound graph that is nothing.
    noted = np.flatnonzero(result.bits)
    lost = _first_missing(result, parents.value_lengths().to_numpy().astype(np.int64))
    columns = names[noted], result.bits[noted].astype(np.int32), result.expected[noted], lost[noted]
    table_ = pa.table([pa.array(column) for column in columns], names=list(NAMES))
    yield from table_.to_batches(max_chunksize=ROWS_AT_ONCE)


def _first_missing(found: graph.Judged, degree: graph.Longs) -> NDArray[np.int32]:
    """For each node the position of its first parent that is missing, from 0; -1 if none is."""
    # Of each missing parent: the node that names it, and its position among that node's parents.
    nodes = np.repeat(np.arange(len(degree)), degree)[found.missing]
    within = (np.arange(len(found.missing)) - np.repeat(np.cumsum(degree) - degree, degree))[found.missing]
    first = np.full(len(degree), -1, np.int32)
    first[nodes[::-1]] = within[::-1]  # of several values for one place, the last one stays
    return first
