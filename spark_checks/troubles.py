"""What goes wrong in Spark because of the input or the machine, as one line."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from lakeproof.tasks import Unusable

_RAISED: Final = re.compile(r"^(?:lakeproof\.tasks\.)?Unusable: (.*)$", re.MULTILINE)
"""An `Unusable` that was raised in a worker comes back as text."""

_FILE: Final = re.compile(r"(?:reading|read) (?:the )?(?:parquet )?file:? ?'?((?:file:)?[^\s']+)", re.IGNORECASE)

_KNOWN: Final = (
    ("FILE_NOT_EXIST", "{file}: a worker does not find it; bring it back, or name a place that all workers share"),
    ("FAILED_READ_FILE", "{file}: cannot be read as Parquet ({cause}); bring it back whole, or write the table again"),
    (
        "CANNOT_READ_FILE_FOOTER",
        "{file}: cannot be read as Parquet ({cause}); bring it back whole, or write the table again",
    ),
    ("is not a Parquet file", "{file}: is not a Parquet file; bring it back whole, or write the table again"),
    ("PATH_NOT_FOUND", "{first}; name a folder that is there"),
    ("No space left on device", "no space left on the device that Spark works on; make room, or set SPARK_LOCAL_DIRS"),
    ("java.lang.OutOfMemoryError", "the JVM ran out of memory; give it more with --memory"),
)


def one_line(error: BaseException) -> str | None:
    """What to tell of an exception of Spark; None if it is none of the user's making."""
    text = str(error)
    raised = _RAISED.findall(text)
    if raised:
        return str(raised[-1]).strip()
    for sign, line in _KNOWN:
        if sign in text:
            return line.format(file=_file(text), cause=_cause(text), first=_first(text))
    return None


def _file(text: str) -> str:
    match = _FILE.search(text)
    return match[1].rstrip(".") if match else "the dataset"


def _first(text: str) -> str:
    return re.sub(r"^\[[A-Z_.]+\] ", "", text.strip().splitlines()[0]).rstrip(".")


def _cause(text: str) -> str:
    """The innermost reason."""
    causes = re.findall(r"^Caused by: (?:[\w.$]+: )?(.+)$", text, re.MULTILINE)
    return str(causes[-1]).strip()[:160] if causes else _first(text)[:160]


@contextmanager
def told() -> Iterator[None]:
    """Raises Unusable for what the user can mend; everything else as it is."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        line = one_line(error)
        if line is None:
            raise
        raise Unusable(line) from None
