"""What a worker does with Arrow batches of packed states: expand them, look for one, look for a predecessor of one.

Batches that come in have the columns ``w0``, ``w1``, ...: the words of a state, 64 bits each, as signed integers.
Batches that go out of `expand` have ``tag`` (see `lakeproof.spark_checks.explore.masks.LACKING`) and ``count`` before
them.
"""

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lakeproof.search.expansion import Attempt
from lakeproof.search.packing import CHUNK, Words, concatenate, distinct, equal, take
from lakeproof.spark_checks.explore.masks import (
    LACKING,
    Job,
    Question,
    StateQuestion,
    answers,
    matching,
)

GATHERED_MAX: Final = 1 << 20
"""Rows that a task gathers before it hands them on, each once. Memory: a few times 8 bytes a word."""

BATCH_ROWS: Final = 1 << 16

HIT: Final = 1
"""The tag of a state that was looked for."""

Counts = npt.NDArray[np.int64]


def expand(job: Job, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The successors of these states, and what the questions want to know.

    Rows tagged with a stride are successors, each once in what one task gathers; their ``count`` adds up to the number
    of transitions. Rows tagged LACKING are the lacking states, ``count`` naming the unknown thing that the row speaks
    for, or 0. Rows with a negative tag answer questions.
    """
    gathered = _Gathered(job)
    for words in chunks(batches, job.kernel.layout.words):
        attempt = job.kernel.attempt(words)
        for move, rows, after in attempt.offers:
            # Questions about a move are about the state that it leads from, which holds what the move reads.
            before = take(words, rows)
            gathered.transitions += len(rows)
            for question in job.moves:
                if question.move == move:
                    gathered.add(question.tag, answers(job.kernel, question, before))
            # Without ranks every move leads to the next level: a stride of 1.
            strides = job.kernel.by_stride(move, before, after) if job.ranked else [(1, after)]
            for stride, part in strides:
                gathered.add(stride, job.symmetry.canonical(part, job.kernel))
        names = np.zeros(len(words[0]), np.int64)  # 0: others speak for what this state lacks
        for name, row in attempt.wanted.items():
            # A row can speak for one thing only: for what is left over another one speaks, or it does next time.
            names[row] = name
        # Lacking states are not gathered: each comes once, and a merger would lose the names.
        yield from batches_of(LACKING, names[attempt.lacking], take(words, attempt.lacking))
        if gathered.rows > GATHERED_MAX:
            yield from gathered.handed_on()
    yield from gathered.handed_on()


class _Gathered:
    """Rows by tag, to be handed on each once."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._parts: dict[int, list[Words]] = {}
        self.rows = self.transitions = 0

    def add(self, tag: int, words: Words) -> None:
        if len(words[0]):
            self._parts.setdefault(tag, []).append(words)
            self.rows += len(words[0])

    def handed_on(self) -> Iterator[pa.RecordBatch]:
        size = self._job.kernel.layout.words
        for tag, parts in sorted(self._parts.items()):
            words = distinct(concatenate(parts, size))
            counts = np.zeros(len(words[0]), np.int64)
            if tag > LACKING:
                # The first row carries the transitions of all, as only their sum is read. Each transition has a
                # successor, so that there is such a row whenever the number is not 0.
                counts[0], self.transitions = self.transitions, 0
                # Answers are about the successors, so that states are projected where they arise, without duplicates.
                for question in self._job.states:
                    found = answers(self._job.kernel, question, words)
                    yield from batches_of(question.tag, np.zeros(len(found[0]), np.int64), found)
            yield from batches_of(tag, counts, words)
        self._parts, self.rows = {}, 0


def locate(
    job: Job, batches: Iterable[pa.RecordBatch], question: Question, target: tuple[int, ...]
) -> Iterator[pa.RecordBatch]:
    """The states that have this projection; for a question about a move, those of them that can make it. Rows tagged
    LACKING show what lacking states lack, as in `expand`."""
    for words in chunks(batches, job.kernel.layout.words):
        if isinstance(question, StateQuestion):
            # A question about a state needs no tables: no state can lack anything.
            yield from _hit(words, matching(job.kernel, question, words, target))
            continue
        attempt = job.kernel.attempt(words)
        for move, rows, _ in attempt.offers:
            if move == question.move:
                before = take(words, rows)
                yield from _hit(before, matching(job.kernel, question, before, target))
        yield from _witnesses(attempt, words)


def preceding(job: Job, batches: Iterable[pa.RecordBatch], target: tuple[int, ...]) -> Iterator[pa.RecordBatch]:
    """The states from which one move leads to this one. LACKING as in `locate`."""
    for words in chunks(batches, job.kernel.layout.words):
        attempt = job.kernel.attempt(words)
        for _, rows, after in attempt.offers:
            # Under symmetry the target is a representative, and a successor of one need not be one.
            hits = np.flatnonzero(equal(job.symmetry.canonical(after, job.kernel), target))
            yield from _hit(words, rows[hits])
        yield from _witnesses(attempt, words)


def _hit(words: Words, rows: npt.NDArray[np.intp]) -> Iterator[pa.RecordBatch]:
    """The least of some rows: callers want one."""
    if len(rows):
        # The last key of `lexsort` is the most significant one. Words are compared as signed numbers, as Spark does.
        least = rows[np.lexsort([word[rows].view(np.int64) for word in reversed(words)])[:1]]
        yield from batches_of(HIT, np.zeros(1, np.int64), take(words, least))


def _witnesses(attempt: Attempt, words: Words) -> Iterator[pa.RecordBatch]:
    """For each unknown thing a state that needs it."""
    rows = np.array(list(attempt.wanted.values()), np.intp)
    yield from batches_of(LACKING, np.array(list(attempt.wanted), np.int64), take(words, rows))


def chunks(batches: Iterable[pa.RecordBatch], size: int) -> Iterator[Words]:
    """The states of all batches, so many at once that array operations pay."""
    parts: list[Words] = []
    rows = 0
    for batch in batches:
        words = words_of(batch, size)
        # Engines choose the size of batches. Slices also keep the temporaries of one very large batch small.
        for at in range(0, len(words[0]), CHUNK):
            part = take(words, slice(at, at + CHUNK))
            parts.append(part)
            rows += len(part[0])
            if rows >= CHUNK:
                yield concatenate(parts, size)
                parts, rows = [], 0
    if rows:
        yield concatenate(parts, size)


def names(words: int) -> list[str]:
    """The columns of states with so many words."""
    return [f"w{at}" for at in range(words)]


def words_of(batch: pa.RecordBatch | pa.Table, size: int) -> Words:
    """The states of a batch, or of a table."""
    return [np.asarray(batch.column(name).to_numpy(), np.int64).view(np.uint64) for name in names(size)]


def batches_of(tag: int, counts: Counts, words: Words) -> Iterator[pa.RecordBatch]:
    """Rows as batches of bounded size."""
    schema = pa.schema(
        [("tag", pa.int32()), ("count", pa.int64()), *((name, pa.int64()) for name in names(len(words)))]
    )
    for at in range(0, len(counts), BATCH_ROWS):
        part = slice(at, at + BATCH_ROWS)
        columns = [pa.array(np.full(len(counts[part]), tag, np.int32)), pa.array(counts[part])]
        columns += [pa.array(word[part].view(np.int64)) for word in words]
        yield pa.RecordBatch.from_arrays(columns, schema=schema)
