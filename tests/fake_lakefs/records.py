"""What the fake keeps besides the records of the flows: objects as the API tells of them, pull requests, and what
can be imported."""

import uuid
from typing import Final

import attrs
import trio

from tests.fake_lakefs.bugs import OUTSIDE

IMPORTABLE: Final = dict(zip(OUTSIDE, (("a", "b", "c"), ("b", "d")), strict=True))
"""By prefix, the objects that lie there."""


@attrs.define
class Found:
    """An object, as the API tells of it."""

    path: str
    address: str
    content: bytes
    metadata: str = ""
    """The mark that an update has set; empty: none."""


@attrs.define
class Pull:
    """A pull request. changing: held by what changes it."""

    title: str
    destination: str
    source: str
    status: str = "open"
    commit: str = ""
    number: str = attrs.field(factory=lambda: uuid.uuid4().hex)
    changing: trio.Lock = attrs.field(factory=trio.Lock, eq=False)
