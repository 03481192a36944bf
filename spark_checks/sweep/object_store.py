"""What ``--objects`` and the options beside it name. A library is imported when a store needs it."""

import re
from pathlib import Path
from typing import Final

from lakeproof.spark_checks.sweep.targets import FileTree, Pace, Target
from lakeproof.words import Unusable

S3_SCHEMES: Final = frozenset({"s3", "s3a", "s3n"})
CLOUD_SCHEMES: Final = frozenset({"gs", "az", "azure", "abfs", "abfss", "adl"})
AZURE: Final = re.compile(r"https://[^/]+\.(blob|dfs)\.core\.windows\.net/.")
"""Azure's as addresses have it. Any other https:// is some server of the web."""


def target(
    where: str,
    *,
    instead_of: str | None = None,
    endpoint: str | None = None,
    match: bool = True,
    rate: float | None = None,
    at_once: int = 32,
) -> Target:
    """What has a scheme is a bucket; ``file:`` and all else a folder of plain files. ``instead_of``: what stands in the
    addresses of a run for the URL of the store. ``match``: whether S3 deletes an object only as it was
    found. ``rate``: requests a second. ``at_once``: requests.

    Raises Unusable: it is not there, or cannot be reached; an option is for another kind of store.
    """
    scheme, mark, rest = where.partition("://")
    pace = Pace(rate)
    if endpoint is not None and scheme not in S3_SCHEMES:
        raise Unusable(f"--endpoint: {where} does not speak S3; name s3://bucket with --objects, or leave it out")
    # A folder has objects of all schemes and buckets, by their paths.
    if not mark or scheme == "file":
        if instead_of is not None:
            raise Unusable(f"--instead-of: {where} is a folder, which has all addresses; leave it out")
        return FileTree(Path(f"/{rest.lstrip('/')}" if mark else where.removeprefix("file:")), pace)
    known = scheme in S3_SCHEMES | CLOUD_SCHEMES and rest.strip("/")
    if not known and not AZURE.match(where):
        expected = "expected s3://, gs://, az:// or abfss:// with a bucket"
        raise Unusable(f"--objects {where}: {expected}; name one, or a folder")
    where = where.rstrip("/")
    # Addresses of a run are compared with this text, so that it must be spelt as they are.
    base = _plain(instead_of or where)
    if scheme in S3_SCHEMES:
        # Imported late: each cloud has a library that need not be installed for the others.
        from lakeproof.spark_checks.sweep.s3 import S3

        return S3(where, base=base, pace=pace, at_once=at_once, endpoint=endpoint, match=match)
    from lakeproof.spark_checks.sweep.clouds import Cloud, open_store

    return Cloud(open_store(where), base=base, pace=pace, at_once=at_once)


def _plain(url: str) -> str:
    """As addresses have it: S3's is s3://."""
    return re.sub(r"^s3[an]://", "s3://", url.rstrip("/"))
