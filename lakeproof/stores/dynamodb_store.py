"""A key-value store in DynamoDB, or in what speaks its protocol: one item for each key, in a table as lakeFS has it.

The partition key is ``PartitionKey``, the sort key ``ItemKey``, the value ``ItemValue``; all three are bytes. Nothing
is sent twice: a write that is sent again may be done twice, or fail on what it wrote itself.

Example: a predicate is a condition on the item. One action of a transaction has those of all checks of its key, and
values with the numbers of the checks.

>>> _hold(b"1")
{'ConditionExpression': 'ItemValue = :v0', 'ExpressionAttributeValues': {':v0': {'B': b'1'}}}
>>> _hold(None, b"1")["ConditionExpression"]
'attribute_not_exists(PartitionKey) AND ItemValue = :v1'
>>> _action((b"p", b"k"), {(b"p", b"k"): None}), _action((b"p", b"lock"), {})[0]
(('Delete', {'Key': {'PartitionKey': {'B': b'p'}, 'ItemKey': {'B': b'k'}}}), 'ConditionCheck')

Source: Amazon DynamoDB API Reference, API version 2012-08-10.
"""

import os
import secrets
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from typing import Final, assert_never, cast

import trio
from botocore import exceptions
from botocore.client import BaseClient
from botocore.config import Config

from lakeproof.impl.closable import Closing
from lakeproof.impl.stores.base import DELETE_IF, TRANSACT, Answer, Store, Unsent
from lakeproof.model import kv
from lakeproof.stores.aws import NO_MATTER, SERVER_ERROR, UNDECIDED, Address
from lakeproof.stores.redaction import Redaction
from lakeproof.words import Unusable

PARTITION: Final = "PartitionKey"
KEY: Final = "ItemKey"
VALUE: Final = "ItemValue"
KEY_BYTES_MAX: Final = 1024
CONNECT_SECONDS: Final = 10
ANSWER_SECONDS: Final = 30
CREATED_SECONDS: Final = 120
_FAILED: Final = "ConditionalCheckFailedException"
_UNSENT: Final = (
    exceptions.EndpointConnectionError,
    exceptions.ConnectTimeoutError,
    exceptions.NoCredentialsError,
    exceptions.PartialCredentialsError,
    exceptions.ParamValidationError,
)
"""Nothing has reached the store. Not so with SSLError: the answer may be what cannot be read; nor with
ProxyConnectionError: the proxy may have passed the request on, and been lost then."""
_MALFORMED: Final = (LookupError, TypeError, AttributeError, ValueError)
"""What is no DynamoDB answers anything: botocore reads an object without the parts that are relied on."""
_TELLS: Final = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
_GIVEN: Final = frozenset({"AWS_ACCESS_KEY_ID", "AWS_PROFILE"})
"""Variables that say that there are credentials."""

Item = Mapping[str, Mapping[str, object]]


def address_of(dsn: str, name: str) -> Address:
    """What a DSN ``dynamodb+http://...`` means; its path is a table, or empty for one of its own. name: the DSN without
    secrets. Raises Unusable: it is none."""
    form = f"{name}: no address; expected dynamodb+http://HOST:PORT/TABLE, or / for a table of its own"
    try:
        address = Address.of(dsn)
    except ValueError:
        raise Unusable(form) from None
    if not address.host or "/" in address.path:
        raise Unusable(form)
    return address


def client_of(
    address: Address, connections: int, tries: int = 1, seconds: float = ANSWER_SECONDS
) -> BaseClient:
    """A client that tries nothing again, or, where all only read, up to ``tries`` times. Without credentials in the DSN
    it takes those of the environment; if that has none, an address without TLS is taken for a store that asks for
    none."""
    config = Config(
        retries={"total_max_attempts": tries},  # 1: botocore's own retries would repeat writes
        connect_timeout=CONNECT_SECONDS,
        read_timeout=seconds,
        max_pool_connections=connections,
        parameter_validation=True,
    )
    # Even a local store without users needs some key, because botocore signs every request.
    free = address.url.startswith("http:") and not _GIVEN & os.environ.keys()
    return address.client("dynamodb", config, ("lakeproof", "lakeproof") if free else None)


