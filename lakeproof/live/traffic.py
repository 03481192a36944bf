"""Clients that use a few keys of a store at once, in rounds, and what they were answered.

A round has keys of its own, so that it can be judged by itself; each lasts twice as long as the one before, so that
what shows at once is found at once, and what comes late is found, too. At its end, when everybody is done, every key is
read once more. Every value is written once, so that who reads it knows who wrote it.
"""

import secrets
from collections.abc import Callable
from itertools import pairwise
from typing import ClassVar, Final

import attrs
import trio

from lakeproof.impl.stores import Store
from lakeproof.impl.stores.base import NO_ANSWER, Unsent
from lakeproof.impl.stores.kv_answers import reply_of
from lakeproof.live.engine import Fault, Workload, inject_faults
from lakeproof.live.recorder import Recorder
from lakeproof.live.report import Round
from lakeproof.model import kv
from lakeproof.model.linearizability.specifications import EXISTS
from lakeproof.model.snapshot import Status
from lakeproof.stores.wrappers import FAILURES_MAX, PrefixedStore

PARTITION: Final = b"stress"
OPERATIONS_MAX: Final = 100_000
"""Of a round, about: then the next one begins, so that memory and the checker's time stay small."""
OPERATIONS_MIN: Final = 500
"""Of a round, however slow the store or the machine is: fewer would say little. A batch of a scan counts once a key."""
KINDS: Final = {"get": 30, "set": 14, "set_if": 32, "delete": 7, "scan": 17}
"""How often of a hundred."""
SIZES: Final = (0, 1, 2, 3, 5)


@attrs.define(kw_only=True)
class KeyRound(Round):
    """One round: its calls, and scans that cannot be right whatever the keys hold."""

    recorder: Recorder = attrs.field(factory=Recorder)
    malformed: list[str] = attrs.field(factory=list)
    silent: bool = False
    """No call was answered."""
    gone: bool = False
    """Nor were the reads at its end."""


@attrs.define
class Traffic(Workload):
    """Rounds on a store. ``faults`` are done one after the other, at random, while there is traffic."""

    kind: ClassVar[str] = "stress"
    unit: ClassVar[str] = "operation"
    store: Store
    faults: tuple[Fault, ...] = ()
    judge: Callable[[KeyRound], None] = lambda made: None

    async def round(self, duration: float, calls: int | None = None) -> KeyRound:
        self.rounds += 1
        made = KeyRound(number=self.rounds)
        prefix = f"lakeproof-stress-{secrets.token_hex(8)}/".encode()
        private = PrefixedStore(self.store, prefix, self.load.timeout)
        clients = [_Client(number, self, made, private) for number in range(self.load.clients)]
        # The negative count of answers so far: all clients of all rounds share one tally.
        unanswered = self.tally.unknown - self.tally.total
        began = trio.current_time()
        async with self.clear_after(private, private.prefix + PARTITION):
            async with inject_faults(self.faults, self.rng("faults"), self.tally), trio.open_nursery() as nursery:
                for client in clients:
                    nursery.start_soon(client.work, began + duration, calls or OPERATIONS_MAX)
            made.seconds = trio.current_time() - began
            made.silent = self.tally.unknown - self.tally.total == unanswered
            # The final reads find what no client happened to read: without them a lost write at the end of a round
            # would not show.
            made.gone = not await clients[0].look()
        if made.silent:
            self.gone = "no answer"  # it is gone, or never was a store: more rounds would only wait
        made.calls = len(made.recorder.over)
        self.judge(made)  # after the keys are gone: judging may take minutes
        return made


