"""Whether flows could have made the requests of a log: each client's flow runs on the logged replies.

A flow is deterministic given its replies. So there is one effect that it asks for next, and the log has it or not.

What a flow mints (instances, tokens) has other names in the log than in the flow. The flow mints ``§1``, ``§2``, ...
Where an effect of the flow has a name with such a part and the log has a text in its place, the two are one from then
on, in keys and in records:

    flow: set  r-§1/commits/c.§1      log: set r-dc23/commits/4ceca4       §1 is dc23, c.§1 is 4ceca4
    log:  get repos/r, reply: active dc23                                    the flow receives: active §1

Two names of the flow never stand for one text, nor one name for two. Of records what the protocol is about is compared:
ids, states, heads; not dates, messages, places of data and the names of staging tokens.
"""

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

import attrs

from lakeproof.gate.effect_log import Logged, Op
from lakeproof.impl.codec import Undecodable, decode_at, encode
from lakeproof.impl.effects import Effect, Now
from lakeproof.model import kv
from lakeproof.model.records import Branch, CleanupRecord, Commit, Record, Repository, StagedEntry, Tag
from lakeproof.scenario import Call
from lakeproof.search import describe
from lakeproof.search.execution import Execution, Program
from lakeproof.words import Unusable

MARK: Final = "§"
# Up to the next slash or other separator: ``c.§1`` is one name, and stands for one text of the log.
_OWN: Final = re.compile(rf"[\w.:]*{MARK}\d+[\w.:{MARK}]*")
"""A name with a part that a flow has minted."""
_TEXT: Final = re.compile(r"[\w.:-]+")


class Refuted(Exception):
    """No flow would have made this request. The message says what was expected."""

    def __init__(self, logged: Logged, expected: str, start: int) -> None:
        super().__init__(f"{logged.client} requested {describe.effect(logged.op, start)}; {expected}")
        self.line = logged.line


@attrs.frozen
class Accepted:
    """What a client has done: effects, calls that came to their end, and the call in which the log ends."""

    client: str
    effects: int
    calls: int
    within: str


class NameMap:
    """Which text of the log a name of the flow stands for."""

    def __init__(self) -> None:
        self._text: dict[str, str] = {}
        self._name: dict[str, str] = {}
        self._learnt: list[tuple[str, str]] = []

    def try_(self, compare: Callable[[], bool]) -> bool:
        """Whether a comparison succeeds; if not, nothing is learnt from it."""
        self._learnt.clear()
        if compare():
            return True
        for name, text in self._learnt:
            del self._text[name], self._name[text]
        return False

    def same(self, mine: str, logged: str) -> bool:
        """Whether a text of the flow is a text of the log. Learns names on the way, if it is."""
        if MARK not in mine:
            return mine == logged
        runs = [match[0] for match in _OWN.finditer(mine)]
        rest = _OWN.split(mine)
        # A name stands for a text without a slash, so that it cannot take in another part of the key.
        pattern = "([^/]+)".join(map(re.escape, rest))
        found = re.fullmatch(pattern, logged)
        if found is None:
            return False
        pairs = list(zip(runs, found.groups(), strict=True))
        # `_possible` knows of earlier texts only: in this one, too, each name must stand for one text, and for its own.
        texts = dict(pairs)
        if len(set(texts.values())) != len(set(pairs)) or not all(self._possible(*pair) for pair in pairs):
            return False
        for name, text in pairs:
            if name not in self._text:
                self._text[name], self._name[text] = text, name
                self._learnt.append((name, text))
        return True

    def _possible(self, name: str, text: str) -> bool:
        return self._text.get(name, text) == text and self._name.get(text, name) == name

    def received(self, text: str) -> str:
        """A text of the log as the flow receives it."""
        return _TEXT.sub(lambda match: self._run_received(match[0]), text) if self._name else text

    def _run_received(self, run: str) -> str:
        """A name of the log may have hyphens in it, and stands at the end: ``r-4ce3-91bc``."""
        start = 0
        while run[start:] not in self._name:
            start = run.find("-", start) + 1
            if not start:  # `find` has given -1: no hyphen is left
                return run
        return run[:start] + self._name[run[start:]]

    def bytes_received(self, content: bytes) -> bytes:
        """A key of the log as the flow receives it; what is no text, as it is."""
        try:
            return self.received(content.decode()).encode()
        except UnicodeDecodeError:
            return content


