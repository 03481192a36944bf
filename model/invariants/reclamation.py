"""What leads to a dead instance: kind by kind, and at each step of its deletion; and how long a claim lasts.

`garbage-is-reclaimable` is one question about all that is left. Where it is refuted for one kind of entity, it is blind
to the others; so each kind has an invariant of its own. Source: repository-operations-error-handling.md,
"DeleteRepository - Step 2", "Cleaning Up an `initial` Repository".
"""

from collections.abc import Iterator, Mapping
from typing import Final

from lakeproof.model import calls, keys, kv
from lakeproof.model.contents import entries
from lakeproof.model.identifiers import InstanceUID
from lakeproof.model.invariants import Invariant, on_step
from lakeproof.model.invariants._base import STORE, Afterwards, Eventually, Finding, Reached, Violation
from lakeproof.model.invariants.repositories import accessible, leads, owner_at
from lakeproof.model.records import Branch, Commit, Record, RepositoryState, Tag
from lakeproof.model.repository_specification import CLAIM_LASTS
from lakeproof.model.snapshot import Outcome, Snapshot, Status, Transition


def _entities(snapshot: Snapshot, kind: type[Record] | tuple[type[Record], ...]) -> Iterator[tuple[str, InstanceUID]]:
    # Sorted, so that the evidence of a violation is the same in each run.
    for (partition, key), record in sorted(snapshot.store.items(), key=lambda each: each[0]):
        inside = partition not in (keys.GRAVELER, keys.DELETED) and isinstance(record, kind)
        whose = owner_at(snapshot, (partition, key)) if inside else None
        if whose is not None:
            yield f"{partition.decode('utf-8', 'replace')} {key.decode('utf-8', 'replace')}", whose


def _reclaimable(name: str, what: str, kind: type[Record]) -> Eventually:
    def check(snapshot: Snapshot) -> Iterator[Finding]:
        live = {entry.instance_uid for entry in accessible(snapshot)}
        known = leads(snapshot)
        found = list(_entities(snapshot, kind))
        for at, whose in found:
            if whose not in known:
                yield Violation(name, f"{at} is garbage that no entry and no record leads to")
            elif whose not in live:
                yield Reached(f"{at} is garbage and can be found")
        if all(whose in live for _, whose in found):
            yield Reached("nothing of this kind is garbage")

    return Eventually(
        id=name,
        meaning=f"at quiescence, the cleaner can find each {what} of a dead instance",
        check=check,
        reads=STORE,
    )


OF_A_KIND: Final[Mapping[str, Eventually]] = {
    name: _reclaimable(name, what, kind)
    for name, what, kind in (
        ("branches-are-reclaimable", "branch", Branch),
        ("commits-are-reclaimable", "record of a commit", Commit),
        ("tags-are-reclaimable", "tag", Tag),
    )
}
"""The narrower sisters of `garbage-is-reclaimable`, by id."""


def _writes_entries(op: object) -> bool:
    return any(at[0] == keys.GRAVELER for at in kv.writes_of(op))


def _ends(name: str, op: object) -> bool:
    takes = any(at[0] in (keys.GRAVELER, keys.DELETED) for at in kv.writes_of(op))
    return takes and calls.kind_of(name) in (calls.DELETE_REPOSITORY, calls.CLEAN)


@on_step(
    "neither a delete nor the cleaner takes away the last lead to an instance (entry or cleanup record) while "
    "an entity of it is there",
    watches=_ends,
)
def deletion_leaves_a_lead(transition: Transition) -> Iterator[Finding]:
    before, after = leads(transition.before), leads(transition.after)
    # In the state after the effect: the lead must be the last to go.
    left = {whose: what for what, whose in _entities(transition.after, (Branch, Commit, Tag))}
    for whose in sorted(before - after):
        if whose in left:
            yield Violation(
                "deletion-leaves-a-lead", f"the last lead to {left[whose]} of instance {whose} was taken away"
            )
        else:
            yield Reached(f"the last lead to instance {whose} was taken away, and nothing is left of it")
    if not before - after and _writes_entries(transition.op):
        yield Reached("a deletion changed an entry, and something leads to each instance")


def _ends_claims(name: str, op: object) -> bool:
    return _writes_entries(op) and calls.kind_of(name) is not calls.DELETE_REPOSITORY


@on_step(
    "a repository that is being created is declared failed, or replaced, only when it is two minutes old; a "
    "delete may come at any time",
    watches=_ends_claims,
)
def claim_lasts_two_minutes(transition: Transition) -> Iterator[Finding]:
    after = {entry.repository_id: entry for entry in entries(transition.after)}
    for entry in entries(transition.before):
        if entry.state is not RepositoryState.INITIAL:
            continue
        age = transition.before.now - entry.creation_date  # by the stores' clock: clients' clocks may differ
        now = after.get(entry.repository_id)
        same = now is not None and now.instance_uid == entry.instance_uid
        # Its own creator may activate it at any age.
        kept = same and now is not None and now.state in (RepositoryState.INITIAL, RepositoryState.ACTIVE)
        if kept:
            yield Reached(f"the claim of instance {entry.instance_uid} was left alone")
        elif age < CLAIM_LASTS:
            seconds = age / 1_000_000
            evidence = (
                f"the claim of instance {entry.instance_uid} was {seconds:g} s old, and {transition.call.name} ended it"
            )
            yield Violation("claim-lasts-two-minutes", evidence)
        else:
            yield Reached(f"the claim of instance {entry.instance_uid} had run out")


NAME_IS_NOT_BLOCKED: Final = Afterwards(
    "name-is-not-blocked",
    "whatever crashed: two minutes later a repository can be created under the name, without a delete before it, "
    "unless one is accessible",
)


def name_is_not_blocked(outcomes: tuple[Outcome, ...], snapshot: Snapshot) -> list[Finding]:
    """Aftermath of one create."""
    (last,) = outcomes
    there = ", ".join(f"{entry.repository_id} ({entry.state.name.lower()})" for entry in entries(snapshot))
    # A refusal is right while a repository of the name is accessible.
    if last.status is Status.OK or any(True for _ in accessible(snapshot)):
        return [Reached("the name could be used, or is in use")]
    return [Violation(NAME_IS_NOT_BLOCKED.id, f"a create failed with {last.error!r}: {there or 'no entry'}")]


ALL: Final[tuple[Invariant, ...]] = (*OF_A_KIND.values(), deletion_leaves_a_lead, claim_lasts_two_minutes)
"""All invariants of this module but the aftermath."""
