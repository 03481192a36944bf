"""Effects, replies, faults and changes in words that a reader follows without knowing the code."""

from typing import Final

from impl.codec import Undecodable, decode_at
from impl.effects import Effect, Now
from lakeproof.explore.execution import label
from lakeproof.explore.faults import Mode
from lakeproof.explore.world import Step
from model import keys, kv, objects
from model.records import Branch, CleanupRecord, Commit, Repository, StagedEntry, Tag
from model.snapshot import Status

FAULTS: Final[dict[Mode, str]] = {
    Mode.REFUSED: "REFUSED: not done, and the client is told so",
    Mode.LOST_APPLIED: "ANSWER LOST: done, and nobody knows",
    Mode.LOST_DROPPED: "ANSWER LOST: not done, and nobody knows",
    Mode.REPEATED_APPLIED: "ANSWER LOST: done, and will be done again",
    Mode.REPEATED_DROPPED: "ANSWER LOST: on its way, will be done later",
    Mode.FALSE_PREDICATE: "FALSE PREDICATE FAILURE: done, and reported as refused",
    Mode.SCAN_FAILURE: "SCAN BROKE between two batches",
}


def who(step: Step) -> str:
    """Who moves: a client's letter, or the network or the clock."""
    if step.move.mode is Mode.TICK:
        return "clock"
    return "network" if step.move.mode is Mode.DELIVER else label(step.move.client)


def called(step: Step) -> str:
    """The call that moves."""
    return "" if step.call is None else f"{step.call.name}({', '.join(map(str, step.call.args))})"


def place(partition: bytes, key: bytes) -> str:
    """An address, short: the partition is left out where the key says enough."""
    shown = key.decode("utf-8", "backslashreplace")
    return shown if partition in (keys.GRAVELER, keys.DELETED) else f"{_text(partition)}: {shown}"


def value(partition: bytes, key: bytes, held: bytes | None) -> str:
    """What lives at an address: "active, instance a1", "branch at c.a1", or the bytes as text."""
    if held is None:
        return "nothing"
    try:
        record = decode_at(partition, key, held)
    except Undecodable:
        return "undecodable bytes"
    match record:
        case Repository():
            return f"{record.state.name.lower()}, instance {record.instance_uid}"
        case Branch():
            return f"branch at {record.commit_id}"
        case Tag():
            return f"tag at {record.commit_id}"
        case Commit():
            return f"commit {record.commit_id}"
        case StagedEntry():
            return "staged entry" if record.data is not None else "tombstone"
        case CleanupRecord():
            return f"note to clean instance {record.instance_uid}"
        case None:
            return _text(held)


def effect(op: Effect | None) -> str:
    """What is asked of the store."""
    match op:
        case None:
            return ""
        case Now():
            return "looks at the clock"
        case kv.Get():
            return f"reads {place(op.partition, op.key)}"
        case kv.Set():
            return f"sets {place(op.partition, op.key)} to ({value(op.partition, op.key, op.value)})"
        case kv.SetIf():
            wanted = _predicate(op)
            return f"sets {place(op.partition, op.key)} to ({value(op.partition, op.key, op.value)}) if {wanted}"
        case kv.Delete():
            return f"deletes {place(op.partition, op.key)}"
        case kv.DeleteIf():
            return f"deletes {place(op.partition, op.key)} if ({value(op.partition, op.key, op.predicate)})"
        case kv.ScanBatch():
            start = f" from {_text(op.start)}" if op.start else ""
            return f"scans {_text(op.partition)}{start}"
        case objects.Put() | objects.GetObject() | objects.HeadObject() | objects.DeleteObject():
            return f"{type(op).__name__.removesuffix('Object').lower()}s object {op.address}"
        case objects.Copy():
            return f"copies object {op.source} to {op.destination}"
        case objects.ListObjects():
            return f"lists objects {op.prefix}*"


def _predicate(op: kv.SetIf) -> str:
    if op.predicate is None:
        return "there is none"
    if isinstance(op.predicate, bytes):
        return f"still ({value(op.partition, op.key, op.predicate)})"
    return "there is one"


def reply(step: Step) -> str:
    """What came back, or what went wrong."""
    mode = step.move.mode
    if mode is Mode.CRASH:
        return "CRASHES: it never moves again"
    if mode is Mode.TICK:
        return "jumps on"
    if mode in FAULTS:
        return FAULTS[mode]
    answer, op = step.reply, step.op
    if isinstance(answer, kv.NotFound):
        return "finds nothing"
    if isinstance(answer, Exception):
        return f"refused: {type(answer).__name__}" + (f" ({answer})" if str(answer) else "")
    if isinstance(answer, kv.ValueWithPredicate) and isinstance(op, kv.Get):
        return f"finds ({value(op.partition, op.key, answer.value)})"
    if isinstance(answer, kv.Batch):
        found = ", ".join(_text(entry.key) for entry in answer.entries) or "nothing"
        return f"finds {found}" + (" and more" if answer.more else "")
    if isinstance(op, kv.Delete) and not step.changes:
        return "there was none"
    return "done" if answer is None else str(answer)


def outcome(step: Step) -> str:
    """How the call ended, if this step ended it."""
    ended = step.outcome
    if ended is None:
        return ""
    if ended.status is Status.OK:
        return f"{ended.name} succeeds"
    unknown = "" if ended.status is Status.FAIL else ", outcome unknown"
    return f"{ended.name} fails: {type(ended.error).__name__}{unknown}"


def change(step: Step) -> list[str]:
    """The cells that changed: "repos/r: (active, instance a1) -> nothing"."""
    shown = []
    for cell, before, after in step.changes:
        assert isinstance(cell, tuple)
        if cell[0] == "kv":
            partition, key = cell[1], cell[2]
            shown.append(
                f"{place(partition, key)}: {value(partition, key, before)} -> {value(partition, key, after)}"
            )
        else:
            shown.append(f"object {cell[1]}: {_size(before)} -> {_size(after)}")
    return shown


def _size(content: bytes | None) -> str:
    return "nothing" if content is None else f"{len(content)} bytes"


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")
