"""Operations of a branch that meet others at each of their effects: a call is interrupted, others run to their end.

One schedule for each effect instead of all schedules. So each answer, and all that is left in the end, is compared with
the sequential specification, in one order or another; a race is too large for that.
"""

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from typing import ClassVar, Final

import attrs

from lakeproof.designs._met import cross, meet
from lakeproof.designs.branch_designs import FOUNDED, REPOSITORY
from lakeproof.designs.branches_alone import INITIAL, WORDS
from lakeproof.designs.designs import HOLDS, Design, Row, Speaker, rows
from lakeproof.designs.races import NONE, Race, Refuted, op
from lakeproof.impl.flows import BranchFlows
from lakeproof.impl.graveler import lock_free
from lakeproof.impl.graveler.flows import FLOWS
from lakeproof.model.calls import Args
from lakeproof.model.invariants import Invariant
from lakeproof.model.invariants.met import (
    MET_AS_SPECIFIED,
    Made,
    Meeting,
    met_as_specified,
)
from lakeproof.scenario import Aftermath, Call

ONCE: Final = ("merge", "revert")
"""What tries only once."""
DOUBTS: Final = ("create", "replace")
"""What may not know, when it has tried more than once."""


@attrs.frozen(kw_only=True)
class Encounter:
    """A word that meets others, after other words.

    places: the effects before which the others run; crossing: how many effects the first one of the others has had, and
    then the word, see `cross`. false_at: the effect that is reported as failed. doubts, takes: see `Meeting`.
    """

    before: str
    word: str
    others: str
    places: tuple[int, ...]
    false_at: int = 0
    crossing: bool = False
    doubts: bool = False
    takes: bool = False


@attrs.frozen(kw_only=True)
class MetDesign(Design[BranchFlows]):
    """The flows of a branch in one reading, for one client and those that it meets."""

    subject: ClassVar = (REPOSITORY,)
    vocabulary: ClassVar = WORDS
    founded: ClassVar = FOUNDED

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        return []

    def program(self, meetings: Sequence[Encounter], *, drops: bool) -> Aftermath:
        """Each of these, after what was before it; then a listing."""
        calls: list[Call] = []
        steps: list[Made | Meeting] = []
        spoken = iter(range(10_000))  # a number for each word of the program, so that no two write the same value

        def calls_of(words: str) -> tuple[Call, ...]:
            return tuple(self.call(word, Speaker("a", next(spoken))) for word in words.split("."))

        def alone(made: Sequence[Call]) -> None:
            calls.extend(made)
            steps.extend((call.name, call.args) for call in made)

        for each in meetings:
            alone(calls_of(each.before))
            (call,), others = calls_of(each.word), calls_of(each.others)
            if each.crossing:
                calls.append(Call(cross, call, others, each.places))
            else:
                calls.append(Call(meet, call, others, each.places, each.false_at))
            made = tuple((other.name, other.args) for other in others)
            steps.append(
                Meeting(
                    (call.name, call.args),
                    made if each.crossing else made * len(each.places),  # once for each place, unless they cross
                    once=op(each.word) in ONCE,
                    doubts=op(each.word) in DOUBTS or each.doubts,
                    crossing=each.crossing,
                    takes=each.takes,
                )
            )
            alone(calls_of("list"))  # what is wrong by now shows here, and not only at the end
        check = met_as_specified(steps, INITIAL, _sealed_token, drops=drops)
        return Aftermath(id=MET_AS_SPECIFIED.id, meaning=MET_AS_SPECIFIED.meaning, calls=calls, check=check)


def _sealed_token(name: str, args: Args) -> str | None:
    return str(args[1]) if name == "seal" else None  # args[0] is the repository


def _design(name: str, flows: BranchFlows = FLOWS, **options: Mapping[str, Hashable]) -> MetDesign:
    source = "graveler-on-kv.md, Update Commits, staging and lock-free"
    return MetDesign(name=f"met/{name}", flows=flows, source=source, refuted=HOLDS, options=options)


LOCK_FREE: Final = _design("lock-free")
TAKEN: Final = _design("lock-free-returns-head", commit={"reading": lock_free.RETURNS_HEAD})
LEFTOVERS: Final = attrs.evolve(
    LOCK_FREE,
    name="met/lock-free-leftovers",
    refuted={
        MET_AS_SPECIFIED.id: Refuted(
            "what was staged late stays, under a token that no branch names: the restoration of a reset whose changes "
            "another call has committed, or reset, meanwhile; a change under a token that was dropped before it came",
            "reset_entry-* reset_prefix-* write-* delete-*",
        )
    },
)
"""The same flows, judged also by what is left behind."""
REPAIRED: Final = _design("lock-free-knows-its-own", commit={"reading": lock_free.KNOWS_ITS_OWN})
FRESH: Final = "reset.write.commit.write"
"""An uncommitted change over a committed entry."""


OVER: Final = (
    "commit seal write.seal write:y.commit reset.read reset_entry.read reset_entry:y.reset_entry:z reset_prefix.read "
    "reset_entry.commit reset_entry.write.seal reset_entry:y.reset_entry:y"
)
ABSENT: Final = "reset.delete:y.commit.write"
"""No y, and an uncommitted change of another path."""
SAME: Final = "reset.write_same.commit.write_same"
"""What a replace expects, staged over the same."""
LAYERS: Final = "reset.write.commit.write.seal.write:y.seal.write:z.delete"
"""Two tokens that another committer has sealed, over a committed entry."""
FORGOTTEN: Final = LAYERS + ".reset_entry:y.write:y"
"""The same, with a restoration over them."""
COMMITS: Final = "commit write.commit reset.read reset_entry.read reset_prefix write delete"


