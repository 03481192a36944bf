"""A program whose keys are new in every run, and the same one with a fixed key: a client creates an object and says its
name in another one; a second client looks there, and writes over it."""

import http.client
import os
import uuid
from urllib.parse import urlsplit

from lakeproof.gate import GateScenario, Outcome, call


def ask(method: str, key: str, body: bytes = b"") -> tuple[int, str]:
    client = os.environ["AWS_ACCESS_KEY_ID"]
    signed = {"Authorization": f"AWS4-HMAC-SHA256 Credential={client}/20260101/us-east-1/s3/aws4_request"}
    connection = http.client.HTTPConnection(urlsplit(os.environ["AWS_ENDPOINT_URL"]).netloc)
    try:
        connection.request(method, f"/bucket/{key}", body, signed)
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def create(minted: bool) -> None:
    name = str(uuid.uuid4()) if minted else "fixed"
    ask("PUT", "pointer", name.encode())
    ask("PUT", name, b"created")


def overwrite() -> bool:
    status, name = ask("GET", "pointer")
    if status == 200:
        ask("PUT", name, b"overwritten")
    return status == 200


def what_was_written_over_stays_so(outcome: Outcome) -> str | None:
    """Violated in one class of the three: the second client writes before the first has created the object."""
    contents = {each.content for address, each in outcome.store.objects.items() if address != "bucket/pointer"}
    wrote = outcome.results["c2"][0][1].value
    return "created over what was there" if wrote and contents == {b"created"} else None


SCENARIOS = [
    GateScenario(
        name=name,
        clients=[[call(create, minted)], [call(overwrite)]],
        invariants=[what_was_written_over_stays_so],
        expect={"what_was_written_over_stays_so": "violated"},
    )
    for name, minted in (("minted", True), ("fixed", False))
]
