"""Programs that ask for what the gate does not have, or that never do what they are for: none of them is judged."""

import os
import socket
from collections.abc import Sequence
from functools import partial
from urllib.parse import urlsplit

from lakeproof.gate import GateScenario, Outcome, call
from tests.gate.nasty import nothing
from tests.gate.talking import asked

DYNAMODB = {"X-Amz-Target": "DynamoDB_20120810.ExecuteStatement"}


def redis(*words: str, login: bool = True) -> bytes:
    """The answer to one command."""
    url = urlsplit(os.environ["REDIS_URL"])
    assert url.hostname is not None
    with socket.create_connection((url.hostname, url.port or 0)) as one:
        for command in (("AUTH", str(url.username), "x") if login else ("PING",), words):
            sent = "".join(f"${len(each)}\r\n{each}\r\n" for each in command)
            one.sendall(f"*{len(command)}\r\n{sent}".encode())
        with one.makefile("rb") as answers:
            answers.readline()
            return answers.readline()


def tags() -> str:
    """Loses updates, if anything is written; it takes the refusal for a store that is busy."""
    status, _ = asked("PUT", "n", b"1", {"x-amz-tagging": "team=x"})
    return "later" if status >= 400 else "added"


def states() -> str:
    status, _ = asked("POST", "", b'{"Statement": "UPDATE t SET v = 1"}', DYNAMODB)
    return "later" if status >= 400 else "added"


def expires() -> str:
    return "later" if redis("SET", "n", "1", "EX", "60").startswith(b"-") else "added"


def stranger() -> bool:
    """A connection that says of no client that it is its own."""
    return redis("SET", "n", "1", login=False).startswith(b"+")


def foreign() -> None:
    """Asks for itself, and loses an update under a key of its own, which is that of no client."""
    key = {"Authorization": "AWS4-HMAC-SHA256 Credential=minio/20260101/us-east-1/s3/aws4_request"}
    plain()
    _, found = asked("GET", "n", headers=key)
    asked("PUT", "n", f"{found}1".encode(), key)


def plain() -> None:
    asked("GET", "n")


def take() -> str:
    """Whoever is refused by anything but 412 thinks that it has the lock."""
    status, _ = asked("PUT", "lock", b"1", {"If-None-Match": "*"})
    return "busy" if status == 412 else "mine" if status in (200, 409) else "error"


def one_has_it(outcome: Outcome) -> str | None:
    found = sum(each.value == "mine" for calls in outcome.results.values() for _, each in calls)
    return f"{found} have it" if found > 1 else None


def has_it(outcome: Outcome) -> bool:
    return any(each.value == "mine" for calls in outcome.results.values() for _, each in calls)


def fails(outcome: Outcome) -> bool:
    raise KeyError("x")


NAMES = {"alpha", "beta", "gamma", "delta"}


def tells() -> Sequence[str]:
    """The variables of its process, and a set in its order, which is another one for each hash seed."""
    plain()
    return [*sorted(os.environ), *NAMES]


def is_clean(outcome: Outcome) -> str | None:
    """A process has no variable of the account, or of the proxies, of who runs the gate."""
    [(_, told)] = outcome.results["c1"]
    assert isinstance(told.value, list)
    kept = [each for each in told.value if each in ("HTTPS_PROXY", "AWS_PROFILE", "OF_MY_OWN")]
    return f"it has {kept}" if kept or "OF_THE_SCENARIO" not in told.value else None


def has_another_order(outcome: Outcome) -> str | None:
    """Shows the order."""
    [(_, told)] = outcome.results["c1"]
    assert isinstance(told.value, list)
    return " ".join(told.value[-len(NAMES) :])


def raises() -> None:
    """A program that is used wrongly: whatever it does, nothing of it is seen."""
    plain()
    raise KeyError("no such bucket")


def large() -> None:
    asked("PUT", "n", b"more than that")


def large_word() -> None:
    redis("SET", "n", "1" * 100)


scenario = partial(GateScenario, invariants=[nothing])
lock = partial(scenario, clients=[[call(take)], [call(take)]], invariants=[one_has_it])
taken = partial(scenario, setup=[call(take)], clients=[[call(take)]])
SCENARIOS = [
    scenario(name="large/s3", clients=[[call(large)]]),
    scenario(name="large/redis", clients=[[call(large_word)]]),
    *(
        scenario(name=each.__name__, clients=[[call(each)], [call(plain)]])
        for each in (tags, states, expires, stranger, foreign)
    ),
    scenario(name="setup", setup=[call(tags)], clients=[[call(plain)]]),
    scenario(name="after", clients=[[call(plain)]], after=[call(tags)]),
    lock(name="lock", reached=has_it),
    lock(name="lock/conflict", expect={"one_has_it": "violated"}, conflicts=1),
    scenario(name="raises", clients=[[call(raises)], [call(raises)]]),
    scenario(name="raises/after", clients=[[call(plain)]], after=[call(plain), call(raises)]),
    scenario(name="raises/one", clients=[[call(raises)], [call(plain)]]),
    scenario(name="plain/conflict", clients=[[call(plain)]], conflicts=1),
    taken(name="lock/taken", reached=has_it),
    taken(name="lock/taken/violated", invariants=[one_has_it], reached=fails),
    scenario(
        name="environment",
        clients=[[call(tells)]],
        invariants=[is_clean, has_another_order],
        expect={"has_another_order": "violated"},
        environment={"OF_THE_SCENARIO": "1"},
    ),
]
