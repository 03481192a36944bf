"""Effects, replies and values in words: what stories, lanes and traces say of a step.

Words are for readers and may be short; where it matters that nothing differs, a trace compares bytes (`exact`).

Example: a write that is refused.

>>> written = kv.SetIf(b"p", b"lock", b"me", None)
>>> step = effect(written, 0)
>>> step.effect, step.key, step.value, step.condition, reply(written, kv.PredicateFailed(), 0)
('set_if', 'p/lock', 'me', 'if absent', 'predicate failed')
"""

import re
from hashlib import sha256
from typing import Final, cast

import attrs

from lakeproof.impl.codec import Undecodable, decode_at
from lakeproof.impl.effects import Deadline, Effect, Expiry, Local, Now, Sleep, Wake
from lakeproof.impl.parallel import Cancelled, CutOff, Unanswered, Withdrawn
from lakeproof.impl.printable import safe_repr
from lakeproof.model import channels, keys, kv, objects, watches
from lakeproof.model.catalog import ObjectEntry, encode_object_entry
from lakeproof.model.records import Branch, CleanupRecord, Commit, Record, Repository, StagedEntry, Tag
from lakeproof.model.snapshot import CallView, Status
from lakeproof.search.describe_objects import (
    VALUE_SHOWN_MAX,
    condition_of,
    content_in_words,
    entry_in_words,
    metadata_of,
)
from lakeproof.search.describe_objects import printable as printable
from lakeproof.search.describe_objects import text as text
from lakeproof.search.fence import WATCH
from lakeproof.search.semantics import CHANNEL, TIMER, WATCHED, Cell, Cells, Value

TEXT_SHOWN_MAX: Final = 80
MICROSECONDS: Final = 1_000_000

LocalCell = tuple[str, str, bytes, bytes]
"""("local", label of a client, partition, key): of its own store."""

# The addresses of objects in a default ``repr``: they differ from run to run.
_ADDRESS: Final = re.compile(r" at 0x[0-9a-fA-F]+")


@attrs.frozen
class Effected:
    """An effect in words: what is done, where, with what, and on what condition. Empty where it has none."""

    effect: str
    key: str = ""
    value: str = ""
    condition: str = ""

    def __str__(self) -> str:
        what = " ".join(part for part in (self.effect, self.key) if part)
        if self.value:
            what += f" = {self.value}"
        return f"{what}, {self.condition}" if self.condition else what


