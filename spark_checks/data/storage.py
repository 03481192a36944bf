"""Where a dataset's repositories say that their objects are."""

from google.protobuf.message import DecodeError
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from lakeproof.impl.codec import graveler_pb2 as pb
from lakeproof.model import keys


def namespaces(kv: DataFrame, repositories: DataFrame | None = None) -> frozenset[str]:
    """The storage namespaces of all repositories, whatever their state; a record that cannot be read has none. The
    driver holds their records. Runs a job. ``repositories``: as a typed table, where there is one."""
    if repositories is not None:
        found = [row[0] for row in repositories.select("storage_namespace").distinct().collect()]
    else:
        rows = kv.where(f.col("partition_key") == f.lit(keys.GRAVELER)).select("key", "value").collect()
        found = [_namespace(row["value"]) for row in rows if bytes(row["key"]).startswith(keys.REPOSITORIES_PREFIX)]
    return frozenset(str(each).rstrip("/") for each in found if each)


def _namespace(value: bytes | None) -> str | None:
    try:
        return str(pb.RepositoryData.FromString(bytes(value or b"")).storage_namespace)
    except (DecodeError, UnicodeDecodeError):
        return None
