"""Parts of files: on this machine, or wherever Spark's file systems know."""

from contextlib import closing

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from lakeproof.running.tasks import Unusable
from lakeproof.spark_checks import places


def part(spark: SparkSession | None, file: str, start: int, length: int) -> bytes:
    """So many bytes of a file, or as many as there are. Raises Unusable."""
    path = places.local(file)
    try:
        if path is not None:
            with path.open("rb") as here:
                here.seek(start)
                return here.read(length)
        assert spark is not None, "only Spark knows what a URL is"
        system, where = places.hadoop(spark, file)
        with closing(system.open(where)) as stream:
            stream.seek(start)
            return bytes(stream.readNBytes(length))
    except (Py4JError, PySparkException) as error:
        raise Unusable(f"{file}: {places.why(error)}; make it accessible, or bring it back") from None
    except OSError as error:
        raise Unusable(f"{file}: {error.strerror}; make it accessible, or bring it back") from None
