"""The object stores that the namespaces of repositories lie in: folders, S3, Google Cloud Storage, Azure, by obstore.

``--blockstore`` says where namespaces are to be found. Of the namespace ``local://shop``, or of ``s3://bucket/shop``:

    /var/lakefs/block     the folder /var/lakefs/block/shop, or .../block/bucket/shop: what stands behind the scheme
    s3://bucket           the objects shop/... of the bucket; a namespace elsewhere is refused
    s3://                 each namespace in its own bucket
    s3://copy/of          a namespace local://shop: the objects of/shop/... of the bucket

Credentials come from the environment, as the stores' own tools take them; so does the endpoint (``AWS_ENDPOINT_URL``).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs
import obstore
from obstore.exceptions import BaseError, InvalidPathError
from obstore.store import LocalStore, from_url

from lakeproof.spark_checks.engine import places
from lakeproof.spark_checks.engine.folders import walk
from lakeproof.spark_checks.engine.troubles import describe_error
from lakeproof.words import Unusable

if TYPE_CHECKING:
    from obstore.store import ObjectStore

CHUNK: Final = 1_000
MARKER: Final = "_lakefs/dummy"
"""What lakeFS puts into a namespace when a repository is made there."""
_PATHS: Final = ("local", "mem")
"""Schemes whose names are paths wherever the store is."""


@attrs.frozen
class Listed:
    """An object: its path below what was listed; last_modified in microseconds. ``e_tag``: None of files."""

    path: str
    size_bytes: int
    last_modified: int
    e_tag: str | None


@attrs.frozen
class Blockstore:
    """Where namespaces are. ``url``: as the user says it."""

    url: str

    @property
    def folder(self) -> Path | None:
        """Where it is on this machine: in full, for workers may be elsewhere in it."""
        found = places.local(self.url)
        return None if found is None else found.absolute()

    def demand_there(self) -> None:
        """Raises Unusable: it is a folder, and not there."""
        if self.folder is not None and not self.folder.is_dir():
            raise Unusable(f"{self.url}: there is no such folder; name the one that has the namespaces' folders")

    def where(self, namespace: str) -> tuple[str, str]:
        """The store of a namespace, and the prefix in it. Raises Unusable: it is not in this block store."""
        scheme, _, rest = namespace.rstrip("/").partition("://")
        if self.folder is not None:
            return str(self.folder), rest
        base, own = self.url.rstrip("/"), namespace.rstrip("/")
        # No bucket is named: each namespace names its own.
        if self.url.endswith("://"):
            base = base.rstrip(":/")
            if scheme != base:
                raise self._elsewhere(namespace)
            return _split(own)
        bucket, prefix = _split(base)
        # With the slash: s3://bucket2 does not lie in s3://bucket.
        if own == base or own.startswith(f"{base}/"):
            return bucket, _join(prefix, own[len(base) :].strip("/"))
        # Such a namespace names no store, so that the block store may be anything, a copy in a bucket for example.
        if scheme in _PATHS:
            return bucket, _join(prefix, rest)
        raise self._elsewhere(namespace)

    def _elsewhere(self, namespace: str) -> Unusable:
        return Unusable(
            f"--blockstore {self.url}: the namespace {namespace} is not there; name what all namespaces lie in, such "
            "as s3:// for each in its own bucket"
        )

    def neighbours(self, namespaces: frozenset[str]) -> list[str]:
        """Namespaces without a repository: folders at the top that lakeFS has marked as one. Only where the block
        store is one folder or prefix for all."""
        # Buckets of others are not listed.
        if self.url.endswith("://") or not namespaces:
            return []
        # The least name: the same scheme in each run.
        scheme = min(namespaces).partition("://")[0]
        base = f"{scheme}:/" if self.folder is not None or scheme in _PATHS else self.url.rstrip("/")
        store, prefix = (str(self.folder), "") if self.folder is not None else _split(self.url.rstrip("/"))
        opened = open_store(store)
        try:
            listed = obstore.list_with_delimiter(opened, prefix or None)
            names = [each.rstrip("/").rpartition("/")[2] for each in listed["common_prefixes"]]
            found = [f"{base}/{each}" for each in names]
            return [
                each
                for name, each in zip(names, found, strict=True)
                # A folder above a known namespace is not a namespace beside it.
                if not any(other == each or other.startswith(f"{each}/") for other in namespaces)
                and _is_there(opened, _join(prefix, f"{name}/{MARKER}"))
            ]
        except (BaseError, OSError, ValueError) as error:
            raise unreachable(self.url, error) from None


def _split(url: str) -> tuple[str, str]:
    """The bucket or container, and the prefix in it."""
    scheme, _, rest = url.partition("://")
    depth = 2 if scheme in ("http", "https") else 1  # Azure: the account's host, then the container
    parts = rest.split("/")
    return f"{scheme}://{'/'.join(parts[:depth])}", "/".join(parts[depth:])


def _join(*parts: str) -> str:
    return "/".join(each for each in parts if each)


def open_store(where: str) -> "ObjectStore":
    """A folder, bucket or container. Raises Unusable."""
    try:
        return LocalStore(where) if places.local(where) is not None else from_url(where)
    except (BaseError, OSError, ValueError) as error:
        raise unreachable(where, error) from None


def objects(where: str, prefix: str) -> Iterator[Listed]:
    """All objects below a prefix. None where nothing is. Raises Unusable: also where a folder itself is not there."""
    is_local = places.local(where) is not None
    if is_local and not (Path(where) / prefix).is_dir():
        # On this machine, which may be another one than the driver's: there every object would look lost.
        if not Path(where).is_dir():
            raise Unusable(f"{where}: a worker finds no such folder; name one that all workers share with --blockstore")
        return
    try:
        if is_local:
            # Not by obstore, which takes a name that ends in "#" and digits for a part of its own.
            for file in filter(Path.is_file, walk(Path(where) / prefix)):
                found = file.stat()
                # Text in UTF-8, or a ValueError: engines have no other names.
                relative = file.relative_to(Path(where) / prefix).as_posix().encode().decode()
                yield Listed(relative, found.st_size, found.st_mtime_ns // 1000, None)
            return
        for chunk in obstore.list(open_store(where), f"{prefix}/" if prefix else None, chunk_size=CHUNK):
            for each in chunk:
                path = str(each["path"])
                yield Listed(
                    path[len(prefix) + 1 :] if prefix else path,  # relative to the namespace, as ``objects/`` has it
                    int(each["size"]),
                    round(each["last_modified"].timestamp() * 1_000_000),
                    None if each["e_tag"] is None else each["e_tag"].strip('"'),
                )
    except (BaseError, OSError, ValueError) as error:
        raise unreachable(f"{where}/{prefix}", error) from None


def content(store: "ObjectStore", path: str) -> bytes | None:
    """All of an object; None: it is not there. Raises Unusable."""
    try:
        return bytes(obstore.get(store, path).bytes())
    except FileNotFoundError:
        return None
    except (BaseError, OSError, ValueError) as error:
        raise unreachable(path, error) from None


def _is_there(store: "ObjectStore", path: str) -> bool:
    try:
        obstore.head(store, path)
    except FileNotFoundError:
        return False
    return True


def unreachable(where: str, error: Exception) -> Unusable:
    """One line."""
    repair = "see that it is there, and that the environment has the credentials of one who may list and read"
    if isinstance(error, InvalidPathError):  # such as one with an empty part: a//b
        repair = "objects of such names cannot be read here; rename it"
    return Unusable(f"{where}: cannot be read ({describe_error(error)}); {repair}")
