"""Equivalent mutants of the flows of repositories."""

from collections.abc import Sequence
from typing import Final

from lakeproof.mutation.equivalents._row import Change, Equivalent, of

ROWS: Final[Sequence[Equivalent]] = (
    *of(
        "impl/repositories/step1.py:create_repository",
        "the clock and the fresh identifier depend on no other client, and nothing is written before the read",
        Change(
            "swap-effects",
            "if await read_entry(env, repository_id) is not None: ...; "
            "repository = new_repository(env, repository_id, await env.c...",
            "repository = new_repository(env, repository_id, await env.clock.now()); "
            "if await read_entry(env, repository_id) is no...",
        ),
    ),
    *of(
        "impl/repositories/hardened.py:_create",
        "the claim that has run out is replaced by a `SetIf` on just what was read, whenever the clock was asked: both "
        "moments lie within the call",
        Change(
            "swap-effects",
            "now = await env.clock.now(); found = await read_entry(env, repository_id)",
            "found = await read_entry(env, repository_id); now = await env.clock.now()",
        ),
    ),
    *of(
        "impl/repositories/hardened.py:_create",
        "an entry is never deleted (rule 1): after a predicate that failed there is one",
        Change(
            "drop-term",
            "held is None or held.instance_uid != claim.instance_uid",
            "held.instance_uid != claim.instance_uid",
        ),
    ),
    *of(
        "impl/repositories/hardened.py:_replace",
        "an entry is never deleted (rule 1): after a predicate that failed there is one",
        Change("one-branch", "None if found is None else found[0]", "found[0]"),
    ),
    *of(
        "impl/repositories/hardened.py:is_dead",
        "an entry is never deleted (rule 1), and its instance is noted only after the claim: a record has an entry",
        Change(
            "drop-term",
            "found is None or found[0].instance_uid != record.instance_uid",
            "found[0].instance_uid != record.instance_uid",
        ),
    ),
    *of(
        "impl/repositories/hardened.py:is_dead",
        "beside a claim that has run out only a tombstone is free, and that is replaced by itself; a cleaner that is "
        "beaten to it skips the instance, as after any failure",
        Change(
            "drop-term",
            "entry.state is RepositoryState.INITIAL and _is_free(entry, await env.clock.now())",
            "_is_free(entry, await env.clock.now())",
        ),
    ),
    *of(
        "impl/repositories/hardened.py:clean",
        "the handler is the end of the loop's body: what follows it is the next instance in either case",
        Change("ignore-error", "except kv.KVError: continue", "pass"),
    ),
)
