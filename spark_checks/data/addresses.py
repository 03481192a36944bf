"""Physical addresses as expressions: where an object lies, whose it is, and its 64-bit fingerprint."""

from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as f

from lakeproof.model.catalog import DATA_PREFIX, AddressType

INTERNAL_PREFIX: Final = "_lakefs/"
"""Where lakeFS keeps its own objects, relative to the namespace."""


def physical(namespace: Column, address: Column, address_type: Column | None = None) -> Column:
    """Where an object lies, as `lakeproof.model.catalog.physical_address` has it. Without a type: BY_PREFIX."""
    full = address.contains("://")
    # A relative address may look like a URL, and a full one need not be checked for a scheme.
    if address_type is not None:
        by_prefix = address_type == AddressType.BY_PREFIX.value
        full = (by_prefix & full) | (address_type == AddressType.FULL.value)
    return f.when(full, address).otherwise(f.concat(namespace, f.lit("/"), address))


def inside(namespace: Column, address: Column) -> Column:
    """Whether a physical address lies in a storage namespace."""
    # With the slash: repo-1 is no namespace of what lies in repo-10.
    return f.startswith(address, f.concat(namespace, f.lit("/")))


def is_data(namespace: Column, address: Column) -> Column:
    """Whether it is where the objects of users lie: nothing else is ever deleted."""
    return f.startswith(address, f.concat(namespace, f.lit("/" + DATA_PREFIX)))


def fingerprint(address: Column) -> Column:
    """64 bits to join by; equal ones must be confirmed by the addresses themselves."""
    return f.xxhash64(address)