def _one(design: MetDesign, name: str, meetings: Sequence[Encounter], *, drops: bool = True) -> Row:
    more = (design.program(meetings, drops=drops),)
    (row,) = rows(design, "read", NONE, more=more, name=name)
    return row


def _rows(
    design: MetDesign, before: str, words: str, others: str, effects: int, *, drops: bool = True, name: str = ""
) -> Iterator[Row]:
    """Each of these words meets each of these others, at each of its first effects."""
    for word in words.split():
        for other in others.split():
            meetings = [
                # From the second effect on: before the first one the others would just come first.
                Encounter(before=before, word=word, others=other, places=(number,)) for number in range(2, effects + 1)
            ]
            yield _one(design, f"{name}{word}-{other}", meetings, drops=drops)


def _crossings(design: MetDesign, word: str, others: str, *, drops: bool = True) -> Row:
    meetings = [
        Encounter(before=FRESH, word=word, others=others, places=(one, other), crossing=True)
        for one in (2, 4, 5)
        for other in range(2, 8)
    ]
    return _one(design, f"crossed-{word}-{others}", meetings, drops=drops)


def _often(design: MetDesign, name: str, word: str, others: str, places: tuple[int, ...]) -> Row:
    """One that gives up, or does not."""
    return _one(
        design,
        f"often-{name}",
        [Encounter(before=FRESH, word=word, others=others, places=places, doubts=True)],
        drops=False,
    )


ROWS = [
    *_rows(LOCK_FREE, FRESH, "commit", f"{COMMITS} commit.write:y.seal", 9),
    *_rows(LOCK_FREE, LAYERS, "commit", OVER, 12, name="layers-"),
    *_rows(LOCK_FREE, FORGOTTEN, "commit", OVER, 14, name="forgotten-"),
    *_rows(LOCK_FREE, "reset.write.commit", "commit", "write@main.commit@main.merge revert:b", 9, name="empty-"),
    *_rows(LOCK_FREE, FRESH, "reset", COMMITS, 9),
    *_rows(LOCK_FREE, FRESH, "reset_entry reset_prefix", "commit write.commit reset.read", 9, drops=False),
    *_rows(LOCK_FREE, FRESH, "reset_entry reset_prefix", "seal reset_entry reset_entry:y reset_prefix write delete", 9),
    *_rows(LEFTOVERS, FRESH, "reset_entry reset_prefix", "write.commit reset.read", 9),
    *_rows(LEFTOVERS, FRESH, "write delete", "commit reset.read", 6),
    *_rows(LOCK_FREE, FRESH, "write delete", COMMITS, 6, drops=False),
    *_rows(LOCK_FREE, FRESH, "read list", "commit write.commit delete.commit reset seal", 7),
    *_rows(
        LOCK_FREE,
        ABSENT,
        "create:y",
        "commit seal write:y write:y.commit commit.write:y delete:y reset",
        9,
        drops=False,
    ),
    *_rows(LOCK_FREE, SAME, "replace", "commit seal write commit.write delete.commit reset", 9, drops=False),
    *_rows(
        LOCK_FREE, SAME + ".seal", "replace", "commit seal write delete.commit reset", 9, drops=False, name="sealed-"
    ),
    _crossings(LOCK_FREE, "commit", "commit.write:y"),
    _crossings(LOCK_FREE, "commit", "commit.write:y.write:z.seal"),
    _crossings(LOCK_FREE, "commit", "commit.write:y.reset_entry:y.read:y"),
    _crossings(LOCK_FREE, "reset_entry", "commit.write", drops=False),
    _crossings(LOCK_FREE, "commit", "reset_entry.write:y", drops=False),
    _one(
        TAKEN,
        "takes-commit",
        [Encounter(before=FRESH, word="commit", others="commit", places=(at,), takes=True) for at in range(3, 7)],
    ),
    *(
        _one(
            REPAIRED,
            f"its-own-{other}",
            # The sixth effect on the store is the `SetIf` of the branch, after: read, seal, scan, head,
            # record of the commit.
            [Encounter(before=FRESH, word="commit", others=other, places=(at,), false_at=6) for at in (2, 5, 6, 9)],
            drops=False,
        )
        for other in ("seal", "write", "commit", "reset.read")
    ),
    *(
        _one(
            LOCK_FREE,
            f"applied-{word}",
            [
                # The others come after the last effect: none of these calls has twenty. Its ninth is the last `SetIf`.
                Encounter(before=before, word=word, others="write:z", places=(20,), false_at=at)
                for before in (FRESH, LAYERS)
                for at in range(2, 10)
            ],
            drops=False,
        )
        for word in ("reset", "reset_entry", "reset_prefix")
    ),
    # Before each second read of the branch: three new tokens use up the tries of a write, and two do not.
    _often(LOCK_FREE, "write", "write", "seal", (3, 5, 7)),
    _often(LOCK_FREE, "write-settled", "write", "seal", (3, 5)),
]
