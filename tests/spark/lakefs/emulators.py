"""Emulators of Google's and Azure's stores, which somebody else runs; each gets a container, empty but for some files.

Source: learn.microsoft.com/azure/storage/common/storage-use-azurite (its account and key are well known) and
learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key; github.com/fsouza/fake-gcs-server.
"""

import base64
import hashlib
import hmac
import json
import os
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from typing import Final
from urllib.error import HTTPError
from urllib.parse import quote

from tests.spark.lakefs.clouds import BOX

ACCOUNT: Final = "devstoreaccount1"
_KEY: Final = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
_VERSION: Final = "2021-08-06"


def azurite() -> dict[str, str]:
    """A new container at LAKEPROOF_AZURITE: the environment in which obstore finds it."""
    endpoint = f"{os.environ['LAKEPROOF_AZURITE'].rstrip('/')}/{ACCOUNT}"
    with _unless(404):
        _signed("DELETE", endpoint)
    _signed("PUT", endpoint)
    return {
        "AZURE_STORAGE_ACCOUNT_NAME": ACCOUNT,
        "AZURE_STORAGE_ACCOUNT_KEY": _KEY,
        "AZURE_STORAGE_ENDPOINT": endpoint,
        "AZURE_ALLOW_HTTP": "true",
    }


def _signed(method: str, endpoint: str) -> None:
    now = formatdate(usegmt=True)
    text = "\n".join([method, *[""] * 11, f"x-ms-date:{now}", f"x-ms-version:{_VERSION}"])
    text += f"\n/{ACCOUNT}/{ACCOUNT}/{BOX}\nrestype:container"
    mark = base64.b64encode(hmac.new(base64.b64decode(_KEY), text.encode(), hashlib.sha256).digest()).decode()
    headers = {"x-ms-date": now, "x-ms-version": _VERSION, "Authorization": f"SharedKey {ACCOUNT}:{mark}"}
    _ask(method, f"{endpoint}/{BOX}?restype=container", b"", headers | {"Content-Length": "0"})


def fake_gcs(files: dict[str, bytes]) -> dict[str, str]:
    """These files, and no others, in a bucket at LAKEPROOF_FAKE_GCS, which takes files only by Google's JSON API."""
    endpoint = os.environ["LAKEPROOF_FAKE_GCS"].rstrip("/")
    with _unless(409):
        _ask("POST", f"{endpoint}/storage/v1/b?project=p", json.dumps({"name": BOX}).encode())
    for each in json.loads(_ask("GET", f"{endpoint}/storage/v1/b/{BOX}/o")).get("items", []):
        _ask("DELETE", f"{endpoint}/storage/v1/b/{BOX}/o/{quote(each['name'], safe='')}")
    for name, content in files.items():
        _ask("POST", f"{endpoint}/upload/storage/v1/b/{BOX}/o?uploadType=media&name={quote(name, safe='')}", content)
    return {"GOOGLE_BASE_URL": endpoint, "GOOGLE_BEARER_TOKEN": "any"}


@contextmanager
def _unless(code: int) -> Iterator[None]:
    """A refusal with this status is none: it is as it should be already."""
    try:
        yield
    except HTTPError as error:
        if error.code != code:
            raise


def _ask(method: str, url: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> bytes:
    asked = urllib.request.Request(url, method=method, data=body or None, headers=headers or {})  # noqa: S310  # http
    with urllib.request.urlopen(asked) as answer:  # noqa: S310  # the same
        found: bytes = answer.read()
    return found
