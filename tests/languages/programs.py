"""A program with flows for the tests: those of examples/counter.py, and one for each kind of end."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from serving import Env, StoreError, serve  # type: ignore[import-not-found]  # a program of its own

PLACE = b"counters", b"visits"


def increment(env: Env) -> int:
    try:
        value = int(env.get(*PLACE)[0])
    except StoreError as error:
        if error.kind != "not_found":
            raise
        value = 0
    env.set(*PLACE, b"%d" % (value + 1))
    return value + 1


def increment_if(env: Env, tries_max: int = 3) -> int:
    for _ in range(tries_max):
        held, token = b"0", None
        try:
            held, token = env.get(*PLACE)
        except StoreError as error:
            if error.kind != "not_found":
                raise
        try:
            env.set_if(*PLACE, b"%d" % (int(held) + 1), token)
        except StoreError as error:
            if error.kind != "predicate_failed":
                raise
            continue
        return int(held) + 1
    raise StoreError("refused", True)


def fail(env: Env, kind: str, definite: bool | None = None) -> None:
    env.set(b"p", b"k", b"v")
    error = type(kind, (Exception,), {"definite": definite})
    raise error("its message")


def echo(env: Env, *args: object, **options: object) -> object:
    return [args, options]


def locked(env: Env) -> None:
    """Deletes its lock in any case; where it is dropped, that never takes place."""
    env.set_if(b"locks", b"lock", b"held", None)
    try:
        env.set(*PLACE, b"1")
    finally:
        env.delete(b"locks", b"lock")


if __name__ == "__main__":
    serve({flow.__name__: flow for flow in (increment, increment_if, fail, echo, locked)})
