"""Scenarios of a service that keeps what it has read from one schedule to the next."""

import http.client
import os
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from lakeproof.gate import GateScenario, Outcome, call

SERVER = str(Path(__file__).with_name("forgetful_server.py"))


def add() -> None:
    connection = http.client.HTTPConnection(urlsplit(os.environ["SERVICE_URL"]).netloc)
    try:
        connection.request("GET", "/")
        connection.getresponse().read()
    finally:
        connection.close()


def counted(outcome: Outcome) -> str | None:
    """Both additions count."""
    found = outcome.store.objects["bucket/counter"].content
    return None if found == b"2" else f"the counter is {found.decode()}"


scenario = partial(
    GateScenario,
    clients=[[call(add)], [call(add)]],
    invariants=[counted],
    expect={"counted": "violated"},
    service=["python", SERVER, "{port}", "reads"],
)
SCENARIOS = [
    scenario(name="kept"),
    scenario(name="fresh", fresh=True),
    scenario(name="writes", fresh=True, service=["python", SERVER, "{port}", "writes"]),
]
