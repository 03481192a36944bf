"""What goes wrong in Spark because of the input or the machine, as one line."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from lakeproof.words import Unusable

_RAISED: Final = re.compile(r"^(?:.*External error: )?\s*(?:lakeproof\.words\.)?Unusable: (.*)$", re.MULTILINE)
"""An `Unusable` that was raised in a worker comes back as text."""

ENVIRONMENT: Final = (
    "give all workers the driver's Python and `pip install 'lakeproof[spark]'`, and name it with PYSPARK_PYTHON; or "
    "ship an environment: PYSPARK_PYTHON=./environment/bin/python and --conf spark.archives=env.tar.gz#environment"
)
"""What to do where the workers' Python cannot do the work."""

_PYTHON: Final = (
    (re.compile(r'Cannot run program "([^"]+)"'), "workers: Python does not start there as {0}; "),
    (
        re.compile(r"Python in worker has different version: ([\d.]+\w*) than that in driver: ([\d.]+\w*)"),
        "workers: Python is {0} there, and the driver's is {1}; ",
    ),
    (
        re.compile(r"^(?:[\w.]+\.)?ModuleNotFoundError: No module named '([^']+)'", re.MULTILINE),
        "workers: Python finds no module {0!r} there; ",
    ),
)
"""Messages of a worker's Python, and about it."""

_FILE: Final = re.compile(r"(?:reading|read) (?:the )?(?:parquet )?file:? ?'?((?:file:)?[^\s']+)", re.IGNORECASE)

_LOST: Final = "executors were lost, again and again; see why in the workers' logs, and give them more memory"

_FULL: Final = "the memory that Sail may take does not suffice; say more with --memory, or name --engine classic"
_ENDED: Final = "the JVM has ended, as where the machine has no memory left; see why, and run the command once more"
_GONE: Final = "the Spark Connect server does not answer any more; see its log, and run the command once more"

_KNOWN: Final = (
    *(
        (sign, "{first}: a column of several types, or not its table's, which Sail cannot read; name --engine classic")
        for sign in ("Fail to merge schema", "PARQUET_COLUMN_DATA_TYPE_MISMATCH")
    ),
    ("FILE_NOT_EXIST", "{file}: a worker does not find it; bring it back, or name a place that all workers share"),
    ("FAILED_READ_FILE", "{file}: cannot be read as Parquet ({cause}); bring it back whole, or write the table again"),
    (
        "CANNOT_READ_FILE_FOOTER",
        "{file}: cannot be read as Parquet ({cause}); bring it back whole, or write the table again",
    ),
    ("is not a Parquet file", "{file}: is not a Parquet file; bring it back whole, or write the table again"),
    ("PATH_NOT_FOUND", "{first}; name a folder that is there"),
    (
        "No space left on device",
        "no space left on the device that Spark works on; make room, or set --work, or SPARK_LOCAL_DIRS for shuffles",
    ),
    ("File too large", "a file of Spark's grew larger than this machine lets files grow; see `ulimit -f`"),
    ("ExecutorLostFailure", _LOST),
    ("failed the maximum allowable number of times", _LOST),
    ("Master removed our application", _LOST),
    ("because SparkContext was shut down", _LOST),
    *((sign, _FULL) for sign in ("Resources exhausted", "Failed to allocate additional")),
    *((sign, _ENDED) for sign in ("Answer from Java side is empty", "Error while sending or receiving")),
    *((sign, _GONE) for sign in ("StatusCode.UNAVAILABLE", "RETRIES_EXCEEDED")),
    ("java.lang.OutOfMemoryError", "the JVM ran out of memory; give it more with --memory"),
)


def one_line(error: BaseException) -> str | None:
    """What to tell of an exception of Spark; None if it is none of the user's making."""
    if isinstance(error, ConnectionRefusedError):
        return _ENDED
    text = str(error)
    # First of all: the message of a worker may contain any of the other signs.
    raised = _RAISED.findall(text)
    if raised:
        return str(raised[-1]).strip()
    for pattern, start in _PYTHON:
        match = pattern.search(text)
        if match:
            return start.format(*match.groups()) + ENVIRONMENT
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


def errors() -> tuple[type[Exception], ...]:
    """What the engines that are in use raise."""
    from pyspark.errors import PySparkException

    found: list[type[Exception]] = [PySparkException]
    # Modules that are not loaded have raised nothing, and loading them here could need a JVM or grpc.
    for module, name in (("lakeproof.spark_checks.engine.classic", "Py4JError"), ("grpc", "RpcError")):
        if module in sys.modules:
            found.append(getattr(sys.modules[module], name))
            if name == "Py4JError":
                found.append(ConnectionRefusedError)  # of each call after the one that met the end of the JVM
    return tuple(found)


@contextmanager
def translate_errors() -> Iterator[None]:
    """Raises Unusable for what the user can mend; everything else as it is."""
    try:
        yield
    except errors() as error:
        line = one_line(error)
        if line is None:
            raise
        # The engine's traceback has hundreds of lines, and says nothing that the line does not.
        raise Unusable(line) from None


WIDEST: Final = 200
_REQUEST: Final = re.compile(r"Error performing [A-Z]+ \S+ in \S+( after \d+ retries, [^-]*)?\s*-\s+")
_CODE: Final = re.compile(r"<Code>\s*([\w.-]{1,60})\s*</Code>")


def describe_error(error: Exception) -> str:
    """What obstore says of a request that failed: at most `WIDEST` characters, without URLs: they may be long, and hold
    what is signed. Its first line is the request, with times and tries; the status and its reason, if any, follow, what
    a server says of it in XML, and then Rust's own notation of all that. This is left: ``Generic GCS error: Error
    performing list request: Server returned non-2xx status code: 403 Forbidden (AccessDenied)``."""
    # The rest repeats the error as a Rust value, with the URL.
    whole = " ".join(str(error).partition("Debug source:")[0].split())
    code = _CODE.search(whole)
    text = _REQUEST.sub("", whole).partition(": <")[0]
    if code is not None:
        text += f" ({code.group(1)})"
    return text[:WIDEST] or type(error).__name__