class _Client:
    """One client of a round. After an outcome that it does not know it is another process: the old one may still be
    at it."""

    def __init__(self, number: int, traffic: Traffic, round_: KeyRound, store: Store) -> None:
        self.number, self.rng, self.store = number, traffic.rng(number), store
        self.tally, self.load = traffic.tally, traffic.load
        self.round, self.recorder = round_, round_.recorder
        self.keys = [f"k{key}" for key in range(traffic.load.keys)]
        self.got: dict[str, tuple[str, bytes]] = {}
        """What was last read of a key, and its predicate."""
        self._lives = self._written = 0

    @property
    def process(self) -> str:
        return f"{self.number}.{self._lives}" if self._lives else str(self.number)

    async def work(self, until: float, calls: int) -> None:
        """Until the time is up and the round has enough calls; with an unknown outcome, no longer than the time."""
        # A call without an answer takes a whole timeout. `OPERATIONS_MIN` of them would keep a store that is down busy
        # for an hour.
        unknown = self.tally.unknown
        while (made := len(self.recorder.calls)) < calls:
            if trio.current_time() >= until and (made >= OPERATIONS_MIN or self.tally.unknown > unknown):
                return
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
        failures, until = 0, trio.current_time() + self.load.timeout
        for key in self.keys:
            found = await self.get(key)
            # Only a refused connection is tried again: it comes back at once, whereas a timeout has taken its time
            # already.
            while isinstance(found, Unsent) and trio.current_time() < until:
                found = await self.get(key)  # it may be about to start again
            failures = failures + 1 if isinstance(found, NO_ANSWER) else 0
            if failures == FAILURES_MAX:
                return False
        await self.scan(0)
        await self.scan(2)
        return failures < len(self.keys)

    def fresh(self) -> str:
        self._written += 1
        return f"{self.number}-{self._written}"

    async def get(self, key: str) -> kv.Reply:
        call = self.recorder.begin(self.process, "get", (key,))
        found = await self._ask(kv.Get(PARTITION, key.encode()))
        if isinstance(found, kv.ValueWithPredicate):
            # The checker compares values, the store its own tokens: a set_if later needs both.
            self.got[key] = (_text(found.value), found.predicate)
            self.recorder.end(call, Status.OK, _text(found.value))
        elif isinstance(found, kv.NotFound):
            self.recorder.end(call, Status.OK)
        return found

    async def set_if(self, key: str) -> None:
        """On what was read just now, on what was read before, on nothing, or on anything."""
        how = self.rng.random()
        # Half of the predicates are fresh, and mostly hold unless another client comes between. A quarter is stale, so
        # it should fail.
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
        call = self.recorder.begin(self.process, f, (key,), argument)
        at, written = (PARTITION, key.encode()), (value or "").encode()
        op: kv.Op = kv.Delete(*at)
        if f != "delete":
            op = kv.Set(*at, written) if f == "set" else kv.SetIf(*at, written, predicate)
        found = await self._ask(op)
        if found is None:
            self.recorder.end(call, Status.OK)
        # A definite error other than this one leaves no trace: the operation did not happen. If it did, a read shows a
        # value that no write in the history wrote.
        elif isinstance(found, kv.PredicateFailed):
            self.recorder.end(call, Status.FAIL)
        elif not isinstance(found, kv.KVError) or not found.definite:  # any other answer to a write makes no sense
            self.recorder.end(call, Status.INFO)
            self._lives += 1

    async def scan(self, size: int) -> None:
        """Each batch has, for every key that it covers, what the key had at some moment of the batch: no more is
        required of a scan, here as in lakeFS."""
        start, more = "", True
        while more:
            covered = [key for key in sorted(self.keys) if key >= start]
            # Each key that the batch may cover is a read of its own, by a process of its own: a process has one call at
            # a time.
            calls = {key: self.recorder.begin(f"{self.process}:{key}", "get", (key,)) for key in covered}
            found = await self._ask(kv.ScanBatch(PARTITION, start.encode(), size))
            if not isinstance(found, kv.Batch):
                return
            values = {_text(entry.key): _text(entry.value) for entry in found.entries}
            wrong = malformation(found, start, size, covered)
            if wrong:
                self.round.malformed.append(wrong)
                return
            last = max(values, default="")
            # Without entries there is no key to go on from.
            more = found.more and bool(values)
            for key, call in calls.items():
                if not more or key <= last:  # beyond the last entry the batch says nothing, unless it is the last
                    self.recorder.end(call, Status.OK, values.get(key))
            start = f"{last}\0"  # the least key that is greater

    async def _ask(self, op: kv.Op) -> kv.Reply:
        """An answer; an error as a value; OutcomeUnknown if there was none in time."""
        found = await reply_of(self.store, op)
        status = Status.OK
        # NotFound is an answer like any other: the key is absent.
        if isinstance(found, kv.KVError) and not isinstance(found, kv.NotFound):
            status = Status.FAIL if found.definite else Status.INFO
            if not isinstance(found, kv.PredicateFailed):
                self.tally.trouble(found)
                if found.definite:
                    await trio.sleep(0.01)  # a client that is refused at once need not ask a thousand times a second
        self.tally.count(_NAMES[type(op)], status)
        return found


_NAMES: Final = {
    kv.Get: "get",
    kv.Set: "set",
    kv.SetIf: "set_if",
    kv.Delete: "delete",
    kv.ScanBatch: "scan",
}


def malformation(found: kv.Batch, start: str, size: int, covered: list[str]) -> str:
    """Why a batch cannot be right, whatever the keys had."""
    keys = [_text(entry.key) for entry in found.entries]
    what = f"scan from {start!r} in batches of {size} returned {keys}"
    if size and len(keys) > size:
        return f"{what}: expected no more than {size}"
    if any(not one < other for one, other in pairwise(keys)):
        return f"{what}: expected them ascending, each once"
    # The prefix of the round is random, so a foreign key can only come from another partition.
    if not set(keys) <= set(covered):
        return f"{what}: expected some of {covered}; no client wrote the others, or they are before the start"
    if found.more and not keys:
        return f"{what}, and announced more: expected at least one"
    return ""


def _text(value: bytes) -> str:
    return value.decode("utf-8", "backslashreplace")
