"""Automata: the behaviour of a flow that loops, as a finite graph.

A behaviour trie has a node for every history, or for a class of histories of which nothing is known that tells them
apart. Where a flow loops, there is no end to histories. Here a node is an *exact state* of the client
(`lakeproof.search.suspended`): a history that leads to a state which is there already leads to its node. Equal states
are proved to be equal, so nothing is played to more than one history of a node, the first one, and no search starts
over because of a wrong guess.

Example: ``spin`` reads a lock until it is free. Whatever was there before, after "taken" it waits as it did at first.

>>> from lakeproof import Call, kv
>>> from lakeproof.search.execution import Program
>>> async def spin(env):
...     while (await env.store.get(b"p", b"lock")).value != b"free":
...         pass
>>> automaton = Automaton(Trie(Program("a", (Call(spin),)), {}, 0))
>>> taken, free = (kv.ValueWithPredicate(value, value) for value in (b"taken", b"free"))
>>> after_1 = automaton.child(automaton.root, taken)
>>> automaton.child(after_1, taken) == after_1, len(automaton.nodes)
(True, 2)
>>> automaton.nodes[automaton.child(after_1, free)].op is None
True

The root is a node of its own, since the call has not begun there.

A program of another language may say its state. Nothing proves that, so a few histories of each node are played each
reply, and must agree.

Where identifiers are renamed (`lakeproof.search.fresh_names`), a history knows the names that it was given, and each
one that holds a name is run in other spellings, too. `renamed` finds the node of a state that differs by names alone.
"""

from collections.abc import Hashable, Iterator
from typing import Final

import attrs

from lakeproof.model.identity import identity
from lakeproof.scenario import ScenarioError
from lakeproof.search.behaviour import Behaviour
from lakeproof.search.contents import DeclaredState, Incomparable
from lakeproof.search.execution import Execution, NondeterministicFlow
from lakeproof.search.fresh_names import OTHERS, FreshMint, NotOpaque, Spelling, forgetting, names_in
from lakeproof.search.suspended import exact_state
from lakeproof.search.trie import Node, Raw, Trie, seen_of

CONFIRMED_MAX: Final = 4
"""Histories of a node that are played each reply, where a program says its state."""


