"""Behaviour tries: a flow, compiled lazily into nodes that know their next effect.

A flow is deterministic given the replies that it has seen, so a history of replies is a `Raw` node of a trie.
Pasts that differ only in what is already forgotten have the same future: raw nodes that look alike are merged
into one `Node`, and the merge is checked for as long as the search goes on: every new reply is played to *every*
member, and all must agree on what comes next. When they do not, the reply becomes an *experiment* that tells
such nodes apart from then on, and the search starts over (`Disagreement`). This is the idea of L*: experiments
are distinguishing suffixes. The first guess is made by letting each raw node run to its end alone, on the store
as the setup left it: that brings most of what a flow remembers to light. A wrong guess costs time, never truth.

Source: D. Angluin, Learning regular sets from queries and counterexamples, 1987.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterator

from impl.effects import Effect, Now
from lakeproof.explore.execution import Execution, NondeterministicFlow, Program
from lakeproof.explore.meaning import Cells, apply, patch
from model.snapshot import CallView, Status

Suffix = tuple[Hashable, ...]
"""Replies that are played to a node to see what it does."""

MEMBERS_MAX = 24
"""A node takes no more members than this; a further one starts a node of its own. Bounds re-runs, not truth."""

SOLO_STEPS_MAX = 64
"""A flow that runs alone for longer than this is cut off: the rest says nothing about merging."""

EXPERIMENTS_MAX = 60
"""After so many experiments a client is not merged any further."""


class Disagreement(Exception):
    """Members of a merged node turned out to differ. The search must start over; the trie has learned from it."""


class Raw:
    """A history of replies, as a node of the trie: what the client asks for next, and what it has said so far."""

    __slots__ = ("begins", "calls", "children", "crashed_calls", "current", "depth", "index", "op", "parent", "reply",
                 "signatures")  # fmt: skip

    def __init__(self, run: Execution, parent: "Raw | None", reply: object) -> None:
        self.parent = parent
        self.reply = reply
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.op: Effect | None = run.op
        self.begins = run.begins and run.op is not None
        self.index = run.index
        self.calls = run.calls()
        self.crashed_calls = run.calls(Status.CRASHED)
        self.current: CallView | None = run.current_view() if run.op is not None else None
        self.children: dict[object, Raw] = {}
        self.signatures: dict[Suffix, Hashable] = {}

    def history(self) -> list[tuple[Effect, object]]:
        """Effects and their replies, oldest first."""
        path: list[tuple[Effect, object]] = []
        node = self
        while node.parent is not None:
            assert node.parent.op is not None
            path.append((node.parent.op, node.reply))
            node = node.parent
        return path[::-1]


class Node:
    """A class of raw nodes with, as far as anybody has seen, the same future."""

    __slots__ = ("children", "crashed", "id", "key", "members", "representative")

    def __init__(self, node_id: int, key: Hashable, representative: Raw, crashed: bool) -> None:
        self.id = node_id
        self.key = key
        self.representative = representative
        self.members: list[Raw] = [representative]
        self.children: dict[object, int] = {}
        self.crashed = crashed

    @property
    def op(self) -> Effect | None:
        """The effect that the client waits for; None at its end."""
        return None if self.crashed else self.representative.op

    @property
    def calls(self) -> tuple[CallView, ...]:
        """What is visible of the client: its calls so far."""
        return self.representative.crashed_calls if self.crashed else self.representative.calls

    @property
    def depth(self) -> int:
        return self.representative.depth


class Behaviour:
    """The behaviour of one program, shared by all clients that run it and mint no identifiers.

    ``merge=False`` gives every history a node of its own. ``reruns`` counts executions of coroutines.
    """

    def __init__(self, program: Program, solo: Cells, now: int, *, merge: bool = True) -> None:
        self.program = program
        self.reruns = 0
        self.minted = False
        self._solo = solo
        self._now = now
        self._merge = merge
        self._experiments: dict[int, list[Suffix]] = defaultdict(list)
        self._root = self._compile(None, None)
        self.reset()

    def reset(self) -> None:
        """Forget the merged nodes; keep the trie and the experiments."""
        self.nodes: list[Node] = []
        self._classes: dict[Hashable, list[Node]] = defaultdict(list)
        self._crashes: dict[int, int] = {}
        self.root = self._place(self._root).id

    def child(self, node_id: int, reply: object) -> int:
        """The node after a reply.

        Raises:
            Disagreement: members of this node differ after this reply.
            NondeterministicFlow: a re-run asked for another effect than before.
        """
        node = self.nodes[node_id]
        found = node.children.get(reply)
        if found is None:
            children = [self._extend(member, reply) for member in node.members]
            self._agree(node, reply, children)
            target = self._place(children[0])
            node.children[reply] = found = target.id
            for child in children[1:]:
                self._adopt(target, child)
        return found

    def crash(self, node_id: int) -> int:
        """The node at which a client stands that has crashed here. Its depth counts: levels stay graded."""
        found = self._crashes.get(node_id)
        if found is None:
            raw = self.nodes[node_id].representative
            key = ("crashed", raw.depth, raw.crashed_calls) if self._merge else ("crashed", id(raw))
            if key not in self._classes:
                self._classes[key].append(self._new(key, raw, crashed=True))
            found = self._crashes[node_id] = self._classes[key][0].id
        return found

    @property
    def experiments(self) -> int:
        """How many distinguishing suffixes have been learned."""
        return sum(map(len, self._experiments.values()))

    def _agree(self, node: Node, reply: object, children: list[Raw]) -> None:
        first = self._key(children[0])
        for child in children[1:]:
            if self._key(child) != first:
                self._learn(node.depth, reply, children[0], child)

    def _adopt(self, node: Node, raw: Raw) -> None:
        """Add a member to a node, playing it every reply that the node has seen."""
        if any(member is raw for member in node.members):
            return
        node.members.append(raw)
        for reply, child_id in list(node.children.items()):
            child = self._extend(raw, reply)
            target = self.nodes[child_id]
            if self._key(child) != target.key:
                self._learn(node.depth, reply, target.representative, child)
            self._adopt(target, child)

    def _learn(self, depth: int, reply: object, one: Raw, other: Raw) -> None:
        """Turn a disagreement into an experiment for nodes of this depth."""
        tail: Suffix = ()
        for suffix in self._suffixes(one.depth):
            if self._signature(one, suffix) != self._signature(other, suffix):
                tail = suffix
                break
        experiment = (reply, *tail)
        if experiment in self._experiments[depth] or self.experiments >= EXPERIMENTS_MAX:
            self._merge = False
        self._experiments[depth].append(experiment)
        raise Disagreement(f"{self.program.label}: merged pasts differ after {experiment!r}")

    def _place(self, raw: Raw) -> Node:
        """The node that takes a raw node in, an old one or a new one."""
        key = self._key(raw)
        classes = self._classes[key]
        if not classes or len(classes[-1].members) >= MEMBERS_MAX:
            classes.append(self._new(key, raw))
        elif raw is not classes[-1].representative:
            self._adopt(classes[-1], raw)
        return classes[-1]

    def _new(self, key: Hashable, raw: Raw, *, crashed: bool = False) -> Node:
        node = Node(len(self.nodes), key, raw, crashed)
        self.nodes.append(node)
        return node

    def _key(self, raw: Raw) -> Hashable:
        """What must be equal for a merge: depth, next effect, all that is visible, and every experiment."""
        if not self._merge:
            return ("raw", id(raw))
        if raw.op is None:
            return ("done", raw.depth, raw.calls)
        seen = tuple(self._signature(raw, suffix) for suffix in self._suffixes(raw.depth))
        return (raw.depth, raw.op, raw.calls, raw.begins, raw.current, seen)

    def _suffixes(self, depth: int) -> list[Suffix]:
        return [(), *self._experiments[depth]]

    def _signature(self, raw: Raw, suffix: Suffix) -> Hashable:
        """What the flow does after ``suffix``, and then alone to its end."""
        if suffix not in raw.signatures:
            run = self._rerun(raw)
            raw.signatures[suffix] = self._play(run, suffix)
        return raw.signatures[suffix]

    def _play(self, run: Execution, suffix: Suffix) -> Hashable:
        seen: list[Hashable] = []
        try:
            for reply in suffix:
                if run.op is not None:
                    seen.append(run.op)
                    run.send(reply)
            self._play_alone(run, seen)
        except NondeterministicFlow:
            raise
        except Exception as error:  # a made-up future may not fit the past: how it fails tells pasts apart as well
            seen.append((type(error), error.args))
        run.close()
        return hash((*seen, tuple(run.finished)))

    def _play_alone(self, run: Execution, seen: list[Hashable]) -> None:
        cells = self._solo
        for _ in range(SOLO_STEPS_MAX):
            if run.op is None:
                return
            seen.append(run.op)
            reply, writes = (self._now, {}) if isinstance(run.op, Now) else apply(cells, run.op)
            cells = patch(cells, writes)
            run.send(reply)

    def _extend(self, raw: Raw, reply: object) -> Raw:
        if reply not in raw.children:
            raw.children[reply] = self._compile(raw, reply)
        return raw.children[reply]

    def _compile(self, parent: Raw | None, reply: object) -> Raw:
        """Run the flow to the end of a history, and on alone for the first guess."""
        run = Execution(self.program) if parent is None else self._rerun(parent)
        if parent is None:
            self.reruns += 1
        else:
            run.send(reply)
        raw = Raw(run, parent, reply)
        if self._merge and run.op is not None:
            raw.signatures[()] = self._play(run, ())
        run.close()
        # An identifier that is minted only later, or only alone, counts already: that errs on the safe side.
        self.minted = self.minted or run.minted > 0
        return raw

    def _rerun(self, raw: Raw) -> Execution:
        self.reruns += 1
        run = Execution(self.program)
        for op, reply in raw.history():
            self._same(raw, run.op, op)
            run.send(reply)
        self._same(raw, run.op, raw.op)
        return run

    def _same(self, raw: Raw, found: Effect | None, expected: Effect | None) -> None:
        if found != expected:
            call = self.program.calls[min(raw.index, len(self.program.calls) - 1)]
            raise NondeterministicFlow(
                f"{call} of client {self.program.label} is not deterministic: after the same replies it asked for "
                f"{found!r}, and before for {expected!r}. A flow may only use env: no clock, random or set order"
            )

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)
