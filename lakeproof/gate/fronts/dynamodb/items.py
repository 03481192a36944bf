"""Reads and changes of single items, alone, in batches and in transactions. Pure.

Source: Amazon DynamoDB API Reference; Developer Guide, *Amazon DynamoDB transactions: how it works*.
"""

import hashlib
import json
from typing import Final

import attrs

from lakeproof.gate.fronts.dynamodb import updates
from lakeproof.gate.fronts.dynamodb.conditions import holds
from lakeproof.gate.fronts.dynamodb.errors import DynamoDBError, invalid, raise_error
from lakeproof.gate.fronts.dynamodb.paths import project_paths
from lakeproof.gate.fronts.dynamodb.requests import Fields, ItemChange, Read, Several
from lakeproof.gate.fronts.dynamodb.state import Answered, Done, DynamoState, Key
from lakeproof.gate.fronts.dynamodb.touched import key_of
from lakeproof.gate.fronts.dynamodb.values import ITEM_BYTES_MAX, Item, item_size, written_item

TOKEN_MICROSECONDS: Final = 10 * 60 * 1_000_000
"""How long a transaction is known by its token."""
_CONDITION_FAILED: Final = "The conditional request failed"


@attrs.frozen(kw_only=True)
class Effect:
    """What a change does to its item. before, after: None where there is none."""

    table: str
    key: Key
    before: Item | None
    after: Item | None


def effect(state: DynamoState, change: ItemChange) -> Effect:
    """What a change would do now.

    Raises:
        DynamoDBError: its condition does not hold, or it does not fit the table or the item.
    """
    table = state.table(change.table)
    key = key_of(table, change)
    before = table.items.get(key)
    if change.update is not None:
        updates.check_keys(change.update, table.key_names)
    if change.condition is not None and not holds(change.condition, before or {}):  # none is an item without attributes
        details = {"Item": written_item(before)} if change.tells and before is not None else {}
        raise_error("ConditionalCheckFailedException", _CONDITION_FAILED, details)
    after: Item | None = before
    if change.kind == "PutItem":
        after = change.item
    elif change.kind == "DeleteItem":
        after = None
    elif change.kind == "UpdateItem" and not (before is None and change.only_removes):
        # UpdateItem makes an item that is not there: it begins with the key that the request names.
        base = table.key_fields(key) if before is None else before
        after = base if change.update is None else updates.apply_update(change.update, base)
    # Measured after the update: an update may grow an item step by step.
    if after is not None and item_size(after) > ITEM_BYTES_MAX:
        what = "Item size to update" if change.kind == "UpdateItem" else "Item size"
        invalid(f"{what} has exceeded the maximum allowed size")
    return Effect(table=change.table, key=key, before=before, after=after)


def _take_place(state: DynamoState, *effects: Effect) -> DynamoState:
    for each in effects:
        state = state.with_item(each.table, each.key, each.after)
    return state


def change_item(state: DynamoState, change: ItemChange) -> Answered:
    """PutItem, UpdateItem, DeleteItem."""
    done = effect(state, change)
    attributes = _returned_item(change, done)
    return _take_place(state, done), {"Attributes": written_item(attributes)} if attributes else {}  # none if empty


def _returned_item(change: ItemChange, done: Effect) -> Item:
    source = (done.before if change.returns.endswith("OLD") else done.after) or {}
    match change.returns:
        case "NONE":
            return {}
        case "UPDATED_OLD" | "UPDATED_NEW":
            return {} if change.update is None else project_paths(source, updates.paths_of(change.update))
        case _:
            return source


def get_item(state: DynamoState, request: Read) -> Answered:
    found = _find_item(state, request)
    # An item that has nothing of the projection is there: it is answered as an empty Item, and only absence as none.
    return state, {} if found is None else {"Item": written_item(found)}


def _find_item(state: DynamoState, request: Read) -> Item | None:
    table = state.table(request.table)
    found = table.items.get(key_of(table, request))
    return found if found is None or request.projection is None else project_paths(found, request.projection)


def batch_get(state: DynamoState, request: Several) -> Answered:
    """In one step."""
    _refuse_duplicates(state, request, transaction=False)
    # A table with no hit has an empty list.
    responses: dict[str, list[object]] = {each.table: [] for each in request.reads}
    for each in request.reads:
        if (found := _find_item(state, each)) is not None:
            responses[each.table].append(written_item(found))
    return state, {"Responses": responses, "UnprocessedKeys": {}}


def batch_write(state: DynamoState, request: Several) -> Answered:
    """BatchWriteItem, in one step. What is wrong with one request is wrong with all."""
    _refuse_duplicates(state, request, transaction=False)
    # All effects are those on the state before: no two of them are about one item.
    return _take_place(state, *[effect(state, each) for each in request.changes]), {"UnprocessedItems": {}}


def transact_get(state: DynamoState, request: Several) -> Answered:
    _refuse_duplicates(state, request, transaction=True)
    found = [_find_item(state, each) for each in request.reads]
    # Unlike GetItem, no empty Item.
    return state, {"Responses": [{"Item": written_item(item)} if item else {} for item in found]}


def transact_write(state: DynamoState, request: Several, body: Fields, now: int) -> Answered:
    """TransactWriteItems: all of it, or nothing. now: in microseconds since 1970.

    Raises:
        DynamoDBError: ``TransactionCanceledException`` with a reason for each item, in order.
    """
    # A token that comes again with other content is a mistake of the program.
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    # Tokens are forgotten here alone: until the next transaction the state keeps them.
    before = {text: each for text, each in state.tokens.items() if now - each.at < TOKEN_MICROSECONDS}
    known = before.get(request.token)
    if known is not None:
        if known.request != digest:
            raise_error("IdempotentParameterMismatchException",
                   "The request uses the same client token as a previous, but "
                   "non-identical request.")  # fmt: skip
        # Nothing is done twice. The items count as read, too, which is more than the answer depends on.
        return state, {}
    _refuse_duplicates(state, request, transaction=True)
    effects: list[Effect] = []
    reasons: list[dict[str, object]] = []
    for change in request.changes:
        # The loop goes on after a failure: the error has one reason for each part, in order.
        try:
            effects.append(effect(state, change))
            reasons.append({"Code": "None"})
        except DynamoDBError as error:
            code = "ConditionalCheckFailed" if error.code == "ConditionalCheckFailedException" else "ValidationError"
            reasons.append({"Code": code, "Message": error.message, **error.fields})
    if len(effects) < len(request.changes):
        codes = ", ".join(str(each["Code"]) for each in reasons)
        raise_error(
            "TransactionCanceledException",
            f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]",
            {"CancellationReasons": reasons},
        )
    # Nothing is written before every part has passed.
    tokens = {**before, request.token: Done(digest, now)} if request.token else state.tokens
    return attrs.evolve(_take_place(state, *effects), tokens=tokens), {}


def _refuse_duplicates(state: DynamoState, request: Several, *, transaction: bool) -> None:
    """Raises DynamoDBError: two parts are about one item; or, but in a transaction, a key does not fit its table."""
    seen: set[tuple[str, Key]] = set()
    for each in request.parts:
        table = state.table(each.table)
        try:
            key = key_of(table, each)
        except DynamoDBError:
            if transaction:
                continue  # one of its reasons
            raise
        if (each.table, key) in seen:
            invalid("Transaction request cannot include multiple operations on one item" if transaction
                    else "Provided list of item keys contains duplicates")  # fmt: skip
        seen.add((each.table, key))
