"""Lists of events as numbers: what a transition tells monitors."""

from collections.abc import Hashable

from lakeproof.model.snapshot import CallView, Event, Returned, Status
from lakeproof.search.trie import seen_of


class Events:
    """Lists of events, numbered: 0 is the empty one."""

    def __init__(self) -> None:
        self.lists: list[tuple[Event, ...]] = [()]
        self._numbers: dict[Hashable, int] = {(): 0}  # `Expansion._advance` skips 0

    def number(self, events: tuple[Event, ...]) -> int:
        key = tuple(_name(event) for event in events)
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self.lists)
            self.lists.append(events)
        return found


def _name(event: Event) -> Hashable:
    """What tells an event from others, by type and bits."""
    # An invoked call has no view yet: one without an answer carries its name and its arguments.
    called = event.call if isinstance(event, Returned) else CallView(event.name, event.args, Status.PENDING)
    return (type(event), event.client, event.index, seen_of((called,)))
