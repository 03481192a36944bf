"""A program that breaks the protocol ``flow:`` in the way that its argument names.

``flow`` is the only flow: it sets a key, and returns. What goes wrong, goes wrong after its effect, unless the name of
the mistake says otherwise.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from serving import Env, Told, hear, say, serve  # type: ignore[import-not-found]  # a program of its own

COUNT = 0
NOTES = "MISBEHAVING_NOTES"
"""The environment's name for the folder in which each process notes its number."""


def forgets(env: Env) -> int:
    """Keeps what an earlier flow has done."""
    global COUNT  # noqa: PLW0603  # the mistake
    COUNT += 1
    env.set(b"p", b"k", b"%d" % COUNT)
    return 1


def coin(env: Env) -> None:
    env.set(b"p", os.urandom(8), b"v")


def differs_by_process(env: Env) -> None:
    """As the order of a hash table does that is seeded once for each process."""
    env.set(b"p", b"k", b"%d" % os.getpid())


def remembers_its_end(env: Env) -> int:
    """Only its result differs."""
    global COUNT  # noqa: PLW0603  # the mistake
    env.set(b"p", b"k", b"v")
    COUNT += 1
    return COUNT


def raw(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def greeting(how: str) -> None:
    """Programs that do not come to their first flow."""
    if how == "dies-at-once":
        sys.stderr.write("cannot find its configuration\n")
        sys.exit(3)
    if how == "mute-at-once":
        time.sleep(60)
    if how == "no-protocol":
        raw("usage: flows [options]\n")
        time.sleep(60)


def by_hand(how: str) -> None:
    """Serve flow after flow, and do what is wrong after the effect."""
    hear()
    say({"protocol": "flow:", "version": 1, **({"resets": False} if how == "one-flow" else {})})
    while True:
        told: Told = hear()
        if "reset" in told:
            answer_reset(how, told)
            continue
        flow = told["start"]
        effect = {"flow": flow, "effect": 1, "op": "set", "partition": "cA==", "key": "aw==", "value": "dg=="}
        if how == "floods-stderr":
            for _ in range(64):
                sys.stderr.write("x" * 65_000 + "\n")
        say(two_tasks(flow, 1) if how in {"leaves-one-open", "opens-twice"} else effect)
        if how == "two-effects":
            say({**effect, "effect": 2})
        if "reset" in (told := hear()):
            answer_reset(how, told)
            continue
        end = {"flow": flow, "returns": None}
        if wrong(how, flow):
            continue
        say(end)
        if how == "answers-twice":
            say(end)


def two_tasks(flow: int, first: int) -> Told:
    """An effect in each of two tasks, with these numbers."""
    effect = {"op": "set", "partition": "cA==", "key": "aw==", "value": "dg=="}
    return {"flow": flow, "opens": [{"task": str(at + 1), "effect": first + at, **effect} for at in range(2)]}


def answer_reset(how: str, told: Told) -> None:
    if how == "mute-at-reset":
        time.sleep(60)
    say({"reset": told["reset"] - 1} if how == "resets-another" else told)


def wrong(how: str, flow: int) -> bool:
    """What is wrong after the effect. Whether there was anything."""
    lines = {"babbles": "debug: done\n", "line-without-end": "x" * (17 << 20), "half-a-line": '{"flow": '}
    if how in lines:
        raw(lines[how])
    if how == "opens-twice":  # of one task the first effect is open yet
        say(two_tasks(flow, 3))
    if how == "wrong-definite":
        say({"flow": flow, "raises": {"kind": "unknown", "definite": True}})
    if how in {"dies", "half-a-line"}:
        sys.stderr.write("panic: index out of range\n")
        sys.exit(2)
    if how == "killed":
        os.kill(os.getpid(), 9)
    if how == "closes":
        os.close(1)
        time.sleep(60)
    if how == "mute":
        subprocess.Popen(["/bin/sleep", "60"])  # what it has started must end with it
        time.sleep(60)
    return how in {*lines, "opens-twice", "wrong-definite"}


if __name__ == "__main__":
    mistake = sys.argv[1]
    if NOTES in os.environ:
        Path(os.environ[NOTES], f"{os.getpid()}.{mistake}").touch()
    flows = {
        "forgets": forgets,
        "coin": coin,
        "differs-by-process": differs_by_process,
        "remembers-its-end": remembers_its_end,
    }
    greeting(mistake)
    if mistake in flows:
        serve({"flow": flows[mistake]})
    else:
        by_hand(mistake)
