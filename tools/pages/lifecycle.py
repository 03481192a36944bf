"""The life of a repository id, one table per variant: what its entry may become, and by what.

The tables say what each design means to allow, one operation after the other; that a flow does something else when
operations overlap is what scenarios are there to find. docs/designs/repositories.md shows them.
Source: repository-operations-error-handling.md, "Repository State", "Flows", "Decision"; graveler-on-kv.md, "Deleting
a Repository". The tables of the variants follow `lakeproof.impl.repositories`, and a test holds the flows to them.
"""

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Final

from lakeproof.model.records import Repository, RepositoryState


class State(Enum):
    """What an id's entry says; ABSENT if there is none."""

    ABSENT = "absent"
    INITIAL = "initial"
    ACTIVE = "active"
    DELETING = "deleting"
    DELETED = "deleted"


class Event(Enum):
    """What happens to an entry, each by one write."""

    CREATE = "create"
    CREATE_BARE = "create bare"
    ACTIVATE = "activate"
    EXPIRE = "expire"
    TAKE_OVER = "take over"
    DELETE = "delete"
    REMOVE = "remove"


MEANINGS: Final[Mapping[Event, str]] = MappingProxyType(
    {
        Event.CREATE: "a create, or a bare one, takes the id",
        Event.CREATE_BARE: "a bare create takes the id, where it goes another way",
        Event.ACTIVATE: "a create has written commit and branch, and confirms",
        Event.EXPIRE: "somebody finds a claim that nobody has confirmed for two minutes, and declares it failed",
        Event.TAKE_OVER: "a create finds such a claim, and replaces it with its own",
        Event.DELETE: "a delete, or its retry, marks the entry",
        Event.REMOVE: "a delete removes the entry",
    }
)

REMARKS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "naive": "An entry is there, or not. The text does not say whether entities are deleted before it or after.",
        "kv3": "The same states; a delete removes the entry first, and its entities afterwards.",
        "step1": "An entry has a state. The id is free when all entities are deleted.",
        "step2": "A create claims the id first. The id is free when the cleaner has been left a record.",
        "hardened": "Our repair: an entry is never removed. *Deleted* is a tombstone, and its id is free. "
        "The cleaner finds all records of a dead instance, at any time; its data it does not find.",
    }
)

Table = Mapping[tuple[State, Event], State]
"""A pair that is not there is not allowed."""

_ABSENT, _INITIAL, _ACTIVE, _DELETING, _DELETED = State

NAIVE: Final[Table] = MappingProxyType(
    {
        (_ABSENT, Event.CREATE): _ACTIVE,
        (_ACTIVE, Event.REMOVE): _ABSENT,
    }
)

KV3: Final[Table] = NAIVE
"""What differs is what happens to the entities, not to the entry."""

STEP1: Final[Table] = MappingProxyType(
    {
        (_ABSENT, Event.CREATE): _ACTIVE,
        (_ACTIVE, Event.DELETE): _DELETING,
        (_DELETING, Event.DELETE): _DELETING,  # a retry
        (_DELETING, Event.REMOVE): _ABSENT,
    }
)

STEP2: Final[Table] = MappingProxyType(
    {
        (_ABSENT, Event.CREATE): _INITIAL,
        (_ABSENT, Event.CREATE_BARE): _ACTIVE,
        (_INITIAL, Event.ACTIVATE): _ACTIVE,
        (_INITIAL, Event.EXPIRE): _DELETING,
        (_INITIAL, Event.DELETE): _DELETING,  # where delete's "Get the Repository" sees every state
        (_ACTIVE, Event.DELETE): _DELETING,
        (_DELETING, Event.DELETE): _DELETING,  # a retry
        (_DELETING, Event.REMOVE): _ABSENT,
    }
)

HARDENED: Final[Table] = MappingProxyType(
    {
        (_ABSENT, Event.CREATE): _INITIAL,
        (_DELETED, Event.CREATE): _INITIAL,
        (_INITIAL, Event.TAKE_OVER): _INITIAL,  # of another instance
        (_INITIAL, Event.ACTIVATE): _ACTIVE,
        (_INITIAL, Event.EXPIRE): _DELETED,  # by the cleaner
        (_INITIAL, Event.DELETE): _DELETED,
        (_ACTIVE, Event.DELETE): _DELETED,
    }
)

TABLES: Final[Mapping[str, Table]] = MappingProxyType(
    {"naive": NAIVE, "kv3": KV3, "step1": STEP1, "step2": STEP2, "hardened": HARDENED}
)
"""By variant, as `lakeproof.impl.repositories` names them."""


def state_of(entry: Repository | None) -> State:
    """What an entry says."""
    return State.ABSENT if entry is None else _STATES[entry.state]


_STATES: Final = {
    RepositoryState.INITIAL: State.INITIAL,
    RepositoryState.ACTIVE: State.ACTIVE,
    RepositoryState.DELETING: State.DELETING,
    RepositoryState.DELETED: State.DELETED,
}


def tables() -> str:
    """The tables in Markdown: the events, and for each variant a row for each state and a column for each event."""
    used = {event for table in TABLES.values() for _, event in table}
    events = [f"| {event.value} | {MEANINGS[event]} |" for event in Event if event in used]
    parts = ["\n".join(["| event | what happens |", "| --- | --- |", *events])]
    parts += [f"### {variant}\n\n{REMARKS[variant]}\n\n{_table(table)}" for variant, table in TABLES.items()]
    return "\n\n".join(parts)


def _table(table: Table) -> str:
    events = [event for event in Event if any(event is each for _, each in table)]
    lines = [f"| | {' | '.join(event.value for event in events)} |", "| --- " * (len(events) + 1) + "|"]
    for state in [state for state in State if any(state is each for each, _ in table)]:
        after = (table.get((state, event)) for event in events)
        lines.append(f"| {state.value} | {' | '.join('-' if each is None else each.value for each in after)} |")
    return "\n".join(lines)
