"""Clients that a gate has to survive: they ask for ever, flood it, send halves, do not read, fork, or stay."""

import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import attrs

from lakeproof.gate import GateScenario, call
from tests.gate.nasty import get, nothing
from tests.gate.talking import asked

STEPS_MAX = 20
CONNECTIONS = 100


def asks_for_ever() -> None:
    while True:
        get("a")


def retries_for_ever() -> None:
    """Takes no answer for one."""
    while True:
        asked("PUT", "a", b"1")


def connected() -> socket.socket:
    host, port = os.environ["AWS_ENDPOINT_URL"].removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)))


def head(method: str, key: str, length: int = 0) -> bytes:
    client = os.environ["AWS_ACCESS_KEY_ID"]
    lines = f"{method} /bucket/{key} HTTP/1.1\r\nAuthorization: AWS4 Credential={client}/x\r\n"
    return f"{lines}Content-Length: {length}\r\n\r\n".encode()


def floods() -> None:
    """Sends requests, and reads no answer."""
    with connected() as one:
        while True:
            one.sendall(head("GET", "a"))


def sends_half() -> None:
    with connected() as one:
        one.sendall(head("PUT", "a", 100) + b"half")
        time.sleep(3600)


def does_not_read() -> None:
    """Leaves a long answer where it is."""
    asked("PUT", "long", b"x" * 30_000_000)
    with connected() as one:
        one.sendall(head("GET", "long"))
        time.sleep(3600)


def asks_at_once() -> None:
    asking = [threading.Thread(target=get, args=(f"k{number}",)) for number in range(CONNECTIONS)]
    for each in asking:
        each.start()
    for each in asking:
        each.join()


def keeps_open() -> None:
    """A hundred connections on which nothing comes."""
    idle = [connected() for _ in range(CONNECTIONS)]
    get("a")
    for each in idle:
        each.close()


def forks_for_ever() -> None:
    get("a")
    if not os.fork():
        retries_for_ever()


def forks() -> str:
    """Returns twice."""
    get("a")
    return "parent" if os.fork() else "child"


def becomes_a_daemon() -> None:
    get("a")
    if os.fork():
        os._exit(0)


def asks_by_an_orphan() -> None:
    """A process without a parent asks for two objects at once, for one of them after a long computation."""
    reader, writer = os.pipe()
    if not os.fork():
        os.setsid()
        if not os.fork():
            other = threading.Thread(target=computes_and_asks)
            other.start()
            get("y")
            other.join()
            os.write(writer, b"!")
        os._exit(0)
    os.wait()
    os.read(reader, 1)


def waits_for_all_it_has_started() -> None:
    """And leaves a process in a session of its own, which does not end."""
    get("a")
    if not os.fork():
        os.setsid()
        if not os.fork():
            time.sleep(3600)
        os._exit(0)
    with suppress(ChildProcessError):
        while os.wait():
            pass


def computes_and_asks() -> None:
    for _ in range(2_000_000):
        pass
    get("x")


def puts_both() -> None:
    asked("PUT", "x", b"1")
    asked("PUT", "y", b"1")


def reads_and_closes_its_stdin() -> None:
    get("a")
    assert (sys.stdin.read(), subprocess.run(["cat"], stdout=-1, check=True).stdout) == ("", b"")
    os.close(0)


def asks_a_service() -> None:
    """Whose end it takes for an answer."""
    get("a")
    with suppress(OSError):
        urllib.request.urlopen(os.environ["SERVICE_URL"])  # noqa: S310


MORTAL = """
import socket, sys
listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
listener.accept()  # of who looks whether it listens
sys.exit(bool(listener.accept()) * 3)
"""

ORPHANING = """
import http.server, sys
from tests.gate.hostile import asks_by_an_orphan
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        asks_by_an_orphan()
        self.send_response(200)
        self.end_headers()
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


def writes_late() -> None:
    """When the schedule is over."""
    get("a")
    threading.Thread(target=writes_when_told).start()


def writes_by_a_timer() -> None:
    """After the last schedule, if that is over so soon."""
    get("a")
    threading.Timer(0.2, asked, ("PUT", "late", b"1")).start()


def writes_when_told() -> None:
    Path(FOLDER, "fifo").read_text()
    asked("PUT", "late", b"1")


def tells() -> None:
    Path(FOLDER, "fifo").write_text("")  # wakes who reads it
    while asked("GET", "late")[0] != 200:
        pass


def once() -> None:
    get("a")


FOLDER = os.environ.get("HOSTILE_FOLDER", "")
"""Where the processes of ``stays`` note their numbers; empty: nowhere."""
SERVES = """
import http.server, os, pathlib, sys
pathlib.Path(os.environ["HOSTILE_FOLDER"], f"{os.getpid()}.process").touch()
http.server.test(http.server.SimpleHTTPRequestHandler, port=int(sys.argv[1]))
"""


def stays() -> None:
    """Says that it has begun, and then neither asks nor returns, nor sleeps for long: a gate waits minutes for that."""
    get("a")
    Path(FOLDER, "begun").touch()
    while True:
        time.sleep(0.01)


if FOLDER:
    Path(FOLDER, f"{os.getpid()}.process").touch()


def sleeps() -> None:
    time.sleep(3600)


def beside_one(*calls: Callable[[], object], **more: object) -> GateScenario:
    """A client that makes these calls, beside one that asks once."""
    made = GateScenario(name=calls[0].__name__, clients=[[*map(call, calls)], [call(once)]], invariants=[nothing])
    return attrs.evolve(made, **more)  # type: ignore[arg-type]  # its fields


PLAIN = (
    *(asks_for_ever, retries_for_ever, floods, sends_half, does_not_read, keeps_open),
    *(becomes_a_daemon, reads_and_closes_its_stdin),
)
SCENARIOS = [
    *(beside_one(each, steps_max=STEPS_MAX) for each in PLAIN),
    beside_one(forks_for_ever, clients=[[call(forks_for_ever)]], steps_max=STEPS_MAX),
    beside_one(forks, once),
    beside_one(asks_at_once),
    beside_one(asks_at_once, name="asks_at_once/threads", parallel="threads"),
    beside_one(asks_by_an_orphan, clients=[[call(asks_by_an_orphan)], [call(puts_both)]]),
    beside_one(waits_for_all_it_has_started),
    beside_one(asks_a_service, service=["python", "-c", MORTAL, "{port}"]),
    beside_one(
        asks_a_service,
        name="asks_an_orphaning_service",
        clients=[[call(asks_a_service)], [call(puts_both)]],
        service=["python", "-c", ORPHANING, "{port}"],
    ),
    beside_one(once, name="no_service", service=["no-such-program", "{port}"]),
    beside_one(writes_late, after=[call(tells)], environment={"HOSTILE_FOLDER": FOLDER}),
    beside_one(writes_by_a_timer),
    beside_one(once, name="sleeps_before", setup=[call(sleeps)]),
    beside_one(once, name="sleeps_after", after=[call(sleeps)]),
    GateScenario(
        name="stays",
        clients=[[call(stays)]],
        service=["python", "-c", SERVES, "{port}"],
        environment={"HOSTILE_FOLDER": FOLDER},
        invariants=[nothing],
    ),
]