def effect(op: Effect | None, start_time: int, owner: str = "") -> Effected:
    """An effect in words; None is the end of a client. owner: the client whose local store it may be about."""
    match op:
        case None:
            return Effected("")
        case Now():
            return Effected("now")
        case Sleep():
            return Effected("timeout" if isinstance(op, Deadline) else "sleep", value=span(op.microseconds))
        case Expiry():
            return Effected("time out", value=span(op.microseconds))
        case Wake():
            return Effected("wake")
        case Withdrawn():
            withdrawn = effect(cast("Effect", op.op), start_time, owner)
            # CutOff derives from Withdrawn: a timeout is another story than a task that failed.
            how = "cut off" if isinstance(op, CutOff) else "withdraw"
            return attrs.evolve(withdrawn, effect=f"{how} {withdrawn.effect}")
        case Unanswered():
            # As the write itself: that its answer comes too late shows in the reply.
            return effect(cast("Effect", op.op), start_time, owner)
        case Local():
            step = effect(op.op, start_time)
            return attrs.evolve(step, key=_local(owner, step.key))
        case channels.Send():
            return Effected("send", _channel(op.channel), text(op.message))
        case channels.Receive():
            how = "try to receive" if isinstance(op, channels.TryReceive) else "receive"
            return Effected(how, _channel(op.channel), condition=f"passing over {op.at}" if op.at else "")
        case watches.StartWatch():
            how = {watches.NextChanges: "next change", watches.EndWatch: "end watch"}.get(type(op), "watch")
            return Effected(how, _watch(op.partition, op.prefix))
        case kv.Get():
            return Effected("get", place(op.partition, op.key))
        case kv.Set():
            return Effected("set", place(op.partition, op.key), _written_value(op))
        case kv.SetIf():
            written = _written_value(op)
            return Effected("set_if", place(op.partition, op.key), written, _condition(op))
        case kv.Delete():
            return Effected("delete", place(op.partition, op.key))
        case kv.DeleteIf():
            return Effected("delete_if", place(op.partition, op.key), "", _condition(op))
        case kv.Transact(checks, writes):
            # Each key once, those that are written first.
            where = dict.fromkeys(place(part, key) for part, key, _ in (*writes, *checks))
            values = [f"{place(at, k)} = {'nothing' if new is None else value(at, k, new)}" for at, k, new in writes]
            conditions = [f"{place(at, key)} {_predicate(at, key, old)}" for at, key, old in checks]
            return Effected("transact", ", ".join(where), ", ".join(values), ", ".join(conditions))
        case kv.ScanBatch(partition, start, batch_size):
            parts = [f"from {text(start)}"] if start else []
            parts += [f"at most {batch_size}"] if batch_size else []
            return Effected("scan", f"{text(partition)}/", "", ", ".join(parts))
        case objects.ListObjects(prefix, after, page_size):
            parts = [f"after {printable(after)}"] if after else []
            parts += [f"at most {page_size}"] if page_size else []
            return Effected("list", _object(prefix), "", ", ".join(parts))
        case objects.Copy(source, destination, metadata):
            changed = "" if metadata is None else metadata_of(metadata)
            return Effected("copy", _object(destination), f"that of {printable(source)}{changed}", condition_of(op))
        case objects.Put(address, content, metadata):
            return Effected(
                "put", _object(address), content_in_words(content) + metadata_of(metadata), condition_of(op)
            )
        case objects.SetMetadata(address, metadata):
            return Effected("set metadata", _object(address), metadata_of(metadata).strip(), condition_of(op))
        case objects.GetObject():
            return Effected("get", _object(op.address))
        case objects.HeadObject():
            return Effected("head", _object(op.address))
        case objects.DeleteObject():
            return Effected("delete", _object(op.address), condition=condition_of(op))


def reply(op: Effect | None, answer: object, start_time: int) -> str:
    """What a client received, in words."""
    match answer:
        # Before the general None, which is the answer of a write.
        case None if isinstance(op, channels.TryReceive):
            return "nothing"
        case None:
            return "" if op is None else "ok"
        case kv.ValueWithPredicate():
            assert isinstance(op, kv.Get)
            return value(op.partition, op.key, answer.value)
        case kv.Batch():
            assert isinstance(op, kv.ScanBatch)
            shown = ", ".join(_entry(op.partition, entry) for entry in answer.entries) or "nothing"
            return f"{shown}; and more" if answer.more else shown
        # Before StartWatch, from which it derives: there the reply is the list of keys.
        case tuple() if isinstance(op, watches.NextChanges):
            return _changes(op.partition, answer)
        case tuple() if isinstance(op, watches.StartWatch):
            return ", ".join(_entry(op.partition, entry) for entry in answer) or "nothing"
        case kv.WatchLost():
            return "the watch is lost"
        case objects.Page():
            shown = ", ".join(printable(head.address) for head in answer.heads) or "nothing"
            return f"{shown}; and more" if answer.more else shown
        case objects.Head():
            return f"{answer.size_bytes} bytes{metadata_of(answer.metadata)}"
        # Before the bytes of an object, which are described by their format.
        case bytes() if isinstance(op, channels.Receive):
            return text(answer)
        case False if isinstance(op, channels.Send):
            return "it is full"
        case channels.OVERTAKEN:
            return "overtaken"
        case bytes():
            return content_in_words(answer)
        # Before int, of which bool is a kind: the reply only says whether a timer was set.
        case bool() if isinstance(op, Sleep):
            return "ok"
        case int() if isinstance(op, Now):
            return f"{span(answer - start_time)} after the start" if answer != start_time else "the start"
        case kv.NotFound() | objects.ObjectNotFound():
            return "not found"
        case kv.CheckFailed():
            return f"check {answer.args[0] + 1} failed"
        case kv.PredicateFailed():
            return "predicate failed"
        case objects.PreconditionFailed():
            return "precondition failed"
        case objects.Expired():
            return "expired"
        case kv.OutcomeUnknown():
            return "no answer"
        case kv.Refused():
            return "refused"
        case kv.ScanInterrupted():
            return "broke off"
        case Cancelled():
            return "cancelled"
        case _:
            return brief(answer)