class LoggedClient:
    """The calls of one client, over and over, on the replies of a log.

    window: so many effects of a call may be in another order: a program requests some of them at once.
    """

    def __init__(self, name: str, calls: Sequence[Call], start: int, window: int) -> None:
        self.name = name
        self.start = start
        self.window = window
        self.names = NameMap()
        self.done = self.effects = 0
        self._calls = tuple(calls)
        self._run: Execution | None = None
        self._waiting: deque[Logged] = deque()

    def add(self, logged: Logged) -> None:
        """The next effect of this client.

        Raises Refuted: no flow would have made this request, or one before it.
        """
        self._waiting.append(logged)
        # With fewer, the effect that the flow asks for may still be to come.
        while len(self._waiting) >= self.window:
            self._advance()

    def end(self) -> Accepted:
        """The log is over. Raises Refuted: as `add`."""
        while self._waiting:
            self._advance()
        run = self._run
        if run is None or (run.op is None and not run.broken):
            # `_current` counts a call when the next one begins: the last one is not in ``done`` yet.
            return Accepted(self.name, self.effects, self.done + (run is not None), "")
        run = self._current()
        return Accepted(
            self.name, self.effects, self.done, "" if run.begins else describe.describe_call(run.current_view())
        )

    def _advance(self) -> None:
        """Answer what the flow asks for, if the log has it."""
        run = self._current()
        op = run.op
        assert op is not None  # `_current` begins another call where this one is over
        if not isinstance(op, Op):
            call = describe.describe_call(run.current_view())
            raise Unusable(f"{self.name}: {call} asks for {self._describe(op)}, which no log has; choose other flows")
        for logged in self._waiting:
            if self.names.try_(partial(_same, op, logged.op, self.names)):
                self._waiting.remove(logged)
                self.effects += 1
                run.send(_localise_reply(logged, self.names))
                self._clock(run)
                return
        first = self._waiting[0]
        wanted = f"{describe.describe_call(run.current_view())} asks for {self._describe(op)}"
        more = "" if self.window == 1 else f", which is not among its next {len(self._waiting)}"
        raise Refuted(first, f"expected: {wanted}{more}", self.start)

    def _describe(self, op: Effect) -> str:
        return str(describe.effect(op, self.start)).replace(MARK, "new ")

    def _current(self) -> Execution:
        run = self._run
        if run is not None and not run.broken and run.op is None:
            self.done += 1
            run = None
        if run is None:
            # A label of its own for each call: what a later one mints are other names.
            label = f"{MARK}{self.done}0" if self.done else MARK
            run = Execution(Program(label, (self._calls[self.done % len(self._calls)],)))
            self._clock(run)
            # The calls are made over and over: no log says how often one that asks for nothing was made.
            if run.op is None and not run.broken:
                raise Unusable(f"{self.name}: {self._calls[self.done % len(self._calls)]} asks for nothing")
            self._run = run
        if run.broken:
            raise Unusable(f"{self.name}: a flow has raised {run.finished[-1].error}; mend the flow")
        return run

    def _clock(self, run: Execution) -> None:
        """No log has the readings of a clock: it stands still."""
        while isinstance(run.op, Now):
            run.send(self.start)


def accept(
    effects: Iterable[Logged], clients: Sequence[Sequence[Call]], start: int, window: int = 1
) -> Iterator[Accepted]:
    """Each client's part of a log, followed to its end. The clients of the log in the order of their names are those of
    the scenario. Cost: a step of a flow for each effect, and memory for the whole log.

    Raises:
        Refuted: the first line that no flow would have requested.
        Unusable: the log is empty, or has another number of clients; a flow does not work.
    """
    logged = list(effects)
    names = sorted({each.client for each in logged})
    if not logged:
        raise Unusable("the log is empty: nothing was followed; record one in which something happens")
    if len(names) != len(clients):
        raise Unusable(f"the log has {len(names)} clients ({', '.join(names[:5])}), and the scenario {len(clients)}")
    running = {name: LoggedClient(name, calls, start, window) for name, calls in zip(names, clients, strict=True)}
    refuted: list[Refuted] = []
    for each in logged:
        client = running.get(each.client)
        if client is None:
            continue
        try:
            client.add(each)
        except Refuted as error:
            refuted.append(error)
            del running[each.client]
    followed = []
    for client in running.values():
        try:
            followed.append(client.end())
        except Refuted as error:
            refuted.append(error)
    if refuted:
        # The clients are followed side by side, and with a window one is refuted some lines after its line.
        raise min(refuted, key=lambda each: each.line)
    yield from followed


