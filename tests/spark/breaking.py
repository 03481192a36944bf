"""Runs lakeproof's command line, and breaks something at a table of a given name: ``breaking.py WHAT TABLE MARKS ...``.

WHAT is ``executors=N``: tasks that write the table end the JVM of their executor (SIGKILL), N times in all;
``driver``: the driver ends, SIGKILL, once the table is written. MARKS is a folder: a file is put there for each blow
that was struck.

What runs on workers is made inside a function, and goes there by value: workers do not have this file.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from lakeproof.spark_checks.engine import staging

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    Task = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]


def blow(times: int, marks: str) -> "Task":
    def strike(batches: "Iterator[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        import os
        import signal
        from pathlib import Path

        def parents() -> Iterator[int]:
            one = os.getpid()
            while one > 1:
                yield one
                one = int(Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()[1])

        def executor() -> int:
            return next(
                one for one in parents() if b"CoarseGrainedExecutorBackend" in Path(f"/proc/{one}/cmdline").read_bytes()
            )

        def mine(number: int) -> bool:
            try:
                os.close(os.open(f"{marks}/{number}", os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return False
            return True

        for batch in batches:  # there are rows: the task has begun to read what the stage before has written
            if any(mine(number) for number in range(times)):
                os.kill(executor(), signal.SIGKILL)
            yield batch

    return strike


def main() -> None:
    what, name, marks, *arguments = sys.argv[1:]
    write = staging.write
    struck = blow(int(what.partition("=")[2] or 0), marks)

    def broken(
        rows: "DataFrame",
        where: str,
        by: str | None = None,
        to: staging.Written | None = None,
        options: Mapping[str, str] | None = None,
    ) -> staging.Written:
        if Path(where).name != name:
            return write(rows, where, by, to, options)
        if what != "driver":
            return write(rows.mapInArrow(struck, rows.schema), where, by, to, options)
        write(rows, where, by, to, options)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError

    staging.write = broken

    from lakeproof.cli import main

    main(arguments, prog_name="lakeproof")


if __name__ == "__main__":
    main()
