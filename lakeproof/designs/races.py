"""The language of races: what runs at once, after what, under which faults; and where an invariant is refuted.

::

    races  = race { space race }
    race   = client { "-" client }        clients run at once
    client = word { "." word }            the calls of one client, one after the other
    word   = op [ "@" branch ] [ ":" path ]
    op     = letter { letter | digit | "_" }    what it calls is for the design to say

``write.commit-read`` is a client that writes and then commits, and one that reads. ``upload@main:y`` is an upload to
path y of main: a design says what an op calls without "@" or ":", and what may stand after them (`ArgumentSlot`). A
scenario is named after its race: what was before it, the race, and the fault (``staged/copy-delete/crash``). `Refuted`
matches such names with globs. A text that does not parse, a word without a meaning and a glob that matches nothing are
errors when the catalogue is loaded.
"""

import difflib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Final, TypedDict, Unpack

import attrs

from lakeproof.scenario import Faults, ScenarioError

Clients = tuple[tuple[str, ...], ...]
"""For each client its words."""

WORD: Final = re.compile(r"[a-z][\w@:]*", re.ASCII)  # wider than FORM: "write:y@main" is one word, and wrong as a whole
FORM: Final = re.compile(r"([a-z][a-z0-9_]*)(@[a-z0-9_]+)?(:[a-z0-9_]+)?")  # groups: op, "@" and branch, ":" and path
SIGNS: Final = {"@": "branch", ":": "path"}


class RaceError(ScenarioError):
    """A race, a glob or a design that means nothing; the message names the word, its place, and what is known."""


@attrs.frozen
class ArgumentSlot:
    """An argument of a call that a word may name, after its sign; the first of the values where the word does not."""

    sign: str
    values: tuple[str | bytes, ...]

    @property
    def names(self) -> Mapping[str, str | bytes]:
        """The values by what words call them."""
        return {each.decode() if isinstance(each, bytes) else each: each for each in self.values}

    def value(self, word: str) -> str | bytes:
        """What the call has here. word: one that `mistake` has found nothing in."""
        found = FORM.fullmatch(word)
        named = found and found["@:".index(self.sign) + 2]  # group 2 or 3 of FORM, with its sign
        return self.names[named[1:]] if named else self.values[0]


def branch_of(*values: str) -> ArgumentSlot:
    """A branch, one of these."""
    return ArgumentSlot("@", values)


def path_of(*values: bytes) -> ArgumentSlot:
    """A path, one of these."""
    return ArgumentSlot(":", values)


Vocabulary = Mapping[str, Collection[ArgumentSlot]]
"""By op the places that its words may name. A key with a place, as ``stage@outside``, is a call of its own."""


def op(word: str) -> str:
    """What a word does, wherever that is: the word without "@" and ":"."""
    return re.split("[@:]", word, maxsplit=1)[0]


def mistake(word: str, known: Vocabulary) -> str:
    """Why a word means nothing; empty if it means something."""
    found = FORM.fullmatch(word)
    if word in known or found is None:  # in known: a key with a place, as "stage@outside", too
        return "" if word in known else "expected the form op@branch:path"
    if found[1] not in known:
        return f"no such word; {suggestion(found[1], known)}"
    places = {each.sign: each.names for each in known[found[1]]}
    for named in filter(None, found.groups()[1:]):
        sign, name = named[0], named[1:]
        if sign not in places:
            return f"{found[1]!r} names no {SIGNS[sign]}; leave out {named!r}"
        if name not in places[sign]:
            return f"{name!r}: no such {SIGNS[sign]} here; {suggestion(name, places[sign])}"
    return ""


def parse(text: str, known: Vocabulary) -> Clients:
    """The words of one race, by client.

    Raises:
        RaceError: something else than words between "-" and ".", or a word that means nothing.
    """
    clients: list[list[str]] = [[]]
    at = 0
    while True:
        clients[-1].append(_word(text, at, known, f"client {len(clients)}, call {len(clients[-1]) + 1}"))
        at += len(clients[-1][-1])
        if at == len(text):
            return tuple(map(tuple, clients))
        if text[at] == "-":
            clients.append([])
        elif text[at] != ".":
            raise RaceError(f"race {text!r}: {text[at]!r} at column {at + 1}; expected '-', '.' or the end")
        at += 1


def _word(text: str, at: int, known: Vocabulary, place: str) -> str:
    found = WORD.match(text, at)
    if found is None:
        instead = f"{text[at]!r}" if at < len(text) else "the end"
        raise RaceError(f"race {text!r}: {instead} at column {at + 1} ({place}); expected a word")
    if why := mistake(found[0], known):
        raise RaceError(f"race {text!r}: {found[0]!r} at column {at + 1} ({place}): {why}")
    return found[0]


def suggestion(name: str, known: Collection[str]) -> str:
    """What was perhaps meant, and all that is known."""
    near = difflib.get_close_matches(name, known, n=1)
    return f"{f'did you mean {near[0]!r}? ' if near else ''}known are {', '.join(sorted(known)) or 'none'}"


@attrs.frozen
class FaultSet:
    """Budgets by what they are called at the end of a scenario's name; "" is the budget of no faults."""

    budgets: tuple[tuple[str, Faults], ...]

    def __attrs_post_init__(self) -> None:
        names = [name for name, _ in self.budgets]
        if len(set(names)) < len(names):
            raise RaceError(f"faults {names}: a name is there twice; expected one budget for each")

    def __or__(self, other: "FaultSet") -> "FaultSet":
        return FaultSet(self.budgets + other.budgets)

    def __iter__(self) -> Iterator[tuple[str, Faults]]:
        return iter(self.budgets)


