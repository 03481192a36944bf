"""Clients that use a few keys of a store at once, in rounds, and what they were answered.

A round has keys of its own, so that it can be judged by itself; each lasts twice as long as the one before, so that
what shows at once is found at once, and what comes late is found, too. At its end, when everybody is done, every key is
read once more. Every value is written once, so that who reads it knows who wrote it.
"""

import secrets
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from itertools import pairwise
from random import Random
from typing import Final, Protocol, runtime_checkable

import attrs
import trio

from lakeproof.impl.stores import Store
from lakeproof.live.recorder import Recorder, Row
from lakeproof.model import kv
from lakeproof.model.linearizability.specifications import EXISTS
from lakeproof.model.snapshot import Status
from lakeproof.stores.wrappers import FAILURES_MAX, Private

PARTITION: Final = b"stress"
FIRST_SECONDS: Final = 0.5
OPERATIONS_MAX: Final = 100_000
"""Of a round, about: then the next one begins, so that memory and the checker's time stay small."""
FAULT_SECONDS: Final = (0.05, 0.45)
"""Between two faults. The longest is shorter than the first round."""
KINDS: Final = {"get": 30, "set": 14, "set_if": 32, "delete": 7, "scan": 17}
"""How often of a hundred."""
LOOKS_AGAIN: Final = 0.3
"""How often somebody reads what it has just written: what was lost is often overwritten soon."""
SIZES: Final = (0, 1, 2, 3, 5)
TROUBLES_MAX: Final = 8


@runtime_checkable
class Killable(Protocol):
    async def kill(self, rng: Random) -> str: ...


@runtime_checkable
class Restartable(Protocol):
    async def restart(self) -> str: ...


Fault = Callable[[Random], Awaitable[str]]


@attrs.frozen(kw_only=True)
class Load:
    """clients: tasks at once. keys: of a round. seconds: of traffic, in all. timeout: seconds for an answer."""

    clients: int = 16
    keys: int = 8
    seconds: float = 30.0
    seed: int = 0
    timeout: float = 10.0


@attrs.define
class Tally:
    """What came of all operations so far."""

    answers: Counter[tuple[str, str]] = attrs.field(factory=Counter)
    """By operation and ``ok``, ``refused`` (a predicate that failed, or a definite error) or ``unknown``."""
    troubles: Counter[str] = attrs.field(factory=Counter)
    """The words of unknown outcomes and refusals."""
    faults: Counter[str] = attrs.field(factory=Counter)

    @property
    def total(self) -> int:
        return sum(self.answers.values())

    def ok(self, *fs: str) -> int:
        return sum(self.answers[f, "ok"] for f in fs)

    def trouble(self, error: BaseException) -> None:
        words = str(error) or type(error).__name__
        if words in self.troubles or len(self.troubles) < TROUBLES_MAX:
            self.troubles[words] += 1


@attrs.define
class Round:
    """One round: its rows, and scans that cannot be right whatever the keys hold."""

    number: int
    recorder: Recorder = attrs.field(factory=Recorder)
    malformed: list[str] = attrs.field(factory=list)
    seconds: float = 0.0
    silent: bool = False
    """Nobody got an answer."""
    gone: bool = False
    """Nor did who looked at its keys at its end."""


@attrs.define
class Traffic:
    """Rounds on a store. ``faults`` are done one after the other, at random, while there is traffic."""

    store: Store
    load: Load
    faults: tuple[Fault, ...] = ()
    tally: Tally = attrs.field(factory=Tally)
    left: list[bytes] = attrs.field(factory=list)
    """Partitions that could not be emptied."""
    _rounds: int = 0

    async def round(self, seconds: float) -> Round:
        """One round of traffic, about so long."""
        self._rounds += 1
        made = Round(self._rounds)
        private = Private(self.store, f"lakeproof-stress-{secrets.token_hex(8)}/".encode())
        clients = [
            _Client(number, self, made, private, Random(f"{self.load.seed} {self._rounds} {number}"))
            for number in range(self.load.clients)
        ]
        before = self._unanswered()
        began = trio.current_time()
        rng = Random(f"{self.load.seed} {self._rounds} faults")
        async with disturbed(self.faults, rng, self.tally), trio.open_nursery() as nursery:
            for client in clients:
                nursery.start_soon(client.work, began + seconds)
        made.seconds = trio.current_time() - began
        unanswered, total = self._unanswered()
        made.silent = unanswered - before[0] == total - before[1]
        made.gone = not await clients[0].look()
        if await private.clear():
            self.left.append(private.prefix + PARTITION)
        return made

    def _unanswered(self) -> tuple[int, int]:
        answers = self.tally.answers
        return sum(count for (_, how), count in answers.items() if how == "unknown"), self.tally.total


