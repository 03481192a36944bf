"""Addresses that say for which path of which branch they were issued, so that no other path can use them.

The signature stands for one with a secret key: nobody else can make it. Source: hard-delete-uncommitted-data.md,
"5. No Copies".
"""

from typing import Final

from lakeproof.impl.catalog.errors import AddressNotAllowed
from lakeproof.impl.effects import Env
from lakeproof.model.catalog import DATA_PREFIX, data_address, is_inside
from lakeproof.model.identifiers import BranchID
from lakeproof.model.objects import etag
from lakeproof.model.records import Repository

LENGTH: Final = 8


def signature(repository: Repository, branch_id: BranchID, path: bytes, name: str) -> str:
    """Of repository, branch and path, and of what makes the address unique."""
    signed = b"\0".join((repository.repository_id.encode(), branch_id.encode(), path, name.encode()))
    return etag(signed)[:LENGTH]


def signed_address(env: Env, repository: Repository, branch_id: BranchID, path: bytes) -> str:
    """A relative address that nobody has had before, for one path of one branch."""
    name = env.ids.unique("address")
    return data_address(f"{name}.{signature(repository, branch_id, path, name)}")


def check_address(repository: Repository, branch_id: BranchID, path: bytes, address: str) -> None:
    """Raises AddressNotAllowed for a physical address in the namespace that was issued for something else."""
    if not is_inside(repository.storage_namespace, address):
        return
    name, _, found = address.removeprefix(f"{repository.storage_namespace}/{DATA_PREFIX}").rpartition(".")
    if found != signature(repository, branch_id, path, name):
        raise AddressNotAllowed(address)
