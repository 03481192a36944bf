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
    *of(
        "impl/repositories/reclaiming.py:_Noting.perform",
        "only a get answers with a value and a predicate, and one that finds nothing raises",
        Change(
            "drop-term",
            "isinstance(op, kv.Get) and isinstance(reply, kv.ValueWithPredicate)",
            "isinstance(reply, kv.ValueWithPredicate)",
        ),
        Change(
            "drop-term",
            "isinstance(op, kv.Get) and isinstance(reply, kv.ValueWithPredicate)",
            "isinstance(op, kv.Get)",
        ),
    ),
    *of(
        "impl/repositories/reclaiming.py:_Noting._prepare",
        "who is put under `noting` is given the record, or reads or writes the entry before any branch",
        Change(
            "drop-term",
            "token not in self._seen.tokens and self._seen.repository is not None",
            "token not in self._seen.tokens",
        ),
    ),
    *of(
        "impl/repositories/reclaiming.py:noting.noting_flow",
        "a flow is given one record at most",
        Change("wrong-order", "args", "reversed(tuple(args))"),
    ),
    *of(
        "impl/repositories/reclaiming.py:noting.noting_flow",
        "the record is the first argument; or the id is, and then the entry is read or written before a branch is "
        "written or an address made",
        Change("drop-check", "isinstance(arg, Repository)", "True"),
    ),
    *of(
        "impl/repositories/reclaiming.py:noting.noting_flow.unique",
        "who makes an address under `noting` is given the record, or has read the entry",
        Change("drop-term", "kind != 'address' or seen.repository is None", "kind != 'address'"),
    ),
    *of(
        "impl/repositories/reclaiming.py:clean",
        "nothing follows in the loop",
        Change("ignore-error", "except (kv.KVError, objects.ObjectError, CommittedError): continue", "pass"),
    ),
    *of(
        "impl/repositories/reclaiming.py:clean",
        "an object that is missing where it is read is a CommittedError; listings and unconditional deletes of objects "
        "raise no ObjectError",
        Change(
            "narrow-except",
            "(kv.KVError, objects.ObjectError, CommittedError)",
            "(kv.KVError, CommittedError)",
        ),
    ),
    *of(
        "impl/repositories/reclaiming.py:_Emptying.run",
        "all notes of an instance have its one namespace",
        Change(
            "wrong-order",
            "sorted(spaces) if self.reading.objects != 'of entries' else ()",
            "reversed(tuple(sorted(spaces) if self.reading.objects != 'of entries' else ()))",
        ),
        Change("wrong-order", "sorted(spaces)", "spaces"),
    ),
)