class DynamoDBStore(Closing, Store):
    """Opens connections as they are needed. Without the name of a table it makes one, and deletes it when it is closed.

    connections: how many operations are under way at once. seconds: how long an answer may take.

    Raises:
        Unusable: it cannot be reached, or the table has other keys.
    """

    capabilities = frozenset({DELETE_IF, TRANSACT})

    def __init__(self, dsn: str, *, name: str, connections: int = 16, seconds: float = ANSWER_SECONDS) -> None:
        self.name = name
        self.explain = Redaction([dsn]).explain
        self._limiter = trio.CapacityLimiter(connections)
        address = address_of(dsn, name)
        self.own = not address.path
        """Whether the table is one of its own, and others may be made."""
        self.table = address.path or f"lakeproof-{secrets.token_hex(8)}"
        try:
            self.client = client_of(address, connections, seconds=seconds)
            with ExitStack() as failed:
                failed.callback(self.close)  # on Ctrl-C, too: a table of its own does not stay
                if self.own:
                    self.create_table(self.table, "B")
                self._check()
                failed.pop_all()
        except (exceptions.ClientError, exceptions.BotoCoreError, ValueError) as error:
            raise Unusable(f"{name}: {self.explain(error)}; start the store, or mend the address") from error
        except _MALFORMED as error:
            raise Unusable(f"{name}: an answer lacks a part ({error!r}); name a store that speaks DynamoDB") from error

    def create_table(self, table: str, kind: str) -> None:
        """A table with keys of the names above. kind: of the sort key. Returns when it is there."""
        kinds = {PARTITION: "B", KEY: kind}
        self.client.create_table(
            TableName=table,
            AttributeDefinitions=[{"AttributeName": each, "AttributeType": found} for each, found in kinds.items()],
            KeySchema=[
                {"AttributeName": PARTITION, "KeyType": "HASH"},
                {"AttributeName": KEY, "KeyType": "RANGE"},
            ],
            BillingMode="PAY_PER_REQUEST",  # provisioned throughput would throttle, and so fail claims
        )
        # CreateTable returns while the table is CREATING, when every request to it is refused.
        waiter = self.client.get_waiter("table_exists")
        waiter.wait(TableName=table, WaiterConfig={"Delay": 1, "MaxAttempts": CREATED_SECONDS})

    def _check(self) -> None:
        found = self.client.describe_table(TableName=self.table)["Table"]
        kinds = {each["AttributeName"]: each["AttributeType"] for each in found["AttributeDefinitions"]}
        # KeySchema has the hash key first. AttributeDefinitions may also have keys of secondary indexes.
        keys = [(each["AttributeName"], kinds[each["AttributeName"]]) for each in found["KeySchema"]]
        if keys != [(PARTITION, "B"), (KEY, "B")]:
            raise Unusable(
                f"{self.name}: the table has the keys {', '.join(f'{each} {kind}' for each, kind in keys)}; expected "
                f"{PARTITION} B, {KEY} B: name another, or none for one of its own"
            )

    def close(self) -> None:
        """Delete the table, if it is its own, and close the connections."""
        if self.own:
            with suppress(exceptions.ClientError, exceptions.BotoCoreError):
                self.client.delete_table(TableName=self.table)
        self.client.close()

    async def apply(self, op: kv.Op) -> Answer:
        return await self._in_thread(lambda: self._execute(op))

    async def apply_all(self, op: kv.Transact) -> None:
        await self._in_thread(lambda: self._transact(op))

    async def _in_thread(self, execute: Callable[[], Answer]) -> Answer:
        # Calls of botocore block. A request that is abandoned runs to its own timeout, and a write may still take
        # effect.
        return await trio.to_thread.run_sync(self._apply, execute, abandon_on_cancel=True, limiter=self._limiter)

    def _apply(self, execute: Callable[[], Answer]) -> Answer:
        try:
            return execute()
        except exceptions.ClientError as error:
            code = error.response.get("Error", {}).get("Code")
            if code == _FAILED:  # status 400, but an answer of the contract
                raise kv.PredicateFailed from None
            # As good as unsent: definite, and no answer to the question.
            if code in NO_MATTER:
                raise Unsent(f"{self.name}: {self.explain(error)}") from error
            status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", SERVER_ERROR)
            # Any other 4xx is decided before anything is written; a 500 may come after it.
            if status >= SERVER_ERROR or status in UNDECIDED:
                raise kv.OutcomeUnknown(f"{self.name}: {self.explain(error)}") from error
            raise kv.Refused(f"{self.name}: {self.explain(error)}") from error
        except _UNSENT as error:
            raise Unsent(f"{self.name}: {self.explain(error)}") from error
        except exceptions.BotoCoreError as error:
            raise kv.OutcomeUnknown(f"{self.name}: {self.explain(error)}") from error
        except _MALFORMED as error:
            raise kv.OutcomeUnknown(f"{self.name}: an answer lacks a part, or it is malformed: {error!r}") from error

    def _execute(self, op: kv.Op) -> Answer:
        match op:
            case kv.Get(partition, key):
                # The default may be stale.
                found = self._ask(self.client.get_item, Key=_key(partition, key), ConsistentRead=True)
                if "Item" not in found:
                    raise kv.NotFound
                value = _bytes(cast("Item", found["Item"]), VALUE)
                return kv.ValueWithPredicate(value, value)
            case kv.Set(partition, key, value):
                self._put(partition, key, value)
            case kv.SetIf(partition, key, value, predicate):
                self._put(partition, key, value, **_hold(predicate))
            case kv.Delete(partition, key):
                self._ask(self.client.delete_item, Key=_key(partition, key))
            case kv.DeleteIf(partition, key, predicate):
                self._ask(self.client.delete_item, Key=_key(partition, key), **_hold(predicate))
            case kv.ScanBatch(partition, start, batch_size):
                return self._scan(partition, start, batch_size)
            case _:
                assert_never(op)
        return None

    def _transact(self, op: kv.Transact) -> None:
        """One action for each key, since no two may be about one: a write with the conditions of the key's checks, or
        these alone."""
        # A key may have several checks. Each keeps its number in the request, which `CheckFailed` has to name.
        checks: dict[kv.Address, dict[int, kv.Predicate]] = {
            (part, key): {} for part, key, _ in (*op.checks, *op.writes)
        }
        for number, (partition, key, predicate) in enumerate(op.checks):
            checks[partition, key][number] = predicate
        values = {(partition, key): value for partition, key, value in op.writes}
        actions = [
            {kind: {"TableName": self.table, **fields, **_hold(*checks[at].values()), **_TELLS}}
            for at in checks
            for kind, fields in [_action(at, values)]
        ]
        try:
            if actions:
                self.client.transact_write_items(TransactItems=actions)
        except self.client.exceptions.TransactionCanceledException as error:
            reasons = error.response["CancellationReasons"]
            if {each["Code"] for each in reasons} - {"None", "ConditionalCheckFailed"}:
                raise  # another transaction is at one of the keys, say: which checks hold is unknown
            # The reasons are in the order of the actions, hence of `checks`, with the code None for actions that were
            # not at fault.
            found = zip(checks.values(), reasons, strict=True)
            raise kv.CheckFailed(min(_first_failed(*each) for each in found if each[1]["Code"] != "None")) from None

    def _ask(self, method: Callable[..., dict[str, object]], **fields: object) -> dict[str, object]:  # type: ignore[explicit-any]  # a method of boto3
        return method(TableName=self.table, **fields)

    def _put(self, partition: bytes, key: bytes, value: bytes, **condition: object) -> None:
        self._ask(self.client.put_item, Item=_item(partition, key, value), **condition)

    def _scan(self, partition: bytes, start: bytes, batch_size: int) -> kv.Batch:
        """One page. It may be shorter than the batch, where Amazon ends a page at 1 MB."""
        condition, values = f"{PARTITION} = :p", {":p": {"B": partition}}
        if start:  # an empty binary is no valid key value
            # A key has no more bytes, so none is between this one and the start.
            longer = len(start) > KEY_BYTES_MAX
            condition += f" AND {KEY} {'>' if longer else '>='} :k"
            values[":k"] = {"B": start[:KEY_BYTES_MAX]}
        # One more than is shown tells whether there is more.
        limit: dict[str, object] = {"Limit": batch_size + 1} if batch_size else {}
        found = self._ask(
            self.client.query,
            KeyConditionExpression=condition,
            ExpressionAttributeValues=values,
            ConsistentRead=True,
            **limit,
        )
        entries = tuple(kv.Entry(_bytes(each, KEY), _bytes(each, VALUE)) for each in cast("list[Item]", found["Items"]))
        shown = entries[: batch_size or None]
        # LastEvaluatedKey may also be there when nothing follows. The next batch is empty then, and the last.
        more = len(shown) < len(entries) or "LastEvaluatedKey" in found
        if more and not shown:  # nothing to go on from: the same page would be read for ever
            raise kv.Refused(f"{self.name}: a page without items has a LastEvaluatedKey; expected an item, or none")
        return kv.Batch(shown, more=more)