class Automaton(Behaviour):
    """A behaviour whose nodes are exact states. ``apart``: why histories were kept apart that may be alike.
    ``renames``: identifiers are spelled so that they can be renamed."""

    def __init__(self, trie: Trie, *, renames: bool = False) -> None:
        self.apart: dict[str, Raw] = {}
        self._renames = renames
        # Histories of the plain search have identifiers of the plain spelling: renamed, none of them counts.
        super().__init__(attrs.evolve(trie, root=None) if renames else trie, merge=False)

    def renamed(self, node_id: int, spelling: Spelling) -> int:
        """The node of the state that differs from this one by the names of identifiers alone.

        Raises:
            NotOpaque: its history, with other names, leads to another state.
        """
        node = self.nodes[node_id]
        key = spelling.key(node.key)
        known = self._classes.get(key)
        if known:
            return known[0].id
        raw = self._meet(self._copy(node.representative, spelling, names_in(node.key)))
        made = self._of(("crashed", raw.crashed_visible), raw, crashed=True) if node.crashed else self._place(raw, 0)
        if made.key != key:
            raise NotOpaque(f"{self._called(raw)} depends on how a fresh identifier is spelled")
        return made.id

    def _copy(self, raw: Raw, spelling: Spelling, live: list[str]) -> Raw:
        """A history with other names. What it has forgotten gets names of its own."""
        path = [raw]
        while path[-1].parent is not None:
            path.append(path[-1].parent)  # up to the root, which has no reply
        full = forgetting(spelling, live, _names_of(raw))
        run = Execution(self.program, FreshMint(self.program.label, [*map(full.spell, raw.names)]))
        made = Raw(run, None, None)
        # Each step makes a history of its own, since their replies, once renamed, are not those of the trie.
        for each in path[-2::-1]:
            reply = full.value(each.reply)
            run.send(reply)
            made = Raw(run, made, reply)
        run.close()
        return made

    def start(self, raw: Raw | None) -> Execution:
        if not self._renames:
            return Execution(self.program)
        return Execution(self.program, FreshMint(self.program.label, () if raw is None else raw.names))

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
        # The child may be this node itself: then `_place` has added a history before the reply was entered.
        while not known and at < len(node.members):  # histories that this reply has brought here
            self._confirm(node, reply, node.members[at])
            at += 1
        return found

    def _place(self, raw: Raw, parent_rank: int) -> Node:
        if self._renames and raw.op is None:
            for spelling in OTHERS if _names_of(raw) else ():  # at its end no states are compared
                self._respelled(raw, spelling).close()
        node = self._of(self._key(raw), raw)
        # Without a declared state, equal keys are a proof: one history for each node is enough.
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
        ways = [f"requests {raw.asks!r}" if raw.op is not None else "ends" for raw in (one, other)]
        call = node.representative.current.name if node.representative.current else self.program.label
        more = "; the states that it says then differ" if ways[0] == ways[1] else ""
        raise NondeterministicFlow(
            f"{call}() says one state after two histories, and after the same reply it {ways[0]}, and {ways[1]}{more}. "
            f"A state must decide all that the flow does"
        )

    def _of(self, key: Hashable, raw: Raw, *, crashed: bool = False) -> Node:
        known = self._classes[key]
        if not known:
            known.append(self._new(key, raw, 0, crashed=crashed))  # 0: a loop has no ranks
        return known[0]

    def _key(self, raw: Raw) -> Hashable:
        if raw.op is None:
            return ("done", raw.visible, raw.kept)
        if raw.exact is None:
            raw.exact = self._exact(raw)
        # What follows is decided by the state; what was visible before, and what is requested, is compared as well.
        asks = identity(raw.asks) if self._renames else raw.asks
        return (raw.exact, raw.visible, asks)

    def _exact(self, raw: Raw) -> Hashable:
        if self._renames and _names_of(raw):
            return self._exact_in_all_spellings(raw)
        one, other = self._rerun(raw), self._rerun(raw)
        try:
            return exact_state(one, other)
        except Incomparable as error:
            # Its key is equal to itself only: that is sound, but the search may have no end where this call loops.
            self.apart.setdefault(f"{raw.current.name if raw.current else self.program.label}() {error}", raw)
            return ("apart", id(raw))
        finally:
            one.close()
            other.close()

    def _exact_in_all_spellings(self, raw: Raw) -> Hashable:
        # Each walk puts tokens of `one` into the key, so all spellings give the same key, or raise.
        one, found = self._rerun(raw), None
        try:
            for spelling in OTHERS:
                other = self._respelled(raw, spelling)
                try:
                    found = exact_state(one, other, spelling)
                finally:
                    other.close()
        except Incomparable as error:
            raise NotOpaque(f"{self._called(raw)} {error}") from error
        finally:
            one.close()
        return found

    def _respelled(self, raw: Raw, spelling: Spelling) -> Execution:
        """A run of the same history in another spelling.

        Raises:
            NotOpaque: it does something else.
        """
        run, history = Execution(self.program, FreshMint(self.program.label, raw.names, spelling)), raw.history()
        self.reruns += 1
        same = False
        try:
            for asks, reply, _ in history:
                # Compared before the reply is sent: the effect it answers might not be open at all.
                if identity(run.asks) != spelling.key(identity(asks)):
                    break
                run.send(spelling.value(reply))
            else:
                same = seen_of(run.calls()) == spelling.key(raw.visible)
                same = same and identity(run.asks) == spelling.key(identity(raw.asks))
        except ScenarioError:
            same = False
        if not same:
            run.close()
            raise NotOpaque(f"{self._called(raw)} depends on how a fresh identifier is spelled")
        return run

    def _called(self, raw: Raw) -> str:
        return f"{raw.current.name if raw.current else self.program.label}()"


def _names_of(raw: Raw) -> list[str]:
    """All names in a history, by first reference."""
    return [*dict.fromkeys(name for key in _parts(raw) for name in names_in(key))]


def _parts(raw: Raw) -> Iterator[Hashable]:
    yield raw.names
    for _, reply, _ in raw.history():
        yield identity(reply)
