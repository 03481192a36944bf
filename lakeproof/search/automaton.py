"""Automata: the behaviour of a flow that loops, as a finite graph.

A behaviour trie has a node for every history, or for a class of histories of which nothing is known that tells them
apart. Where a flow loops, there is no end to histories. Here a node is an *exact state* of the client
(`lakeproof.search.suspended`): a history that leads to a state which is there already leads to its node. Equal states
are proved to be equal, so nothing is played to more than one history of a node, the first one, and no search starts
over because of a wrong guess.

Example: ``spin`` reads a lock until it is free. Whatever was there before, after "held" it waits as it did at first.

>>> from lakeproof import Call, kv
>>> from lakeproof.search.execution import Program
>>> async def spin(env):
...     while (await env.store.get(b"p", b"lock")).value != b"free":
...         pass
>>> automaton = Automaton(Trie(Program("a", (Call(spin),)), {}, 0))
>>> held, free = (kv.ValueWithPredicate(value, value) for value in (b"held", b"free"))
>>> after_1 = automaton.child(automaton.root, held)
>>> automaton.child(after_1, held) == after_1, len(automaton.nodes)
(True, 2)
>>> automaton.nodes[automaton.child(after_1, free)].op is None
True

The root is a node of its own, since the call has not begun there.

A program of another language may say its state. Nothing proves that, so a few histories of each node are played each
reply, and must agree.
"""

from collections.abc import Hashable
from typing import Final

from lakeproof.search.behaviour import Behaviour
from lakeproof.search.contents import DeclaredState, Incomparable
from lakeproof.search.execution import NondeterministicFlow
from lakeproof.search.suspended import exact_state
from lakeproof.search.trie import Node, Raw, Trie

CONFIRMED_MAX: Final = 4
"""Histories of a node that are played each reply, where a program says its state."""


class Automaton(Behaviour):
    """A behaviour whose nodes are exact states. ``apart``: why histories were kept apart that may be alike."""

    def __init__(self, trie: Trie) -> None:
        self.apart: dict[str, Raw] = {}
        super().__init__(trie, merge=False)

    def crash(self, node_id: int) -> int:
        found = self._crashes.get(node_id)
        if found is None:
            raw = self.nodes[node_id].representative
            found = self._crashes[node_id] = self._of(("crashed", raw.crashed_visible), raw, crashed=True).id
        return found

    def child(self, node_id: int, reply: object) -> int:
        node = self.nodes[node_id]
        known, at = reply in node.children, len(node.members)
        found = super().child(node_id, reply)
        while not known and at < len(node.members):  # histories that this reply has brought here
            self._confirm(node, reply, node.members[at])
            at += 1
        return found

    def _place(self, raw: Raw, parent_rank: int) -> Node:
        node = self._of(self._key(raw), raw)
        if isinstance(raw.exact, tuple) and any(isinstance(token, DeclaredState) for token in raw.exact):
            self._adopt(node, raw)
        return node

    def _adopt(self, node: Node, raw: Raw) -> None:
        """A state that a program says is no proof: the first histories of a node confirm each reply."""
        if len(node.members) < CONFIRMED_MAX:
            super()._adopt(node, raw)

    def _confirm(self, node: Node, reply: object, member: Raw) -> None:
        child, target = self._extend(member, reply), self.nodes[node.children[reply]]
        if self._key(child) != target.key:
            self._learn(node, reply, target.representative, child)
        self._adopt(target, child)

    def _learn(self, node: Node, reply: object, one: Raw, other: Raw) -> None:
        told = [f"requests {raw.asks!r}" if raw.op is not None else "ends" for raw in (one, other)]
        call = node.representative.current.name if node.representative.current else self.program.label
        more = "; the states that it says then differ" if told[0] == told[1] else ""
        raise NondeterministicFlow(
            f"{call}() says one state after two histories, and after the same reply it {told[0]}, and {told[1]}{more}. "
            f"A state must decide all that the flow does"
        )

    def _of(self, key: Hashable, raw: Raw, *, crashed: bool = False) -> Node:
        known = self._classes[key]
        if not known:
            known.append(self._new(key, raw, 0, crashed=crashed))
        return known[0]

    def _key(self, raw: Raw) -> Hashable:
        if raw.op is None:
            return ("done", raw.visible, raw.kept)
        if raw.exact is None:
            raw.exact = self._exact(raw)
        # What follows is decided by the state; what was visible before, and what is asked for, is compared as well.
        return (raw.exact, raw.index, raw.begins, raw.visible, raw.under_way, raw.kept, raw.asks)

    def _exact(self, raw: Raw) -> Hashable:
        one, other = self._rerun(raw), self._rerun(raw)
        try:
            return exact_state(one, other)
        except Incomparable as error:
            self.apart.setdefault(f"{raw.current.name if raw.current else self.program.label}() {error}", raw)
            return ("apart", id(raw))
        finally:
            one.close()
            other.close()