def fault(name: str, budget: Faults | None = None) -> FaultSet:
    """One named budget."""
    return FaultSet(((f"/{name}" if name else "", budget or Faults()),))


NONE: Final = fault("")
CRASH: Final = fault("crash", Faults(crashes=1))
LOST: Final = fault("lost-answer", Faults(lost_answers=1))
FALSE: Final = fault("false-predicate", Faults(false_predicates=1))
REFUSED: Final = fault("refusal", Faults(refusals=1))
LATE_WRITE: Final = fault("late-write", Faults(lost_answers=1, duplicates=1))  # a duplicate needs a lost answer
# No fault: the pages come from ``paged`` of the row. The name keeps its race apart from the one in one page.
PAGED: Final = fault("paged")
SCAN_FAILURE: Final = fault("paged-scan-failure", Faults(scan_failures=1))  # breaks between two pages
HARD: Final = CRASH | LOST
FAULTY: Final = HARD | FALSE
FAULTS: Final = NONE | FAULTY
"""One fault of each kind that every design must stand, and none."""


def jump(microseconds: int, name: str = "clock-jump") -> FaultSet:
    """The clock moves on once, at any time."""
    return fault(name, Faults(clock_jumps=(microseconds,)))


@attrs.frozen
class Before:
    """What happened before a race, alone: how it is called in front of a scenario's name, and its words."""

    name: str
    words: str

    @property
    def calls(self) -> tuple[str, ...]:
        """The words, one after the other."""
        return tuple(self.words.split(".")) if self.words else ()  # "".split(".") has one word


NOTHING: Final = Before("", "")


def after(words: str) -> Before:
    """What happened before, which the names of races say word by word."""
    return Before(f"after_{words}/", words)


def _globs(given: str | Sequence[str]) -> tuple[str, ...]:
    # A string is a sequence, too: of its letters, and each would be a glob.
    return tuple(given.split()) if isinstance(given, str) else tuple(given)


@attrs.frozen
class Refuted:
    """Why an invariant does not hold, and where: globs, separated by spaces, over the names of scenarios without their
    design."""

    reason: str
    races: tuple[str, ...] = attrs.field(converter=_globs)

    def __attrs_post_init__(self) -> None:
        # `idle` goes through the globs: an expectation without any would never be found idle.
        if not self.reason or not self.races:
            raise RaceError(f"{self!r}: expected a reason and at least one glob")

    def matches(self, name: str) -> bool:
        """Whether it speaks of a scenario, by its name without the design."""
        return any(fnmatchcase(name, glob) for glob in self.races)

    def but(self, *, also: str = "", kept: str = "", reason: str = "") -> "Refuted":
        """The same, refuted in some races more, and no longer in those that are kept. ``reason``: a further one.

        Raises:
            RaceError: what is kept was not refuted.
        """
        # By the text of a glob: one race of many that a glob matches cannot be kept.
        if strange := set(kept.split()) - set(self.races):
            raise RaceError(f"kept {sorted(strange)}: not among {list(self.races)}; leave them out")
        races = tuple(glob for glob in self.races if glob not in kept.split())
        return Refuted(f"{self.reason}; {reason}" if reason else self.reason, (*races, *also.split()))


@attrs.frozen(kw_only=True)
class Race:
    """One race under one budget of faults. The words are those of a design, which gives them their meaning."""

    name: str
    """What the scenario is called within its design."""
    clients: Clients
    before: tuple[str, ...] = ()
    faults: Faults = attrs.field(factory=Faults)
    paged: int = 0
    """Rows in each page of a scan; 0: one page."""
    deep: bool = False
    only: frozenset[str] = frozenset()
    """The ids of the invariants to check, where all of them would make the search too large; none: all of them."""

    @property
    def words(self) -> tuple[str, ...]:
        """All concurrent words, client by client."""
        return tuple(word for client in self.clients for word in client)

    @property
    def ops(self) -> tuple[str, ...]:
        """The same without the branches and paths that they name."""
        return tuple(map(op, self.words))


class RowOptions(TypedDict, total=False):
    """What a row says of its races beside their words; see `Race`. name: what to call the race, where a design names
    it; only: ids, separated by spaces."""

    name: str
    paged: int
    only: str
    deep: bool


def races(
    text: str,
    known: Vocabulary,
    faults: FaultSet = NONE,
    before: Before = NOTHING,
    **options: Unpack[RowOptions],
) -> Iterator[Race]:
    """Each race of a text under each of these faults.

    Raises:
        RaceError: a word means nothing, or a name is given to several races.
    """
    split, name = text.split(), options.get("name", "")
    if not split or (name and len(split) > 1):
        raise RaceError(f"races {text!r}: expected {'one race, to be called ' + name if name else 'some'}")
    for word in before.calls:
        if why := mistake(word, known):
            raise RaceError(f"before {before.words!r}: {word!r}: {why}")
    for each in split:
        clients = parse(each, known)
        for suffix, budget in faults:
            yield Race(
                name=before.name + (name or each) + suffix,
                clients=clients,
                before=before.calls,
                faults=budget,
                paged=options.get("paged", 0),
                only=frozenset(options.get("only", "").split()),
                deep=options.get("deep", False),
            )
