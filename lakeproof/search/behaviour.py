"""Behaviour tries: a flow, compiled lazily into nodes that know their next effect.

A flow is deterministic given the replies that it has seen, so a history of replies is a `Raw` node of a trie.
Pasts that differ only in what is already forgotten have the same future: raw nodes that look alike are merged
into one `Node`, and the merge is checked for as long as the search goes on: every new reply is played to *every*
member, and all must agree on what comes next. When they do not, the reply becomes an *experiment* that tells
such nodes apart from then on, and the search starts over (`Disagreement`). This is the idea of L*: experiments
are distinguishing suffixes. The first guess is made by letting each raw node run to its end alone, on the store
as the setup left it: that brings most of what a flow remembers to light. A wrong guess costs time, never truth.

Ranks. The search must tell in which level a state belongs. *Graded*, a node's rank is its depth, only nodes of one
depth are merged, and the first violation met is a shortest one. *Ranked*, nodes of different depths are merged too
(a deleter that found nothing to delete, and one that has just deleted the last entry, are at the same point): a node's
rank then is the length of the longest known way to it. When a longer way shows up, the rank is raised
and the search starts over (`Disagreement`). Every reply still leads to a higher rank, so levels remain free of cycles.

Example: ``mark`` reads a key and then sets it to "done", whatever it has read. The root's effect is the read. Two
different values lead to two raw nodes, but to one merged node: the next effect is the same, and neither past shows in
it. "Not found" raises in the flow, so that history has ended.

>>> from lakeproof import Call, kv
>>> from lakeproof.search.execution import Program
>>> async def mark(env):
...     await env.store.get(b"p", b"k")
...     await env.store.set(b"p", b"k", b"done")
>>> behaviour = Behaviour(Trie(Program("a", (Call(mark),)), {}, 0))
>>> after_1 = behaviour.child(behaviour.root, kv.ValueWithPredicate(b"1", b"1"))
>>> after_2 = behaviour.child(behaviour.root, kv.ValueWithPredicate(b"2", b"2"))
>>> after_1 == after_2, len(behaviour.nodes[after_1].members)
(True, 2)
>>> behaviour.nodes[after_1].op
Set(partition=b'p', key=b'k', value=b'done')
>>> behaviour.nodes[behaviour.child(behaviour.root, kv.NotFound())].op is None
True

Where a flow has several effects open (`lakeproof.impl.parallel`), a history is one of pairs: which task received what
(`lakeproof.search.replies.TaskReply`). Each is a step: depths and ranks are as with one. What is open, by task, must be
equal for a merge; so two tasks that were answered in one order and in the other lead to one node, if the flow does not
remember the order.

Source: D. Angluin, Learning regular sets from queries and counterexamples, 1987.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from typing import cast

from lakeproof.impl.effects import Now
from lakeproof.impl.printable import safe_repr
from lakeproof.model import kv
from lakeproof.model.identity import Exact, identity
from lakeproof.model.snapshot import CallView
from lakeproof.search.execution import Execution, NondeterministicFlow
from lakeproof.search.fence import Hangs, Undecided, message_of
from lakeproof.search.growth import LoopFinder
from lakeproof.search.replies import RESTARTED, reply_of_task
from lakeproof.search.semantics import AWAITED, Asleep, apply, patch
from lakeproof.search.trie import NO_REPLIES, Node, Raw, Suffix, Trie, seen_of

SECOND_LOOKS_MAX = 8
"""How often the end of a history is reached once more when the search is over, to see whether it is the same: where
there are few of them. A history that goes on is re-run for each new reply; one that has ended would never be."""
SECOND_LOOKS_FEW = 24
"""So many such re-runs of one client are made where all its ends need no more; with more ends, each is reached once."""
SECOND_LOOKS_ENDS_MAX = 64
"""With more ends than this, so many of them, evenly spread."""
MEMBERS_MAX = 24
"""A history that comes to a node with so many members starts a node of its own. Bounds re-runs, not truth."""

SOLO_STEPS_MAX = 64
"""A flow that runs alone for longer than this is cut off: the rest says nothing about merging."""
RAISES_MAX = 12
"""A class whose rank had to be raised so often lies on a loop: from then on its members are distinguished by depth."""

EXPERIMENTS_MAX = 60
"""After so many experiments a client is not merged any further."""


class Disagreement(Exception):
    """Members of a merged node turned out to differ. The search must start over; the trie has learned from it."""


class Behaviour:
    """The behaviour of one program, shared by all clients that run it and mint no identifiers.

    ``merge=False`` gives every history a node of its own; ``ranked`` merges across depths. ``reruns`` counts
    executions of coroutines, those included of histories that the trie has already: how a search goes does not
    depend on what was learned before.
    """

    def __init__(self, trie: Trie, *, merge: bool = True, ranked: bool = False) -> None:
        self.program = trie.program
        self.reruns = 0
        self.minted = False
        self.tasks: list[str] = []
        """The names of tasks beside the main one, as they were met."""
        self.loops: LoopFinder | None = None  # may raise `Loops` at each new history
        self._merge = merge
        self._ranked = ranked and merge  # unmerged, each node has one history, and its rank is its depth
        self._experiments: dict[int, list[Suffix]] = defaultdict(list)
        self._ranks: dict[Hashable, int] = {}  # by class: the longest way seen
        self._raises: dict[Hashable, int] = defaultdict(int)
        self._by_depth: set[Hashable] = set()  # classes whose members are distinguished by depth
        self._deep: set[Hashable] = set()  # and what they are called then
        self._trie = trie
        self._met: dict[int, Raw] = {}
        self._tried: set[tuple[int, Suffix]] = set()
        self._root = self._meet(self._trie.root or self._compile(None, None))
        self.reset()

    def reset(self) -> None:
        """Forget the merged nodes; keep the trie and the experiments."""
        self.nodes: list[Node] = []
        self.broken: list[int] = []
        """The nodes that are `Node.broken`."""
        self._classes: dict[Hashable, list[Node]] = defaultdict(list)
        self._crashes: dict[int, int] = {}
        self.root = self._place(self._root, -1).id

    def child(self, node_id: int, reply: object) -> int:
        """The node after a reply, or after a restart (RESTARTED).

        Raises:
            Disagreement: members of this node differ after this reply.
            NondeterministicFlow: a re-run requested another effect than before.
        """
        node = self.nodes[node_id]
        found = node.children.get(reply)
        if found is None:
            children = [self._extend(member, reply) for member in node.members]
            self._agree(node, reply, children)
            target = self._place(children[0], node.rank)
            node.children[reply] = found = target.id
            for child in children[1:]:
                self._adopt(target, child)
        return found

    def look_again(self) -> None:
        """Reach the ends of histories a few times more: a flow that tosses a coin does not always end alike.

        Raises:
            NondeterministicFlow: one ended otherwise.
        Cost: at most SECOND_LOOKS_ENDS_MAX re-runs.
        """
        ends = [raw for raw in self._met.values() if raw.op is None]
        ends = ends[:: max(1, -(-len(ends) // SECOND_LOOKS_ENDS_MAX))]  # rounded up: not more than the maximum is left
        looks = max(1, min(SECOND_LOOKS_MAX, SECOND_LOOKS_FEW // max(1, len(ends))))
        for raw in ends * looks:
            self.reruns += 1
            self._rerun(raw).close()

    def under_way(self, node_id: int) -> tuple[str, str]:
        """The call that is under way at a node, and the line that it waits at. Cost: a re-run."""
        raw = self.nodes[node_id].representative
        run = self._rerun(raw)
        call, at = run.call(), run.spot()
        run.close()
        return str(call), "an unknown line" if at is None else str(at)

    def ends(self) -> Iterator[Node]:
        """The nodes at which all calls have been answered."""
        return (node for node in self.nodes if node.op is None and not node.crashed and not node.broken)

    def crash(self, node_id: int) -> int:
        """The node at which a client stands that has crashed here. Its depth counts: levels stay graded."""
        found = self._crashes.get(node_id)
        if found is None:
            raw = self.nodes[node_id].representative
            key = ("crashed", self._grade(raw), raw.crashed_visible) if self._merge else ("crashed", id(raw))
            rank = self.nodes[node_id].rank
            if key not in self._classes:
                self._classes[key].append(self._new(key, raw, rank + 1, crashed=True))
            self._rise(self._classes[key][0], rank)  # another node of the class may rank higher
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
                self._learn(node, reply, children[0], child)

    def _adopt(self, node: Node, raw: Raw) -> None:
        """Add a member to a node, playing it every reply that the node has seen."""
        if any(member is raw for member in node.members):
            return
        node.members.append(raw)
        # Older members have agreed on every reply that the node has seen; the new one must, all the way down.
        for reply, child_id in list(node.children.items()):
            child = self._extend(raw, reply)
            target = self.nodes[child_id]
            if self._key(child) != target.key:
                self._learn(node, reply, target.representative, child)
            self._adopt(target, child)

    def _learn(self, node: Node, reply: object, one: Raw, other: Raw) -> None:
        """Turn a disagreement into an experiment for nodes of this depth."""
        depth = 0 if self._ranked else node.representative.depth
        tail: tuple[Hashable, ...] = ()
        # L*: if a suffix distinguishes the children, this reply and the suffix distinguish their parents. Where the
        # children request different effects at once, the reply alone does: the tail stays empty.
        for suffix in self._suffixes(one):
            if self._signature(one, suffix) != self._signature(other, suffix):
                tail = cast("tuple[Hashable, ...]", suffix.value)
                break
        experiment: Suffix = Exact((reply, *tail))
        # A class in `_deep` is distinguished by depth already: no finer key than the history itself is left.
        if self.experiments >= EXPERIMENTS_MAX or node.key in self._deep:
            self._merge = False
        elif experiment in self._experiments[depth]:
            self._by_depth.add(node.key)  # they differ in their depth alone: in what is distinguished by depth below
        else:
            self._experiments[depth].append(experiment)
        raise Disagreement(f"{self.program.label}: merged pasts differ after {experiment.value!r}")

    def _place(self, raw: Raw, parent_rank: int) -> Node:
        """The node that takes a raw node in, an old one or a new one."""
        key = self._key(raw)
        classes = self._classes[key]
        if not classes or len(classes[-1].members) >= MEMBERS_MAX:
            classes.append(self._new(key, raw, parent_rank + 1))
        elif raw is not classes[-1].representative:
            self._adopt(classes[-1], raw)
        self._rise(classes[-1], parent_rank)
        return classes[-1]

    def _rise(self, node: Node, parent_rank: int) -> None:
        """See to it that a node ranks above its parent.

        Raises:
            Disagreement: states may have been filed under a lower rank already.
        """
        if node.rank <= parent_rank:
            self._ranks[node.key] = parent_rank + 1  # outlives `reset`: `_new` begins with this rank
            self._raises[node.key] += 1
            if self._raises[node.key] > RAISES_MAX:
                self._by_depth.add(node.key)
            raise Disagreement(f"{self.program.label}: a longer way to a known node, of {parent_rank + 1} steps")

    def _new(self, key: Hashable, raw: Raw, rank: int, *, crashed: bool = False) -> Node:
        rank = max(rank, self._ranks.get(key, 0)) if self._ranked else rank
        node = Node(len(self.nodes), key, raw, rank, crashed)
        self.nodes.append(node)
        if node.broken:
            self.broken.append(node.id)
        return node

    def _grade(self, raw: Raw) -> int:
        return -1 if self._ranked else raw.depth

    def _key(self, raw: Raw) -> Hashable:
        """What must be equal for a merge: depth (unless ranked), next effect, all that is visible, and every
        experiment."""
        if not self._merge:
            return ("raw", id(raw))  # `_met` keeps it alive: no other history gets its address
        if raw.op is None:
            key: tuple[Hashable, ...] = ("done", self._grade(raw), raw.visible, raw.kept)
        else:
            # `kept` decides what a restart finds; with `visible`, it says which call is under way, and if it has begun.
            seen = tuple(self._signature(raw, suffix) for suffix in self._suffixes(raw))
            key = (self._grade(raw), raw.asks, raw.visible, raw.kept, seen)
        if key in self._by_depth:
            key = (*key, raw.depth)
            self._deep.add(key)
        return key

    def _suffixes(self, raw: Raw) -> list[Suffix]:
        return [NO_REPLIES, *self._experiments[0 if self._ranked else raw.depth]]  # 0: ranked, all depths share theirs

    def _signature(self, raw: Raw, suffix: Suffix) -> Hashable:
        """What the flow does after ``suffix``, and then alone to its end."""
        # Counted although the trie may know the answer: `reruns` must not depend on earlier searches.
        if suffix is not NO_REPLIES and (id(raw), suffix) not in self._tried:
            self._tried.add((id(raw), suffix))
            self.reruns += 1
        if suffix not in raw.signatures:
            raw.signatures[suffix] = self._play(self._rerun(raw), suffix)
        return raw.signatures[suffix]

    def _play(self, run: Execution, suffix: Suffix) -> Hashable:
        seen: list[Hashable] = []
        try:
            for reply in cast("tuple[object, ...]", suffix.value):
                if run.op is not None or reply is RESTARTED:  # a client that has ended may restart, too
                    seen.append(run.asks)
                    run.send(reply)
            self._play_alone(run, seen)
        except NondeterministicFlow:
            raise
        except Undecided as error:  # a program may die of a made-up future; of the flow alone, it may not
            if isinstance(error, Hangs) or suffix == NO_REPLIES:
                raise
            seen.append(type(error).__qualname__)
        except Exception as error:  # noqa: BLE001  # a made-up future may not fit the past: how it fails tells pasts apart as well
            seen.append(type(error).__qualname__)
        run.close()
        # Equal hashes of different futures are one more wrong guess, which `_agree` notices.
        return hash((*seen, seen_of(run.finished)))

    def _play_alone(self, run: Execution, seen: list[Hashable]) -> None:
        # Not the store as this past has left it: on one store for all, pasts differ only in what the flow remembers.
        cells, now = self._trie.cells, self._trie.now
        for _ in range(SOLO_STEPS_MAX):
            if run.op is None:
                return
            seen.append(run.asks)
            reply, writes = (now, {}) if isinstance(run.op, Now) else apply(cells, run.op, now)
            cells = patch(cells, writes)
            if reply is Asleep.ASLEEP:  # any answer will do
                reply = b"" if AWAITED.get(type(run.op)) is None else kv.WatchLost()
            run.send(reply_of_task(run.task, reply))

    def _extend(self, raw: Raw, reply: object) -> Raw:
        # The trie keeps it, for other behaviours and for searches that begin anew.
        found = self._trie.children.get((raw, reply))
        if found is None:
            found = self._trie.children[raw, reply] = self._compile(raw, reply)
        return self._meet(found)

    def _meet(self, raw: Raw) -> Raw:
        """Take a history into account, also one that another behaviour has run."""
        if id(raw) not in self._met:
            self._met[id(raw)] = raw
            self.reruns += 1
            # Only appended to: `Kernel._more` counts how many of them have a table.
            self.tasks += [task for task in raw.tasks if task not in self.tasks]
            if self._merge and raw.op is not None:  # a search that did not merge has left no guess
                self._alone(raw, None)
            if self.loops is not None:
                self.loops.look(raw)
            # An identifier that is minted only later, or only alone, counts already: that errs on the safe side.
            self.minted = self.minted or raw.minted or (self._merge and raw.minted_alone)
        return raw

    def _alone(self, raw: Raw, run: Execution | None) -> None:
        """What the flow does alone after a history: the first guess at what it remembers."""
        if NO_REPLIES not in raw.signatures:
            run = run or self._rerun(raw)
            raw.signatures[NO_REPLIES] = self._play(run, NO_REPLIES)
            raw.minted_alone = run.mint.used

    def _compile(self, parent: Raw | None, reply: object) -> Raw:
        """Run the flow to the end of a history; and on alone, for the first guess, or so that it can be let go of."""
        run = self.start(None) if parent is None else self._rerun(parent)
        if parent is not None:
            run.send(reply)
        raw = Raw(run, parent, reply)
        if parent is None:
            self._trie.root = raw
        # Where a coroutine stands in a `try` with a `finally`, closing it would run lines of the flow. It would have to
        # be kept for ever; run on to its end, it needs no closing.
        if run.op is not None and (self._merge or not run.try_close()):
            self._alone(raw, run)
        run.close()
        return raw

    def start(self, raw: Raw | None) -> Execution:
        """A run that has not begun, for this history; None: for any."""
        return Execution(self.program)

    def _rerun(self, raw: Raw) -> Execution:
        run = self.start(raw)
        history = raw.history()
        followed = run.follow(history)
        # `follow` stops where the flow requests something else: at that point of the history, or at its end.
        self._same(raw, run, run.asks, history[followed][0] if followed < len(history) else raw.asks)
        if seen_of(run.calls()) != raw.visible:
            raise NondeterministicFlow(self._differs(run, raw.calls))
        return run

    def _differs(self, run: Execution, before: Sequence[CallView]) -> str:
        """How the calls of two runs of one history differ."""
        calls = run.calls()
        pairs = enumerate(zip(calls, before, strict=False))
        differing = (
            (number, f"{_end_text(one)}, and before {_end_text(other)}{_besides(one, other)}")
            for number, (one, other) in pairs
            if seen_of([one]) != seen_of([other])
        )
        # Where none differs, one run has begun a call more.
        how_else = (min(len(calls), len(before)), "has begun, and in another run it has not")
        number, how = next(differing, how_else)
        return (
            f"{run.call(number)} of client {self.program.label} is not deterministic: after the same replies "
            f"it {how}. A flow may only use env: no clock, random or set order"
        )

    def _same(self, raw: Raw, run: Execution, found: Hashable, expected: Hashable) -> None:
        if found != expected:
            call = run.call(raw.index)
            raise NondeterministicFlow(
                f"{call} of client {self.program.label} is not deterministic: after the same replies it requested "
                f"{found!r}, and before {expected!r}. A flow may only use env: no clock, random or set order"
            )


def _end_text(view: CallView) -> str:
    """How a call ended, for a message."""
    if view.error is not None:
        return f"raised {message_of(Exception(safe_repr(view.error)))}"
    return f"returned {message_of(Exception(safe_repr(view.value)))}" if view.done else "was under way"


def _besides(one: CallView, other: CallView) -> str:
    """What differs where the words for the ends of two calls do not."""
    if _end_text(one) != _end_text(other):
        return ""
    fields = ("value", "error", "args", "observed")
    what = next((name for name in fields if identity(getattr(one, name)) != identity(getattr(other, name))), "value")
    return {
        "args": " (an argument was changed meanwhile)",
        "observed": " (an observer makes something else of the same effects)",
    }.get(what, f" (but another {what}: it is equal to itself only, or holds what differs)")
