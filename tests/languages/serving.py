"""The protocol ``flow:`` as a program in Python: what a flow is given, and the loop that serves.

For child processes of the tests; it imports nothing of lakeproof. Flows are plain functions of an `Env`.
"""

import json
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from typing import Any

Told = dict[str, Any]  # type: ignore[explicit-any]  # JSON
Flow = Callable[..., Any]  # type: ignore[explicit-any]


def text(value: bytes) -> str:
    return b64encode(value).decode()


class Dropped(BaseException):
    """The flow is over: lakeproof has dropped it."""


class StoreError(Exception):
    """What a store answered, by kind."""

    def __init__(self, kind: str, definite: bool) -> None:
        super().__init__(kind)
        self.kind, self.definite = kind, definite


class Env:
    def __init__(self, flow: int) -> None:
        self.flow, self.effect, self.dropped = flow, 0, False

    def ask(self, op: str, **fields: object) -> Told:
        if self.dropped:  # a finally goes on: nothing of it takes place
            raise Dropped
        self.effect += 1
        say({"flow": self.flow, "effect": self.effect, "op": op, **fields})
        reply = hear()
        if "reset" in reply:
            self.dropped = True
            raise Dropped
        if "error" in reply:
            raise StoreError(reply["error"]["kind"], reply["error"]["definite"])
        found: Told = reply["ok"]
        return found

    def get(self, partition: bytes, key: bytes) -> tuple[bytes, str]:
        found = self.ask("get", partition=text(partition), key=text(key))
        return b64decode(found["value"]), found["predicate"]

    def set(self, partition: bytes, key: bytes, value: bytes) -> None:
        self.ask("set", partition=text(partition), key=text(key), value=text(value))

    def set_if(self, partition: bytes, key: bytes, value: bytes, token: str | None) -> None:
        predicate = None if token is None else {"value": token}
        self.ask("set_if", partition=text(partition), key=text(key), value=text(value), predicate=predicate)

    def delete(self, partition: bytes, key: bytes) -> None:
        self.ask("delete", partition=text(partition), key=text(key))


def say(told: Mapping[str, object]) -> None:
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


def hear() -> Told:
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    told: Told = json.loads(line)
    return told


def ended(flow: Flow, env: Env, told: Told) -> Told:
    """The last line of a flow. It is run here."""
    try:
        return {"returns": flow(env, *told["args"], **told["options"])}
    except StoreError as error:
        return {"raises": {"kind": error.kind, "definite": error.definite}}
    except Exception as error:  # noqa: BLE001  # whatever the flow raises is its result
        definite = getattr(error, "definite", None)
        return {"raises": {"kind": type(error).__name__, "definite": definite, "message": str(error)}}


def serve(flows: Mapping[str, Flow], greeting: Mapping[str, object] | None = None) -> None:
    """Run the flows that lakeproof asks for, by name, until stdin ends."""
    hear()
    say(greeting or {"protocol": "flow:", "version": 1})
    while True:
        told = hear()
        if "reset" in told:
            say(told)
            continue
        env = Env(told["start"])
        try:
            how = ended(flows[told["call"]], env, told)
        except Dropped:
            say({"reset": env.flow})
        else:
            say({"flow": env.flow, **how})