def cell(where: Cell | LocalCell) -> str:
    """A cell in words."""
    if where[0] == TIMER:
        return f"timer {text(where[1])}" if isinstance(where[1], bytes) else f"timer {where[1]}"
    if where[0] == "object":
        return _object(str(where[1]))
    if where[0] == CHANNEL:
        return _channel(str(where[1]))
    if where[0] == WATCHED:
        _, name, partition, prefix = cast("tuple[str, str, bytes, bytes]", where)
        return f"watch {name} of {_watch(partition, prefix)}"
    # A watch has four parts as well, and was described above.
    if len(where) == 4:
        return _local(where[1], place(where[2], where[3]))
    assert len(where) == 3
    return place(where[1], where[2])


def describe_cell(where: Cell | LocalCell, content: Value | None) -> str | None:
    """What a cell holds, in words; None where it is empty."""
    if content is None:
        return None
    if isinstance(content, objects.StoredObject):
        return content_in_words(content.content) + metadata_of(content.metadata)
    if isinstance(content, kv.Leased):
        # From the end: a cell of a local store has its owner before partition and key.
        shown = value(where[-2], where[-1], content.value)  # type: ignore[arg-type]  # of a key
        return f"{shown} for {span(content.left)}" if content.left else shown
    if where[0] == WATCHED:
        queue, partition = cast("watches.Queue", content), cast("bytes", where[-2])
        return "; ".join(_changes(partition, changes) for changes in queue) or "no changes"
    if isinstance(content, tuple):
        return ", ".join(map(text, cast("channels.Messages", content)))
    if where[0] == TIMER:
        return span(int(content))
    assert len(where) > 2, f"{where} holds an object, found bytes"
    return value(where[-2], where[-1], content)


def place(partition: bytes, key: bytes) -> str:
    """A key in words. The partition ``graveler`` goes without saying."""
    return text(key) if partition == keys.GRAVELER else f"{text(partition)}/{text(key)}"


def value(partition: bytes, key: bytes, content: bytes) -> str:
    """A value in words: a record's state and names, or the bytes."""
    try:
        record = decode_at(partition, key, content)
    # Bytes at a key of the schema that are no record: a flow may write anything, and a reader sees them as they are.
    except Undecodable:
        record = None
    return text(content, VALUE_SHOWN_MAX) if record is None else printable(_record(record))


def _record(record: Record) -> str:
    match record:
        case Repository():
            return f"{record.state.name.lower()} {record.instance_uid}{' (bare)' if record.bare else ''}"
        case Branch():
            sealed = f", sealed {' '.join(record.sealed_tokens)}" if record.sealed_tokens else ""
            hidden = ", hidden" if record.hidden else ""
            return f"at {record.commit_id}, staging {record.staging_token}{sealed}{hidden}"
        case Tag():
            return f"at {record.commit_id}"
        case Commit():
            parents = f" after {' '.join(record.parents)}" if record.parents else ""
            return f"commit {record.commit_id}{parents}"
        case StagedEntry():
            return (
                "tombstone" if record.data is None else f"entry {entry_in_words(record.data) or text(record.identity)}"
            )
        case CleanupRecord():
            return f"instance {record.instance_uid} is to be cleaned"


def describe_end(call: CallView) -> str:
    """How a call ended, in words."""
    match call.status:
        case Status.OK if call.value is None:
            return f"{describe_call(call)} succeeds"
        case Status.OK:
            return f"{describe_call(call)} returns {_value(call.value)}"
        case Status.FAIL:
            return f"{describe_call(call)} fails: {brief(call.error)}"
        case Status.INFO:
            return f"{describe_call(call)} has an unknown outcome: {brief(call.error)}"
        case Status.CRASHED if call.error is not None:
            return f"{describe_call(call)} raises {printable(str(call.error))}"
        case _:
            # PENDING, or a crash between two effects: `TraceStep.returned` names only calls that have ended.
            raise AssertionError(f"{call} has not ended")


