"""The records of lakeFS' Graveler in a table of DynamoDB: the invariants of the search, asked of a running program.

    GateScenario(..., always=[judged("delete-spares-successor")])

An item of the table is a key and a value of the key-value store; requests become its operations. So an invariant of
the search that speaks of states (`Always`) or steps (`OnStep`) can be asked of every step of every schedule. It must
look at nothing but the store and, of a step, the call with what its observers saw: what a call of a program returns, an
HTTP answer, is no record.
"""

import base64
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

import attrs

from lakeproof.gate.cuts import Exchange, Moment
from lakeproof.gate.effect_log import Op
from lakeproof.gate.fronts.aws import Store, StoreRequest
from lakeproof.gate.fronts.dynamodb.front import DynamoDBRequest
from lakeproof.gate.fronts.dynamodb.requests import ItemChange, Pages, Read
from lakeproof.gate.fronts.dynamodb.state import Key
from lakeproof.gate.fronts.dynamodb.values import Item, Scalar
from lakeproof.gate.fronts.http import Response
from lakeproof.gate.fronts.interface import Answer
from lakeproof.gate.scenario import GateCall
from lakeproof.impl.codec import Undecodable, decode_at
from lakeproof.model import kv
from lakeproof.model.invariants import Always, OnStep, Reached, Violation, repositories
from lakeproof.model.records import Record
from lakeproof.model.snapshot import CallView, Observed, Reads, Snapshot, Status, Transition
from lakeproof.scenario import ScenarioError
from lakeproof.words import Unusable

TABLE: Final = "kvstore"
"""What lakeFS calls its table if nobody says otherwise."""
VALUE: Final = "ItemValue"
OK: Final = 200
SERVER_ERROR: Final = 500


def operation(asked: StoreRequest, table: str = TABLE) -> Op | None:
    """What a request asks of the key-value store; None: it is none of its operations, or of another table."""
    if not isinstance(asked, DynamoDBRequest):
        return None
    match asked.meant:
        case Read(table=name, key=key) if name == table:
            return kv.Get(*_address(key))
        case ItemChange(kind="PutItem", table=name, item=item) if name == table:
            return _written(asked, item)
        case ItemChange(kind="DeleteItem", table=name, item=item, condition=None) if name == table:
            return kv.Delete(*_address(item))
        case Pages(table=name, key=key) if name == table and key is not None:
            return _scan(asked)
        case _:
            return None


def _written(asked: DynamoDBRequest, item: Item) -> Op:
    value = item.get(VALUE)
    content = value.content if isinstance(value, Scalar) and isinstance(value.content, bytes) else b""
    condition = asked.body.get("ConditionExpression")
    if condition is None:
        return kv.Set(*_address(item), content)
    return kv.SetIf(*_address(item), content, _predicate(str(condition), asked.body))


def _predicate(condition: str, told: Mapping[str, object]) -> kv.Predicate:
    if condition.startswith("attribute_not_exists"):
        return None
    if condition.startswith("attribute_exists"):
        return kv.EXISTS
    values = [_bytes(each) for each in _mapping(told.get("ExpressionAttributeValues")).values()]
    if len(values) != 1 or values[0] is None:
        raise Unusable(f"the condition {condition!r} is none of a key-value store: expected one value, in bytes")
    return values[0]


def _scan(asked: DynamoDBRequest) -> kv.ScanBatch:
    """The partition is the value that has no sort key beside it; the other one, if there is one, is the start."""
    told = asked.body
    values = _mapping(told.get("ExpressionAttributeValues"))
    words = str(told.get("KeyConditionExpression", "")).replace("(", " ").replace(")", " ").split()
    found = [values[word] for word in words if word in values]
    partition, *start = [_bytes(each) or b"" for each in found]
    after = _bytes(_mapping(told.get("ExclusiveStartKey")).get("ItemKey"))
    first = after + b"\0" if after is not None else start[0] if start else b""
    limit = told.get("Limit")
    return kv.ScanBatch(partition, first, limit if isinstance(limit, int) else 0)


def reply(op: Op, response: Answer | None) -> object:
    """The answer to a request as the key-value store has it: a value, None, or an error."""
    if not isinstance(response, Response) or response.status >= SERVER_ERROR:
        return kv.OutcomeUnknown()
    body = json.loads(response.body) if response.body else {}
    if response.status != OK:
        conditional = "ConditionalCheckFailed" in str(body.get("__type", ""))
        return kv.PredicateFailed() if conditional else kv.Refused(str(body.get("__type", response.status)))
    match op:
        case kv.Get():
            value = _bytes(_mapping(_mapping(body.get("Item")).get(VALUE)))
            return kv.NotFound() if value is None else kv.ValueWithPredicate(value, value)
        case kv.ScanBatch():
            items = [(_bytes(each.get("ItemKey")), _bytes(each.get(VALUE))) for each in body.get("Items", ())]
            return kv.Batch(
                tuple(kv.Entry(key or b"", value or b"") for key, value in items), "LastEvaluatedKey" in body
            )
        case _:
            return None


def effect(exchange: Exchange) -> tuple[Op, object] | None:
    """What a request asked of the key-value store, and its reply there; None: it was of none, or of another one."""
    op = operation(exchange.request)
    return None if op is None else (op, reply(op, exchange.response))


def contents(store: Store, table: str = TABLE) -> dict[kv.Address, bytes]:
    """What the key-value store holds: bytes by address."""
    found = store.dynamodb.tables.get(table)
    return {} if found is None else dict(_content(key, item) for key, item in found.items.items())


