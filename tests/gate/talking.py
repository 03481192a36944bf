"""How the programs of these tests ask the store, without a library."""

import http.client
import os
from collections.abc import Mapping
from urllib.parse import urlsplit


def asked(method: str, key: str, body: bytes = b"", headers: Mapping[str, str] | None = None) -> tuple[int, str]:
    """The status and the body of the answer to a request about an object of the bucket; without a key: to ``/``."""
    client = os.environ["AWS_ACCESS_KEY_ID"]
    signed = {"Authorization": f"AWS4-HMAC-SHA256 Credential={client}/20260101/us-east-1/s3/aws4_request"}
    connection = http.client.HTTPConnection(urlsplit(os.environ["AWS_ENDPOINT_URL"]).netloc)
    try:
        connection.request(method, f"/bucket/{key}" if key else "/", body, {**signed, **(headers or {})})
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()
