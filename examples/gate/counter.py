"""A counter in an object of S3, three ways to add one to it, and what must hold of each.

lakeproof gate run examples/gate/counter.py
"""

import http.client
import os
from functools import partial
from urllib.parse import urlsplit

from lakeproof import Faults
from lakeproof.gate import GateScenario, Outcome, call

OBJECT = "/bucket/counter"


def ask(method: str, body: bytes = b"", **headers: str) -> tuple[int, str, bytes]:
    """One request of this process's client: the status, the ETag and the body of the answer."""
    host = urlsplit(os.environ["AWS_ENDPOINT_URL"]).netloc
    client = os.environ["AWS_ACCESS_KEY_ID"]
    signed = {"Authorization": f"AWS4-HMAC-SHA256 Credential={client}/20260101/us-east-1/s3/aws4_request"}
    connection = http.client.HTTPConnection(host)
    try:
        connection.request(method, OBJECT, body, {**signed, **headers})
        response = connection.getresponse()
        return response.status, response.headers.get("ETag", ""), response.read()
    finally:
        connection.close()


def create() -> None:
    ask("PUT", b"0")


def value() -> int:
    return int(ask("GET")[2])


def blind() -> int:
    """Add one to what was read, and write it over whatever is there by now."""
    found = value() + 1
    ask("PUT", str(found).encode())
    return found


def careful() -> int:
    """Write only over what was read; else begin again."""
    while True:
        _, etag, content = ask("GET")
        found = int(content) + 1
        if ask("PUT", str(found).encode(), **{"If-Match": etag})[0] == 200:
            return found


def persistent() -> int:
    """Careful, and begin again where no answer came."""
    while True:
        try:
            return careful()
        except (ConnectionError, http.client.HTTPException):
            continue


def counted_once(outcome: Outcome) -> str | None:
    """The counter is the number of additions that were acknowledged."""
    acknowledged = sum(returned.value is not None for calls in outcome.results.values() for _, returned in calls)
    found = outcome.after[0].value
    return None if found == acknowledged else f"{acknowledged} additions were acknowledged, and the counter is {found}"


scenario = partial(GateScenario, setup=[call(create)], after=[call(value)], invariants=[counted_once])

TWICE = {"counted_once": "violated"}

SCENARIOS = [
    scenario(name="counter/blind", clients=[[call(blind)], [call(blind)]], expect=TWICE),
    scenario(name="counter/careful", clients=[[call(careful)], [call(careful)]]),
    scenario(name="counter/lost-answer", clients=[[call(persistent)]], faults=Faults(lost_answers=1), expect=TWICE),
]
