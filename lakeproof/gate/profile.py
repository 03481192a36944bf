"""From the model to the program: what the calls and effects of flows are for a real program at the gate.

A counterexample of the search is a schedule of effects of flows. A profile says which call of the program a call of a
flow is, and which request an effect is:

    Rule("delete {r}-{uid}/branches/{branch}", "DeleteItem kvstore/{r}-*/branches%2F{branch}")

A name in braces on the left stands for any text without ``/``; on the right for that text, or with ``rename`` for what
the program calls it. On the right ``*`` is as in the shell. A rule without a request says that the program has none.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Final
from urllib.parse import quote

import attrs

from lakeproof.gate.cuts import Exchange
from lakeproof.gate.effect_log import Op
from lakeproof.gate.scenario import GateCall, GateScenario, Invariant, OnTheWay
from lakeproof.scenario import Call, Scenario, ScenarioError
from lakeproof.search.trace import Trace, TraceStep
from lakeproof.verify.loader import executed_file
from lakeproof.words import Unusable

_NAMED: Final = re.compile(r"\{(\w+)\}")


@attrs.frozen
class Rule:
    """An effect, as a trace has it (``get repos/{r}``, also ``set|set_if repos/{r}``), and the request that it is."""

    effect: str
    request: str | None

    def __attrs_post_init__(self) -> None:
        given, meant = _NAMED.findall(self.effect), _NAMED.findall(self.request or "")
        wrong = [each for each in given if given.count(each) > 1 or not each.isidentifier()]
        if wrong or not set(meant) <= set(given):
            expected = "names in braces that are identifiers, each once in the effect; in the request no others"
            raise ScenarioError(f"Rule({self.effect!r}, {self.request!r}): expected {expected}")

    def request_of(self, effect: str, key: str, rename: Mapping[str, Callable[[str], str]]) -> str | None:
        """The pattern of the request; None: the rule is about another effect. Empty: there is no such request."""
        kinds, _, place = self.effect.partition(" ")
        if effect not in kinds.split("|"):
            return None
        parts = _NAMED.split(place)  # texts and names in turn: a pattern with a group keeps what it splits at
        pattern = "".join(f"(?P<{part}>[^/]+)" if at % 2 else re.escape(part) for at, part in enumerate(parts))
        found = re.fullmatch(pattern, key)
        if found is None:
            return None
        meant = {name: rename[name](text) if name in rename else text for name, text in found.groupdict().items()}
        return _NAMED.sub(lambda name: _literal(meant[name[1]]), self.request or "")


def _literal(text: str) -> str:
    """A name as labels have it, so that a pattern matches nothing else."""
    # fnmatch has no escape: a special character in brackets stands for itself.
    return re.sub(r"([*?[])", r"[\1]", quote(text, safe=""))


@attrs.frozen(kw_only=True)
class Profile:
    """What a program is, seen from the flows."""

    name: str
    file: Path
    """Where the functions of its calls are."""
    calls: Mapping[str, Callable[[int, Sequence[str]], GateCall]]
    """By the name of a flow: what makes a call of the program from a number, which no other call has, and the arguments
    of the flow's call, as texts."""
    rules: Sequence[Rule]
    rename: Mapping[str, Callable[[str], str]] = attrs.field(factory=dict)
    """By a name of the rules: what the program calls what the flows call so."""
    service: Sequence[str] = ()
    before: Sequence[GateCall] = ()
    """Calls before the setup of the scenario."""
    between: Sequence[GateCall] = ()
    """Calls after it."""
    after: Sequence[GateCall] = ()
    invariants: Mapping[str, Invariant] = attrs.field(factory=dict)
    """By the id of an invariant of the search: what asks the same of the program."""
    always: Mapping[str, OnTheWay] = attrs.field(factory=dict)
    through: Sequence[str] = ()
    effect: Callable[[Exchange], tuple[Op, object] | None] | None = None
    """What a request was to a key-value store, and the reply of that: for logs of effects. None of it: it was none."""

    def scenario(self, trace: Trace, scenario: Scenario) -> GateScenario:
        """The clients and the setup of a trace, as calls of the program.

        Raises Unusable: a call or the invariant of the trace has no counterpart.
        """
        known = (*self.invariants, *self.always)
        if trace.invariant not in known:
            raise Unusable(
                f"profile {self.name}: it does not ask {trace.invariant} of the program, only {', '.join(known)}; "
                "add it, or choose a trace of one of these"
            )
        # Shared by setup and clients: calls make names of the number that no other call must have.
        numbers = count(1)
        try:
            return GateScenario(
                name=f"{self.name}/{trace.scenario}",
                setup=[*self.before, *(self._call(next(numbers), each) for each in scenario.setup), *self.between],
                clients=[[self._call(next(numbers), each) for each in calls] for calls in scenario.clients],
                after=self.after,
                # Only what the trace violates: about other invariants its schedule says nothing.
                invariants=[each for name, each in self.invariants.items() if name == trace.invariant],
                always=[each for name, each in self.always.items() if name == trace.invariant],
                service=self.service,
                through=self.through,
            )
        except ScenarioError as error:
            raise Unusable(f"profile {self.name}: {error}") from None

    def _call(self, number: int, call: Call) -> GateCall:
        if call.name not in self.calls:
            raise Unusable(f"profile {self.name}: no call for {call}; it has {', '.join(self.calls)}: add it to calls")
        if call.options:
            raise Unusable(f"profile {self.name}: {call}: options of a flow have no counterpart; choose another trace")
        return self.calls[call.name](number, [str(each) for each in call.args])

    def request(self, step: TraceStep) -> str:
        """The pattern of the request that a step is; empty: it is none.

        Raises Unusable: no rule is about it.
        """
        for rule in self.rules:
            pattern = rule.request_of(step.effect, step.key, self.rename)
            if pattern is not None:
                return pattern
        subject = f"{step.effect} {step.key}".strip()
        raise Unusable(
            f"profile {self.name}: no rule for {subject!r}; add one, with None if the program has no such request"
        )


def load(name: str) -> Profile:
    """The profile of a Python file with ``PROFILE``.

    Raises Unusable.
    """
    file = Path(name)
    if not file.is_file():
        raise Unusable(f"{name}: no profile; expected a Python file with PROFILE")
    with executed_file(file) as module:
        found = vars(module).get("PROFILE")
    if not isinstance(found, Profile):
        raise Unusable(f"{file}: PROFILE is {found!r}; make it a lakeproof.gate.profile.Profile")
    return found