def snapshot(store: Store, table: str = TABLE) -> Snapshot:
    """The records in a table, as the invariants of the search see them. Only its store may be looked at.

    Raises Unusable: an address of the key schema holds no record of its kind.
    """
    held = {address: _record(*address, value) for address, value in contents(store, table).items()}
    return Snapshot(held, {}, 0, (), frozenset({Reads.STORE}), "the gate knows the store only")


def _record(partition: bytes, key: bytes, value: bytes) -> Record | bytes:
    try:
        found = decode_at(partition, key, value)
    except Undecodable as error:
        raise Unusable(f"{error}; is this a table of lakeFS?") from None
    return value if found is None else found


def states(store: Store) -> dict[str, str]:
    """The state of each repository: ``active`` or ``deleting``."""
    return {each.repository_id: each.state.name.lower() for each in repositories.entries(snapshot(store))}


@attrs.define(eq=False)
class Judged:
    """An invariant of the search, as the gate asks it. ``reached``: how often it was tested: without that, it has shown
    nothing."""

    invariant: Always | OnStep
    table: str = TABLE
    reached: int = 0

    @property
    def __name__(self) -> str:
        return self.invariant.id

    def __call__(self, moment: Moment, calls: Sequence[GateCall]) -> str | None:
        """Evidence that it is violated here; None: it holds."""
        checked = self._state(moment) if isinstance(self.invariant, Always) else self._step(moment, calls)
        for finding in checked:
            if isinstance(finding, Violation):
                return finding.evidence
            self.reached += isinstance(finding, Reached)
        return None

    def _state(self, moment: Moment) -> list[object]:
        assert isinstance(self.invariant, Always)
        seen = snapshot(moment.store, self.table)
        found = list(self.invariant.check(seen))
        if seen.refused:  # the check may have caught it
            raise seen.refused[0]
        return found

    def _step(self, moment: Moment, calls: Sequence[GateCall]) -> list[object]:
        assert isinstance(self.invariant, OnStep)
        op = None if moment.exchange is None else operation(moment.exchange.request, self.table)
        if op is None or moment.exchange is None:
            return []
        call = calls[moment.call]
        if not self.invariant.watches(call.name, op):
            return []
        seen = CallView(call.name, tuple(map(str, call.args)), Status.PENDING, observed=self._observed(moment.earlier))
        answer = reply(op, moment.exchange.response)
        before, after = snapshot(moment.before, self.table), snapshot(moment.store, self.table)
        number = int("".join(each for each in moment.client if each.isdigit()) or 0) - 1
        return list(self.invariant.check(Transition(number, seen, op, answer, before, after)))

    def _observed(self, earlier: Sequence[Exchange]) -> tuple[tuple[str, object], ...]:
        made = tuple(each for one in earlier if (each := _effect(one, self.table)) is not None)
        return tuple((each.name, each.fold(made)) for each in self.invariant.observers)


def judged(invariant: object, table: str = TABLE) -> Judged:
    """An invariant of the search, or the id of one of repositories, for `GateScenario.always`. The functions that are
    called have the names of the flows.

    Raises ScenarioError: it looks at more than the store, or speaks of whole executions.
    """
    if isinstance(invariant, str):
        invariant = next((each for each in repositories.ALL if each.id == invariant), invariant)
    if isinstance(invariant, OnStep) or (isinstance(invariant, Always) and (invariant.reads or set()) <= {Reads.STORE}):
        return Judged(invariant, table)
    name = getattr(invariant, "id", invariant)
    raise ScenarioError(f"{name}: the gate asks invariants of states that read the store alone, and of steps; leave it")


def _effect(exchange: Exchange, table: str) -> Observed | None:
    op = operation(exchange.request, table)
    if op is None:
        return None
    answer = reply(op, exchange.response)
    read = _decoded(op, answer.value) if isinstance(op, kv.Get) and isinstance(answer, kv.ValueWithPredicate) else None
    written = _decoded(op, op.value) if isinstance(op, kv.Set | kv.SetIf) else None
    return Observed(op, answer, read, written)


def _decoded(op: kv.Get | kv.Set | kv.SetIf, value: bytes) -> Record | None:
    found = _record(op.partition, op.key, value)
    return None if isinstance(found, bytes) else found


def _address(item: Item) -> kv.Address:
    found = [item.get(name) for name in ("PartitionKey", "ItemKey")]
    partition, key = (each.content if isinstance(each, Scalar) else b"" for each in found)
    if not isinstance(partition, bytes) or not isinstance(key, bytes):
        raise Unusable(f"keys {partition!r}, {key!r}: expected bytes, as in a table of lakeFS")
    return partition, key


def _content(key: Key, item: Item) -> tuple[kv.Address, bytes]:
    value = item.get(VALUE)
    parts = (key.partition.content, None if key.sort is None else key.sort.content)
    held = value.content if isinstance(value, Scalar) else None
    if not isinstance(parts[0], bytes) or not isinstance(parts[1], bytes) or not isinstance(held, bytes):
        raise Unusable(f"the item {key.label}: expected keys and {VALUE} in bytes, as in a table of lakeFS")
    return (parts[0], parts[1]), held


def _mapping(told: object) -> Mapping[str, object]:
    return told if isinstance(told, dict) else {}


@lru_cache(1 << 12)
def _plain(text: str) -> bytes:
    return base64.b64decode(text)


def _bytes(told: object) -> bytes | None:
    """The content of an attribute as JSON has it; None: it holds no bytes."""
    found = _mapping(told).get("B")
    return _plain(found) if isinstance(found, str) else None