def describe_call(call: CallView) -> str:
    """A call in words."""
    return f"{call.name}({', '.join(brief(arg) for arg in call.args)})"


def _value(content: object) -> str:
    if isinstance(content, Record):
        return printable(_record(content))
    if isinstance(content, ObjectEntry):
        return printable(f"entry {entry_in_words(encode_object_entry(content))}")
    if isinstance(content, tuple):
        return f"({', '.join(_value(part) for part in content)})"
    return brief(content)


def span(microseconds: int) -> str:
    """A duration in words: as many seconds as a reader can take in."""
    sign, rest = ("-" if microseconds < 0 else ""), abs(microseconds)
    if rest < MICROSECONDS:
        return f"{sign}{rest} us"
    minutes, left = divmod(rest, 60 * MICROSECONDS)
    # Six digits are exact: ``left`` is whole microseconds.
    seconds = f"{left / MICROSECONDS:.6f}".rstrip("0").rstrip(".") + " s"
    if not minutes:
        return sign + seconds
    return f"{sign}{minutes} min" + (f" {seconds}" if left else "")


def brief(thing: object) -> str:
    """Any value, shortened, and without what differs from run to run."""
    if isinstance(thing, Repository):
        # The handle has more fields, and readers know a repository by its id.
        return repr(thing.repository_id)
    with WATCH.over():  # its __repr__ may be user code
        shown = printable(_ADDRESS.sub("", safe_repr(thing)))
    return shown if len(shown) <= TEXT_SHOWN_MAX else f"{shown[: TEXT_SHOWN_MAX - 3]}..."


def exact(op: Effect | None, answer: object, changes: object) -> str:
    """A fingerprint of what words leave out: equal only if effect, reply and changes are equal to the byte."""
    # 64 bits: it detects edits, and no adversary. ``repr`` tells 1 from True and b"" from "", where words do not.
    return sha256(repr((op, answer, changes)).encode("utf-8", "backslashreplace")).hexdigest()[:16]


def initially(cells: Cells) -> tuple[tuple[str, str], ...]:
    """The cells of a store in words, in order."""
    return tuple((cell(where), describe_cell(where, cells[where]) or "") for where in sorted(cells))


def _written_value(op: kv.Set | kv.SetIf) -> str:
    written = value(op.partition, op.key, op.value)
    return f"{written} for {span(op.ttl)}" if isinstance(op, kv.Expiring) else written


def _condition(op: kv.SetIf | kv.DeleteIf) -> str:
    return _predicate(op.partition, op.key, op.predicate)


def _predicate(partition: bytes, key: bytes, predicate: kv.Predicate) -> str:
    match predicate:
        case None:
            return "if absent"
        case kv.Presence():
            return "if present"
        case bytes() as expected:
            return f"if still {value(partition, key, expected)}"


def _entry(partition: bytes, entry: kv.Entry) -> str:
    """An entry of a scan: its key, and its value where that is short and says something."""
    shown = value(partition, entry.key, entry.value)
    parsed = keys.parse(partition, entry.key)
    plain = parsed is None or parsed.kind == "repository"
    return f"{text(entry.key)} ({shown})" if plain else text(entry.key)


def _local(owner: str, key: str) -> str:
    return f"{owner}.local {key}"


def _watch(partition: bytes, prefix: bytes) -> str:
    return f"{place(partition, prefix) if prefix else f'{text(partition)}/'}*"


def _changes(partition: bytes, changes: watches.Changes) -> str:
    shown = [
        f"{place(partition, each.key)} = {'nothing' if each.value is None else value(partition, each.key, each.value)}"
        for each in changes
    ]
    return ", ".join(shown)


def _channel(name: str) -> str:
    return f"channel {printable(name)}"


def _object(address: str) -> str:
    return f"object {printable(address)}"
