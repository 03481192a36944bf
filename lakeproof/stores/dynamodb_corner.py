"""A partition of a DynamoDB table for one claim, and how a claim says what is wrong."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final, cast

import trio
from botocore.client import BaseClient
from botocore.exceptions import BotoCoreError, ClientError

from lakeproof.impl.stores.base import Store
from lakeproof.impl.stores.conformance import Claim, NotConforming, NotJudged
from lakeproof.impl.stores.kv_answers import equal
from lakeproof.stores.aws import raise_unless_judged
from lakeproof.stores.dynamodb_store import KEY, PARTITION, DynamoDBStore
from lakeproof.stores.wrappers import PrefixedStore

_CLAIM: Final = b"claim"

Fields = Mapping[str, object]


class TablePartition:
    """A partition of a store's table, for one claim."""

    def __init__(self, private: PrefixedStore, store: DynamoDBStore) -> None:
        self.store = store
        self.db: BaseClient = store.client
        self.table = store.table
        self.partition = private.prefix + _CLAIM  # the rest of the table is not touched
        self._private = private

    def key(self, name: str) -> dict[str, object]:
        """A key in this partition. What may be written there is taken away with the corner."""
        # Claims write through boto3, past `PrefixedStore`, whose `clear` must delete the item all the same.
        self._private.remember(_CLAIM, name.encode())
        return {PARTITION: {"B": self.partition}, KEY: {"B": name.encode()}}

    def put(self, name: str, **attributes: Fields) -> None:
        """Write an item without a condition. Raises NotJudged: other requests are about it."""
        try:
            self.db.put_item(TableName=self.table, Item={**self.key(name), **attributes})
        except ClientError as error:
            raise NotJudged(f"what it needs cannot be written: {self.store.explain(error)}") from error

    def get(self, name: str, attribute: str = "v") -> object:
        """The value of an attribute; None without it."""
        found = self.db.get_item(TableName=self.table, Key=self.key(name), ConsistentRead=True)
        value = found.get("Item", {}).get(attribute)
        return None if value is None else next(iter(value.values()))

    def update(self, name: str, expression: str, **fields: object) -> dict[str, object]:
        found: dict[str, object] = self.db.update_item(
            TableName=self.table, Key=self.key(name), UpdateExpression=expression, **fields
        )
        return found

    def query(self, **fields: object) -> dict[str, object]:
        """A page of the partition."""
        found: dict[str, object] = self.db.query(
            TableName=self.table,
            KeyConditionExpression=f"{PARTITION} = :p",
            ExpressionAttributeValues={":p": {"B": self.partition}}
            | cast("dict[str, object]", fields.pop("values", {})),
            ConsistentRead=True,
            **fields,
        )
        return found


Check = Callable[[TablePartition], None]


def claim(check: Check) -> Claim:
    """A claim of a store, from a check of one partition in a thread."""

    def run(private: PrefixedStore, store: DynamoDBStore) -> None:
        try:
            check(TablePartition(private, store))
        except ClientError as error:
            raise_unless_judged(error)
            raise NotConforming(f"unexpectedly raised {store.explain(error)}") from error
        except BotoCoreError as error:
            raise NotJudged(f"no answer: {store.explain(error)}") from error
        # Claims index into answers without checks: a part of another type or a missing one ends here.
        except (LookupError, TypeError, AttributeError, UnicodeDecodeError) as error:
            raise NotConforming(f"an answer lacks a part that is relied on: {error!r}") from error

    async def judged(store: Store) -> None:
        assert isinstance(store, PrefixedStore)
        assert isinstance(store.store, DynamoDBStore)
        await trio.to_thread.run_sync(run, store, store.store)

    # The name is the sentence that the command prints.
    judged.__name__ = check.__name__
    return judged


@contextmanager
def expect_error(code: str) -> Iterator[dict[str, object]]:
    """What is done inside is to fail with this code, and status 400. Yields what the error says, filled at the end."""
    answer: dict[str, object] = {}
    try:
        yield answer
    except ClientError as error:
        answer.update(error.response)
        found = error.response.get("Error", {}).get("Code")
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode")
        if found != code:
            raise_unless_judged(error)
        equal("the error", (found, status), (code, 400))  # ours fail with 400: a condition, a mistake in the request
    else:
        raise NotConforming(f"the error: expected {code}, found none")


def n(number: int) -> dict[str, object]:
    return {"N": str(number)}
