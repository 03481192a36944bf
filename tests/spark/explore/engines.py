"""An engine without Spark: the workers' functions on Arrow batches, one small batch after the other."""

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import numpy as np
import pyarrow as pa

from lakeproof.search.packing import Layout, Words, concatenate, distinct, repack, take
from lakeproof.spark_checks.explore import worker
from lakeproof.spark_checks.explore.levels import Expanded, Part, Row, Sought, SparkLevels
from lakeproof.spark_checks.explore.masks import LACKING, Job, Question

Task = Callable[[Job, Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]


class InProcess(SparkLevels):
    """Levels in memory. ``batch_rows``: what one task gets; ``witnesses``: how many things are compiled at once."""

    def __init__(self, batch_rows: int = 50, witnesses: int = 3) -> None:
        self.batch_rows, self.witnesses = batch_rows, witnesses
        self.words: dict[Part, Words] = {}
        self.old: list[tuple[int, Words, Layout]] = []
        self.rounds = self.lacking = self.made = self.steps = 0

    def keep(self, words: Words, layout: Layout) -> Part:
        return self._made(LACKING, words, layout)

    def merged(self, parts: Sequence[Part], layout: Layout) -> Part:
        if len(parts) == 1:
            return parts[0]
        return self._made(
            1, distinct(concatenate([self._states(part, layout) for part in parts], layout.words)), layout
        )

    def expanded(self, part: Part, job: Job) -> Expanded:
        layout, by_tag = job.kernel.layout, dict[int, list[Words]]()
        names: dict[int, Words] = {}
        transitions = 0
        self.steps += 1
        for batch in self._run(part, job, worker.expand):
            words, tag = worker.words_of(batch, layout.words), batch["tag"][0].as_py()
            by_tag.setdefault(tag, []).append(words)
            for at, count in enumerate(batch["count"].to_pylist()):
                if tag > LACKING:
                    transitions += count
                elif tag == LACKING and count and len(names) < self.witnesses:
                    names.setdefault(count, take(words, slice(at, at + 1)))
        kept = {}
        for tag, parts in by_tag.items():
            kept[tag] = self._made(tag, distinct(concatenate(parts, layout.words)), layout)
        lacking = kept.pop(LACKING, None)
        self.rounds += lacking is not None
        self.lacking += 0 if lacking is None else lacking.count
        return Expanded(
            successors=tuple((tag, part) for tag, part in kept.items() if tag > LACKING),
            answers=tuple(part for tag, part in kept.items() if tag < LACKING),
            lacking=lacking,
            witnesses=concatenate(list(names.values()), layout.words),
            transitions=transitions,
        )

    def fresh(self, answers: Sequence[Part], layout: Layout) -> Iterator[tuple[int, Row]]:
        old = {(tag, row) for tag, words, before in self.old for row in _rows(repack(words, before, layout))}
        new = {(part.tag, row) for part in answers for row in _rows(self._states(part, layout))} - old
        self.old += [(part.tag, self.words[part], part.layout) for part in answers]
        yield from sorted(new)

    def remember(self, tag: int, words: Words, layout: Layout) -> None:
        self.old.append((tag, words, layout))

    def located(self, part: Part, job: Job, question: Question, target: Row) -> Sought:
        return self._sought(part, job, partial(worker.locate, question=question, target=target))

    def preceding(self, part: Part, job: Job, target: Row) -> Sought:
        return self._sought(part, job, partial(worker.preceding, target=target))

    def drop(self, part: Part) -> None:
        del self.words[part]

    def clear(self) -> None:
        self.words, self.old = {}, []

    def _made(self, tag: int, words: Words, layout: Layout) -> Part:
        self.made += 1
        part = Part(str(self.made), tag, layout, len(words[0]))
        self.words[part] = words
        return part

    def _states(self, part: Part, layout: Layout) -> Words:
        return repack(self.words[part], part.layout, layout)

    def _run(self, part: Part, job: Job, task: Task) -> Iterator[pa.RecordBatch]:
        words = self._states(part, job.kernel.layout)
        for at in range(0, len(words[0]), self.batch_rows):
            piece = take(words, slice(at, at + self.batch_rows))
            sent: Job = pickle.loads(pickle.dumps(job))  # noqa: S301  # our own, as Spark sends it
            yield from task(sent, worker.batches_of(0, np.zeros(len(piece[0]), np.int64), piece))

    def _sought(self, part: Part, job: Job, task: Task) -> Sought:
        size = job.kernel.layout.words
        found = [(batch["tag"][0].as_py(), worker.words_of(batch, size)) for batch in self._run(part, job, task)]
        hits = [row for tag, words in found if tag == worker.HIT for row in _rows(words)]
        lacking = concatenate([words for tag, words in found if tag == LACKING], size)
        return Sought(min(hits, default=None), take(lacking, slice(0, self.witnesses)))


def _rows(words: Words) -> list[Row]:
    return list(zip(*(word.tolist() for word in words), strict=True))