def _same(mine: Op, logged: Op, names: NameMap) -> bool:
    """Whether the flow asks for what was logged."""
    if type(mine) is not type(logged):
        return False
    places = ((each.partition, each.start if isinstance(each, kv.ScanBatch) else each.key) for each in (mine, logged))
    if not all(names.same(_text(one), _text(other)) for one, other in zip(*places, strict=True)):
        return False
    if isinstance(mine, kv.SetIf) and isinstance(logged, kv.SetIf) and not _same_predicate(mine, logged, names):
        return False
    if isinstance(mine, kv.Set | kv.SetIf) and isinstance(logged, kv.Set | kv.SetIf):
        return _same_value(mine, logged, names)
    return True


def _same_predicate(mine: kv.SetIf, logged: kv.SetIf, names: NameMap) -> bool:
    if not isinstance(mine.predicate, bytes) or not isinstance(logged.predicate, bytes):
        return mine.predicate is logged.predicate  # *if absent* and *if present* are no bytes
    # The flow has this value from a reply, in which the names were its own already.
    return mine.predicate == _value_received(logged.partition, logged.key, logged.predicate, names)


def _same_value(mine: kv.Set | kv.SetIf, logged: kv.Set | kv.SetIf, names: NameMap) -> bool:
    one, other = _record(mine.partition, mine.key, mine.value), _record(logged.partition, logged.key, logged.value)
    if one is None or other is None:
        # Bytes that are no record must be equal; bytes and a record never are.
        return one is other and mine.value == logged.value
    if type(one) is not type(other):
        return False
    ours, theirs = _telling(one), _telling(other)
    if len(ours) != len(theirs):
        return False  # commits with more parents and with fewer
    pairs = zip(ours, theirs, strict=True)
    same = all(type(a) is type(b) and (names.same(a, str(b)) if isinstance(a, str) else a == b) for a, b in pairs)
    if same and isinstance(one, Branch) and isinstance(other, Branch):
        # Learnt if it can be, and not compared: the flow may ask next for this very record as its predicate.
        names.same(one.staging_token, other.staging_token)
    return same


def _telling(record: Record) -> tuple[object, ...]:
    """What a record says of the protocol."""
    match record:
        case Repository():
            return record.repository_id, record.instance_uid, record.state, record.default_branch_id
        case Branch():
            # Of sealed tokens the number: their names are the program's own.
            return record.branch_id, record.commit_id, len(record.sealed_tokens)
        case Tag():
            return record.tag_id, record.commit_id
        case Commit():
            return record.commit_id, *record.parents
        case StagedEntry():
            return record.key, record.data is None
        case CleanupRecord():
            return record.repository_id, record.instance_uid


def _record(partition: bytes, key: bytes, value: bytes) -> Record | None:
    try:
        return decode_at(partition, key, value)
    except Undecodable:
        return None


def _localise_reply(logged: Logged, names: NameMap) -> object:
    """A logged reply, with the names that the flow has given."""
    op, reply = logged.op, logged.reply
    if isinstance(reply, kv.ValueWithPredicate):
        assert isinstance(op, kv.Get)
        value = _value_received(op.partition, op.key, reply.value, names)
        # The flow compares and sets with this predicate, and so asks for the value as it knows it.
        return kv.ValueWithPredicate(value, value)
    if isinstance(reply, kv.Batch):
        entries = (
            kv.Entry(names.bytes_received(each.key), _value_received(op.partition, each.key, each.value, names))
            for each in reply.entries
        )
        return kv.Batch(tuple(entries), reply.more)
    return reply


def _value_received(partition: bytes, key: bytes, value: bytes, names: NameMap) -> bytes:
    record = _record(partition, key, value)
    if record is None:
        return value
    renamed = _rename_record(record, names)
    # Protobuf has many encodings of one record: bytes that need no other name must stay those of the log.
    return value if renamed == record else encode(renamed)


_NAMED: Final[Mapping[type[Record], tuple[str, ...]]] = {
    Repository: ("instance_uid",),
    CleanupRecord: ("instance_uid",),
    Branch: ("commit_id", "staging_token", "sealed_tokens"),
    Tag: ("commit_id",),
    Commit: ("commit_id", "parents"),
    StagedEntry: (),
}
"""The fields of each record that have names of what a flow mints."""


def _rename_record(record: Record, names: NameMap) -> Record:
    def renamed(found: str | tuple[str, ...]) -> str | tuple[str, ...]:
        return names.received(found) if isinstance(found, str) else tuple(map(names.received, found))

    return attrs.evolve(record, **{each: renamed(getattr(record, each)) for each in _NAMED[type(record)]})  # type: ignore[arg-type]  # the field's own type


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")  # keys may be any bytes, and two of them never become one text