@asynccontextmanager
async def disturbed(faults: Sequence[Fault], rng: Random, tally: Tally) -> AsyncIterator[None]:
    """Faults again and again, until it is left. One that has begun is done to its end."""

    async def disturb() -> None:
        while faults:
            await trio.sleep(rng.uniform(*FAULT_SECONDS))
            with trio.CancelScope(shield=True):
                tally.faults[await rng.choice(faults)(rng)] += 1

    async with trio.open_nursery() as nursery:
        nursery.start_soon(disturb)
        yield
        nursery.cancel_scope.cancel()


class _Client:
    """One client of a round. After an outcome that it does not know it is another process: the old one may still be
    at it."""

    def __init__(self, number: int, traffic: Traffic, round_: Round, store: Store, rng: Random) -> None:
        self.number, self.rng, self.store = number, rng, store
        self.tally, self.load = traffic.tally, traffic.load
        self.round, self.recorder = round_, round_.recorder
        self.keys = [f"k{key}" for key in range(traffic.load.keys)]
        self.got: dict[str, tuple[str, bytes]] = {}
        """What was last read of a key, and its predicate."""
        self._lives = self._written = 0

    @property
    def process(self) -> str:
        return f"{self.number}.{self._lives}" if self._lives else str(self.number)

    async def work(self, until: float) -> None:
        enough = OPERATIONS_MAX
        while trio.current_time() < until and len(self.recorder.rows) < enough:
            kind = self.rng.choices(list(KINDS), list(KINDS.values()))[0]
            key = min(self.rng.choice(self.keys), self.rng.choice(self.keys))  # the first ones are crowded
            match kind:
                case "get":
                    await self.get(key)
                case "set":
                    await self.write("set", key, self.fresh())
                case "delete":
                    await self.write("delete", key, None)
                case "set_if":
                    await self.set_if(key)
                case _:
                    await self.scan(self.rng.choice(SIZES))

    async def look(self) -> bool:
        """Read all keys, one by one and in a scan; not of a store that does not answer any more. Whether it did."""
        failures = 0
        for key in self.keys:
            found = await self.get(key)
            failures = failures + 1 if _unknown(found) else 0
            if failures == FAILURES_MAX:
                return False
        await self.scan(0)
        await self.scan(2)
        return failures < len(self.keys)

    def fresh(self) -> str:
        self._written += 1
        return f"{self.number}-{self._written}"

    async def get(self, key: str) -> kv.Reply:
        row = self.recorder.begin(self.process, "get", key)
        found = await self._ask(kv.Get(PARTITION, key.encode()))
        if isinstance(found, kv.ValueWithPredicate):
            self.got[key] = (_text(found.value), found.predicate)
            self.recorder.end(row, Status.OK, _text(found.value))
        elif isinstance(found, kv.NotFound):
            self.recorder.end(row, Status.OK)
        return found

    async def set_if(self, key: str) -> None:
        """On what was read just now, on what was read before, on nothing, or on anything."""
        how = self.rng.random()
        if how < 0.5:
            await self.get(key)
        if how < 0.75 and key in self.got:
            await self.write("set_if", key, self.fresh(), *self.got[key])
        elif how < 0.92:
            await self.write("set_if", key, self.fresh(), None, None)
        else:
            await self.write("set_if", key, self.fresh(), EXISTS, kv.EXISTS)

    async def write(
        self, f: str, key: str, value: str | None, expected: object = None, predicate: kv.Predicate = None
    ) -> None:
        argument = (expected, value) if f == "set_if" else value
        row = self.recorder.begin(self.process, f, key, argument)
        at, written = (PARTITION, key.encode()), (value or "").encode()
        op: kv.Op = kv.Delete(*at)
        if f != "delete":
            op = kv.Set(*at, written) if f == "set" else kv.SetIf(*at, written, predicate)
        found = await self._ask(op)
        if found is None:
            self.recorder.end(row, Status.OK)
            if self.rng.random() < LOOKS_AGAIN:
                await self.get(key)
        elif isinstance(found, kv.PredicateFailed):
            self.recorder.end(row, Status.FAIL)
        elif _unknown(found) or not isinstance(found, kv.KVError):
            self.recorder.end(row, Status.INFO)
            self._lives += 1

    async def scan(self, size: int) -> None:
        """Every batch tells of every key that it covers what it held at some moment of the batch: that is all that is
        asked of a scan, here as in lakeFS."""
        start, more = "", True
        while more:
            covered = [key for key in sorted(self.keys) if key >= start]
            rows = {key: self.recorder.begin(f"{self.process}:{key}", "get", key) for key in covered}
            found = await self._ask(kv.ScanBatch(PARTITION, start.encode(), size))
            if not isinstance(found, kv.Batch):
                return
            told = {_text(entry.key): _text(entry.value) for entry in found.entries}
            wrong = _wrong(found, start, size, covered)
            if wrong:
                self.round.malformed.append(wrong)
                return
            last = max(told, default="")
            more = found.more and bool(told)
            self._saw(rows, told, last if more else None)
            start = f"{last}\0"

    def _saw(self, rows: dict[str, Row], told: dict[str, str], last: str | None) -> None:
        for key, row in rows.items():
            if last is None or key <= last:
                self.recorder.end(row, Status.OK, told.get(key))

    async def _ask(self, op: kv.Op) -> kv.Reply:
        """An answer; an error as a value; OutcomeUnknown if there was none in time."""
        f = _FS[type(op)]
        found: kv.Reply = kv.OutcomeUnknown(f"no answer within {self.load.timeout:g} s")
        with trio.move_on_after(self.load.timeout):
            try:
                found = await self.store.perform(op)
            except kv.KVError as error:
                found = error
        if not isinstance(found, kv.KVError) or isinstance(found, kv.NotFound):
            self.tally.answers[f, "ok"] += 1
        elif found.definite:
            self.tally.answers[f, "refused"] += 1
            if not isinstance(found, kv.PredicateFailed):
                self.tally.trouble(found)
                await trio.sleep(0.01)  # who is refused at once need not ask a thousand times a second
        else:
            self.tally.answers[f, "unknown"] += 1
            self.tally.trouble(found)
        return found


def _unknown(found: kv.Reply) -> bool:
    return isinstance(found, kv.KVError) and not found.definite


_FS: Final = {
    kv.Get: "get",
    kv.Set: "set",
    kv.SetIf: "set_if",
    kv.Delete: "delete",
    kv.ScanBatch: "scan",
}


def _wrong(found: kv.Batch, start: str, size: int, covered: list[str]) -> str:
    """Why a batch cannot be right, whatever the keys held."""
    keys = [_text(entry.key) for entry in found.entries]
    what = f"scan from {start!r} in batches of {size} returned {keys}"
    if size and len(keys) > size:
        return f"{what}: expected no more than {size}"
    if any(not one < other for one, other in pairwise(keys)):
        return f"{what}: expected them ascending, each once"
    if not set(keys) <= set(covered):
        return f"{what}: expected some of {covered}; no client wrote the others, or they are before the start"
    if found.more and not keys:
        return f"{what}, and announced more: expected at least one"
    return ""


def _text(value: bytes) -> str:
    return value.decode("utf-8", "backslashreplace")
