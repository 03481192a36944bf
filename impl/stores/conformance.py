"""The suite that every store driver passes: one claim after the other, each on an empty store.

A claim returns silently, or raises `NotConforming`, which names it and what was seen, or `LeftOut`. It shows
conformance only as far as it looks: its concurrent claims find lost updates with the schedules that happen, not with
all that could.
"""

import random
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

import attrs

from lakeproof.impl.stores._kv_claims import CLAIMS, KEYS, PARTITIONS, VALUES
from lakeproof.impl.stores._kv_claims import Claim as Claim
from lakeproof.impl.stores._transact_claims import transact_is_atomic_or_refused
from lakeproof.impl.stores.base import DELETE_IF, NO_ANSWER, OPAQUE, TRANSACT, Store
from lakeproof.impl.stores.kv_answers import LACKS, agree, raise_if_none, reply_of
from lakeproof.impl.stores.kv_answers import LeftOut as LeftOut
from lakeproof.impl.stores.kv_answers import NotConforming as NotConforming
from lakeproof.impl.stores.kv_answers import NotJudged as NotJudged
from lakeproof.model import kv

OPERATIONS: Final = 300


def claims(seed: int = 0) -> tuple[Claim, ...]:
    """Every claim, in the order in which they are checked; ``seed`` decides the operations of the last one."""

    async def random_operations_are_answered_as_specified(store: Store) -> None:
        await check_operations(store, random_operations(random.Random(seed), OPERATIONS, store.capabilities))

    return (*CLAIMS, transact_is_atomic_or_refused, random_operations_are_answered_as_specified)


async def check_operations(store: Store, operations: Iterable[kv.Op | kv.Transact]) -> None:
    """Do operations one after the other, on an empty store, and compare with `lakeproof.model.kv.step`.

    Where predicates are `OPAQUE`, a value in one stands for the token that was last got with it: got right before, if
    the value is there; else left out, if there is none.

    Raises:
        NotConforming: an answer differs, with the history that led to it.
        KVError: there is none.
    """
    state: kv.Store = {}
    history: list[kv.Op | kv.Transact] = []
    opaque = OPAQUE in store.capabilities
    tokens: dict[tuple[kv.Address, bytes], bytes] = {}
    for op in operations:
        sent = op
        # An invalid one goes as it is: its error comes before the predicate is looked at.
        if opaque and isinstance(op, kv.SetIf) and isinstance(op.predicate, bytes) and kv.validate(op) is None:
            at = (op.partition, op.key)
            if state.get(at) == op.predicate:
                # No operation of the history. It reads the token now, while the value is there, for later operations
                # with this value.
                tokens[at, op.predicate] = (await store.get(*at)).predicate
            if (at, op.predicate) not in tokens:
                continue  # the store never gave a token for this value, and none can be made up
            sent = attrs.evolve(op, predicate=tokens[at, op.predicate])
        history.append(op)
        if isinstance(op, kv.DeleteIf) and DELETE_IF not in store.capabilities:
            expected: kv.Reply = kv.Refused()
        else:
            state, expected = kv.step(state, op)
        found = await reply_of(store, sent)
        raise_if_none(found)
        if isinstance(op, kv.Get) and isinstance(found, kv.ValueWithPredicate):
            tokens[(op.partition, op.key), found.value] = found.predicate
        if not agree(op, expected, found, opaque=opaque):
            past = "".join(f"\n  {done!r}" for done in history[-12:])
            raise NotConforming(
                f"expected {expected!r}, found {found!r} from the last of {len(history)} operations:{past}"
            )


def random_operations(rng: random.Random, count: int, capabilities: frozenset[str]) -> Iterator[kv.Op | kv.Transact]:
    """Operations on few keys, so that they meet each other; those that need a capability only with it."""
    for _ in range(count):
        partition, key, value = rng.choice(PARTITIONS), rng.choice(KEYS), rng.choice(VALUES)
        predicate = rng.choice((*VALUES, None, kv.EXISTS))
        choices: list[kv.Op | kv.Transact] = [
            kv.Get(partition, key),
            kv.Set(partition, key, value),
            kv.SetIf(partition, key, value, predicate),
            kv.SetIf(partition, key, value, predicate),
            kv.Delete(partition, key),
            kv.ScanBatch(partition, rng.choice((b"", key)), rng.randrange(4)),
        ]
        if DELETE_IF in capabilities:
            choices.append(kv.DeleteIf(partition, key, rng.choice(VALUES)))
        if TRANSACT in capabilities:
            # Two different keys at most, since a transaction that writes a key twice is refused.
            two = list(dict.fromkeys([(partition, key), (rng.choice(PARTITIONS), key)]))
            checks = [(*rng.choice(two), rng.choice((*VALUES, None, kv.EXISTS))) for _ in range(rng.randrange(4))]
            writes = [(*at, rng.choice((*VALUES, None))) for at in two[rng.randrange(3) :]]
            # Twice, as SetIf: most predicates fail, so successes would be rare otherwise.
            choices += 2 * [kv.Transact(tuple(checks), tuple(writes))]
        yield rng.choice(choices)


@contextmanager
def name_claim(claim: Claim) -> Iterator[None]:
    """Say which claim does not hold. What is neither a finding nor an answer passes: it is a bug, with a traceback.

    Raises NotConforming; NotJudged, where no answer came, or the store lacks the command.
    """
    name = claim_text(claim)
    try:
        yield
    except (NotConforming, NotJudged) as error:
        raise type(error)(f"{name}: {error}") from error
    except (kv.KVError, ExceptionGroup, ValueError) as error:  # no number: not what was written
        # A claim with tasks raises a group; one without is treated alike.
        within = error if isinstance(error, ExceptionGroup) else ExceptionGroup("", [error])
        if finding := within.subgroup(NotConforming):
            raise NotConforming(f"{name}: {_first(finding)}") from error
        if within.split((kv.KVError, ValueError))[1] is not None:
            raise  # a bug of the driver, perhaps beside the answers to other tasks
        silent, other = within.split(NO_ANSWER)
        if other is None:
            raise NotJudged(f"{name}: no answer: {_first(silent)}") from error
        # A store may refuse what it has no command for. Any other refusal contradicts the contract.
        refused, other = other.split(kv.Refused)
        if other is None and LACKS.search(str(_first(refused))):
            raise NotJudged(f"{name}: {_first(refused)}") from error
        raise NotConforming(f"{name}: unexpectedly raised {error!r}") from error


def _first(error: BaseException | None) -> BaseException | None:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def claim_text(claim: object) -> str:
    """A claim in words."""
    return getattr(claim, "__name__", repr(claim)).replace("_", " ")
