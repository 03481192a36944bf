"""Connections that are cut under a driver."""

import socket
import ssl
from types import SimpleNamespace
from typing import cast

from lakeproof.stores.redis_store import Connection, RedisStore


def test_a_connection_of_redis_can_be_cut_under_tls_too() -> None:
    near, far = socket.socketpair()
    context = ssl.create_default_context()
    with far, context.wrap_socket(near, server_hostname="localhost", do_handshake_on_connect=False) as secured:
        RedisStore.sever(RedisStore.__new__(RedisStore), cast("Connection", SimpleNamespace(_sock=secured)))
        far.settimeout(60)
        assert far.recv(1) == b""
