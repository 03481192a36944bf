"""A program with flows for the tests: those of examples/counter.py, one for each kind of end, and flows that loop."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from serving import Env, StoreError, serve, text  # type: ignore[import-not-found]  # a program of its own

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


LOCK = {"partition": text(b"locks"), "key": text(b"lock")}


def try_lock(env: Env, **state: object) -> bool:
    try:
        env.ask("set_if", **LOCK, value=text(b"1"), predicate=None, **state)
    except StoreError as error:
        if error.kind != "predicate_failed":
            raise
        return False
    return True


def lock(env: Env) -> None:
    """Spins for a lock, and releases it."""
    while not try_lock(env, state="spins"):
        pass
    env.ask("delete", **LOCK, state="holds")


def silent(env: Env) -> None:
    """The same, and does not say its state."""
    while not try_lock(env):
        pass
    env.ask("delete", **LOCK)


def counting(env: Env) -> None:
    """The same, and says how often it has tried: states without end."""
    tries = 0
    while not try_lock(env, state={"tries": tries}):
        tries += 1
    env.ask("delete", **LOCK)


def lying(env: Env, gives_up: int = 3) -> str:
    """Says one state, and gives up after some tries."""
    for _ in range(gives_up):
        if try_lock(env, state="spins"):
            env.ask("delete", **LOCK, state="holds")
            return "locked"
    return "gave up"


def lying_later(env: Env) -> None:
    """Says one state for three tries, and another one from the next on."""
    tries = 0
    while not try_lock(env, state=int(tries > 2)):
        tries += 1
    env.ask("delete", **LOCK, state="holds")


def poll(env: Env) -> None:
    """Sleeps between its tries."""
    while not try_lock(env, state="tries"):
        env.ask("sleep", microseconds=1_000_000, state="sleeps")
    env.ask("delete", **LOCK, state="holds")


if __name__ == "__main__":
    flows = (increment, increment_if, fail, echo, locked, lock, silent, counting, lying, lying_later, poll)
    serve({flow.__name__: flow for flow in flows})