def _key(partition: bytes, key: bytes) -> dict[str, object]:
    return {PARTITION: {"B": partition}, KEY: {"B": key}}


def _item(partition: bytes, key: bytes, value: bytes) -> dict[str, object]:
    return {**_key(partition, key), VALUE: {"B": value}}


def _hold(*predicates: kv.Predicate) -> dict[str, object]:
    """What makes an action conditional on all of them; nothing if there are none."""
    values = {f":v{number}": {"B": each} for number, each in enumerate(predicates) if isinstance(each, bytes)}
    terms = [
        f"{VALUE} = :v{number}"
        if isinstance(each, bytes)
        else f"attribute_{'not_exists' if each is None else 'exists'}({PARTITION})"  # every item has its hash key
        for number, each in enumerate(predicates)
    ]
    condition: dict[str, object] = {"ConditionExpression": " AND ".join(terms)} if terms else {}
    return {**condition, "ExpressionAttributeValues": values} if values else condition


def _action(at: kv.Address, values: Mapping[kv.Address, bytes | None]) -> tuple[str, dict[str, object]]:
    """What a transaction does with a key: its kind, and its fields."""
    value = values.get(at)
    if value is not None:
        return "Put", {"Item": _item(*at, value)}
    return "Delete" if at in values else "ConditionCheck", {"Key": _key(*at)}


def _first_failed(checks: Mapping[int, kv.Predicate], reason: Mapping[str, Item]) -> int:
    """The first of a key's checks that did not hold, by the item that the store returned."""
    # Without the item (ALL_OLD) the key was absent. A store that does not return it at all makes this name the wrong
    # check.
    found = _bytes(reason["Item"], VALUE) if "Item" in reason else None
    return next((number for number, each in checks.items() if not kv.predicate_holds(found, each)), min(checks))


def _bytes(item: Item, name: str) -> bytes:
    found = item.get(name, {}).get("B", b"")
    return found if isinstance(found, bytes) else b""
