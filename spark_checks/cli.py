"""The group ``lakeproof spark``: commands that are loaded when they are called, so that help needs no JVM.

Every command also runs under ``spark-submit``: ``spark-submit spark_checks/submit.py check DATASET``.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Final

import click

LATER: Final[Mapping[str, tuple[str, str]]] = {
    "check": ("spark_checks.checks.command:command", "Check the invariants over a dataset."),
    "decode": ("spark_checks.decode_command:command", "Write the typed tables that a dataset decodes into."),
    "explore": ("spark_checks.exploring.command:command", "Search scenarios exhaustively, the levels on Spark."),
    "generate": ("spark_checks.generate.command:command", "Write a dataset, sound or with planted violations."),
    "histories": ("spark_checks.histories.command:command", "Check recorded histories, key by key."),
    "prepare": ("spark_checks.prepare_command:command", "Let Spark start faster from now on."),
    "retention": ("spark_checks.retention.command:command", "Mark what only expired commits reach."),
    "sweep": ("spark_checks.retention.sweep_command:command", "Delete what a run has marked."),
    "uncommitted": ("spark_checks.uncommitted.command:command", "Mark objects that nothing refers to."),
    "walk": ("spark_checks.exploring.walk_command:command", "Walk scenarios at random, many seeds at once."),
}
"""Where each command is, and what it does."""


class SparkCommands(click.Group):
    """A group whose members are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(LATER)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in LATER:
            return None
        module, _, name = LATER[cmd_name][0].partition(":")
        return getattr(import_module(module), name)  # type: ignore[no-any-return]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_) for name, (_, help_) in sorted(LATER.items())])


@click.group("spark", cls=SparkCommands)
def spark() -> None:
    """Large datasets: generate them, check them, mark what can go; searches and walks on a cluster."""
