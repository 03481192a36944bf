"""A running lakeFS on DynamoDB: its calls, and which requests the effects of the flows are.

The environment variable ``LAKEPROOF_LAKEFS`` names the binary. Each client has a server of its own; all share the table
and the bucket at the gate. Tried with lakeFS 1.84.
"""

import base64
import http.client
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from lakefs_store import effect, judged  # type: ignore[import-not-found]  # it lies beside this file

from lakeproof.gate import GateCall, Profile, Rule, call

SERVICE = ("python", str(Path(__file__).with_name("lakefs_server.py")), "{port}")
KEY = "AKIAIOSFODNN7EXAMPLE"
SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"  # noqa: S105  # of documentation
"""Of the user that `set_up` creates. Both are Amazon's examples, and open nothing."""
THROUGH = ("GetItem kvstore/basicAuth/*",)
"""Whoever asks lakeFS for something is looked up three times. Nothing in a scenario changes users."""
OK = 200


def ask(method: str, path: str, body: object = None) -> int:
    """One request to the server of this client, with bytes or what is sent as JSON: the status of the answer."""
    return answer(method, path, body)[0]


def answer(method: str, path: str, body: object = None) -> tuple[int, bytes]:
    """As `ask`: the status and the content of the answer."""
    connection = http.client.HTTPConnection(urlsplit(os.environ["SERVICE_URL"]).netloc)
    login = base64.b64encode(f"{KEY}:{SECRET}".encode()).decode()
    sent = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    kind = "application/octet-stream" if isinstance(body, bytes) else "application/json"
    headers = {"Authorization": f"Basic {login}", "Content-Type": kind}
    try:
        connection.request(method, f"/api/v1/{path}", sent, headers)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def set_up() -> None:
    """A new installation, with a user."""
    user = {"username": "admin", "key": {"access_key_id": KEY, "secret_access_key": SECRET}}
    status = ask("POST", "setup_lakefs", user)
    if status != OK:
        raise RuntimeError(f"setup_lakefs answers {status}")


def wait_a_second() -> None:
    """The id of a first commit is a hash of the second in which it was made: a later one must not have the same."""
    time.sleep(1.1)


def create_repository(name: str, space: str) -> int:
    """space: the folder of its objects. lakeFS refuses one that has been used."""
    return ask("POST", "repositories", {"name": name, "storage_namespace": f"s3://bucket/{space}"})


def create_branch(name: str, branch: str) -> int:
    """From ``main``."""
    return ask("POST", f"repositories/{name}/branches", {"name": branch, "source": "main"})


def delete_branch(name: str, branch: str) -> int:
    return ask("DELETE", f"repositories/{name}/branches/{branch}")


def get_branch(name: str, branch: str) -> int:
    return ask("GET", f"repositories/{name}/branches/{branch}")


def upload(name: str, branch: str, path: str, content: str) -> int:
    return ask("POST", f"repositories/{name}/branches/{branch}/objects?path={path}", content.encode())


def commit(name: str, branch: str, message: str) -> int:
    return ask("POST", f"repositories/{name}/branches/{branch}/commits", {"message": message})


def get_object(name: str, ref: str, path: str) -> str | int:
    """Its content; or the status of the answer, if there is none."""
    status, content = answer("GET", f"repositories/{name}/refs/{ref}/objects?path={path}")
    return content.decode() if status == OK else status


def delete_repository(name: str) -> int:
    return ask("DELETE", f"repositories/{name}")


def get_repository(name: str) -> int:
    return ask("GET", f"repositories/{name}")


def renamed(repository: str) -> str:
    """The name of a repository in lakeFS, which wants three characters at least."""
    return f"repository-{repository}"


def _create(number: int, args: Sequence[str]) -> GateCall:
    return call(create_repository, renamed(args[0]), f"space-{number}")


def _delete(number: int, args: Sequence[str]) -> GateCall:
    return call(delete_repository, renamed(args[0]))


def _get(number: int, args: Sequence[str]) -> GateCall:
    return call(get_repository, renamed(args[0]))


PROFILE = Profile(
    name="lakefs",
    file=Path(__file__),
    calls={"create_repository": _create, "delete_repository": _delete, "get_repository": _get},
    rename={"r": renamed},
    rules=[
        Rule("get repos/{r}", "GetItem kvstore/graveler/repos%2F{r}"),
        Rule("set repos/{r}", "PutItem kvstore/graveler/repos%2F{r}"),
        Rule("set_if repos/{r}", "PutItem kvstore/graveler/repos%2F{r} if *"),
        Rule("delete repos/{r}", "DeleteItem kvstore/graveler/repos%2F{r}"),
        Rule("set|set_if {r}-{uid}/commits/{id}", "PutItem kvstore/{r}-*/commits%2F* if *"),
        Rule("set|set_if {r}-{uid}/branches/{branch}", "PutItem kvstore/{r}-*/branches%2F{branch} if *"),
        Rule("get {r}-{uid}/branches/{branch}", "GetItem kvstore/{r}-*/branches%2F{branch}"),
        Rule("delete {r}-{uid}/commits/{id}", "DeleteItem kvstore/{r}-*/commits%2F*"),
        Rule("delete {r}-{uid}/branches/{branch}", "DeleteItem kvstore/{r}-*/branches%2F{branch}"),
        Rule("delete {r}-{uid}/repo-metadata", "DeleteItem kvstore/{r}-*/repo-metadata"),
        Rule("scan {r}-{uid}/", "Query kvstore PartitionKey = {r}-* *"),
        Rule("now ", None),
    ],
    service=SERVICE,
    before=[call(set_up)],
    between=[call(wait_a_second)],
    always={each: judged(each) for each in ("delete-spares-successor", "create-is-unique", "active-is-complete")},
    through=THROUGH,
    effect=effect,
)
