"""The group of all commands: a line for every error, exit codes, and commands that are loaded when they are called."""

import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from importlib import import_module, metadata
from pathlib import Path
from typing import Final, NoReturn

import click
from click.shell_completion import CompletionItem

from lakeproof.impl.printable import printable
from lakeproof.words import AS_EXPECTED, INTERRUPTED, OUTPUT_CLOSED, UNUSABLE, InternalError, Unusable

LATER: Final[Mapping[str, str]] = {
    "check": "Check whether a recorded history is linearizable, key by key.",
    "conform": "Check each claim of the contract of a key-value store.",
    "diagnose": "Collect the contents of a store, and its errors, in a zip.",
    "explore": "Walk through the states of a scenario in a browser, live.",
    "follows": "Check whether flows could have requested the effects of a log.",
    "gate": "Hold the requests of a real program at its store; run every schedule.",
    "replay": "Execute a trace on the real flows, or on a program at the gate.",
    "scenarios": "List scenarios with their bounds and expected violations.",
    "service": "Run concurrent clients on a lakeFS server, and check its answers.",
    "stress": "Run concurrent clients on a store, and check that the history is linearizable.",
    "show": "Show a trace as lanes, as a page for browsers, or as a picture.",
    "migrate": "Migrate the SQL tables of an older lakeFS to a KV store.",
    "mutants": "Change flows in small ways, and see if scenarios notice.",
    "verify": "Search every schedule of every scenario: proved, violated, or inconclusive.",
    "walk": "Sample executions where a search is too large.",
}
"""What commands of ours do. Each is the ``command`` of the module of its name, which is loaded when it is called."""

PLUG_INS: Final[Mapping[str, str]] = {
    "spark": "Generate and check large datasets, mark garbage, search on a cluster.",
}
"""What plug-ins of ours do."""


EXTRAS: Final[Mapping[str, str]] = {"google": "lakefs", "httptools": "gate", "lark": "gate"}
"""By package that a command of ours needs and the core does not: the extra that has it."""

_arguments: Final[list[str]] = []
"""Of the command that runs: any of them may hold a secret, which no error shows."""


class Commands(click.Group):
    """A group whose errors are one line each, and which plug-ins join through the entry-point group
    ``lakeproof.commands``. A plug-in is loaded when its command is called, and only then."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: object,
    ) -> NoReturn:
        _arguments[:] = sys.argv[1:] if args is None else args
        try:
            # Not standalone: click would exit by itself, with codes that mean something else here.
            code = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
            if sys.stdout is not None:  # it is closed
                sys.stdout.flush()  # what is buffered may fail only now
        except BrokenPipeError:
            _silence_stdout()
            sys.exit(OUTPUT_CLOSED)
        except click.Abort:
            sys.exit(INTERRUPTED)
        # A subclass of UsageError, hence before it.
        except click.exceptions.NoArgsIsHelpError as error:  # an empty variable of a script proves nothing
            click.echo(error.format_message())
            sys.exit(UNUSABLE)
        except click.UsageError as error:
            command = error.ctx.command_path if error.ctx else "lakeproof"
            complain(f"{printable(error.format_message()).rstrip('.')}; `{command} --help` says more", joined=True)
            sys.exit(UNUSABLE)
        except OSError as error:
            # The interpreter flushes stdout at its end, would fail again, and print a traceback.
            _silence_stdout()
            complain(f"{error.filename or 'output'}: {error.strerror or error}; make room, or write elsewhere")
            sys.exit(UNUSABLE)
        sys.exit(code if isinstance(code, int) else AS_EXPECTED)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # click would exit with 1, which is to say: violated
            _silence_stdout()
            return OUTPUT_CLOSED
        except Unusable as error:
            complain(printable(str(error)))
        except (click.ClickException, click.exceptions.Exit, click.Abort, OSError):
            raise
        except Exception as error:  # noqa: BLE001  # with 1 it would pass for a violation
            # Not before: where the search is loaded, a Ctrl-C may be lost in what it does at each garbage collection.
            from lakeproof.model.messages import NoProtobuf
            from lakeproof.verify.tasks import MISTAKE

            if isinstance(error, NoProtobuf):
                complain(str(error))
                return UNUSABLE
            shown = str(error) if isinstance(error, InternalError) else traceback.format_exc()
            click.echo(_hide_secrets(shown), err=True, nl=False)
            complain(MISTAKE)
        return UNUSABLE

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*LATER, *(point.name for point in _plug_ins())})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in LATER:
            try:
                return import_module(f"lakeproof.commands.{cmd_name}").command  # type: ignore[no-any-return]
            except ModuleNotFoundError as error:
                # Any other module that is missing is a mistake of ours.
                if (extra := EXTRAS.get(str(error.name).partition(".")[0])) is None:
                    raise
                raise click.UsageError(
                    f"{cmd_name}: {error.name} is not installed; pip install 'lakeproof[{extra}]'"
                ) from error
        for point in _plug_ins():
            if point.name == cmd_name:
                return _load_command(point)
        return None

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem[str]]":
        """Names of commands, without loading them; the options of the group."""
        helps = {**LATER, **{point.name: PLUG_INS.get(point.name, "") for point in _plug_ins()}}
        found = [CompletionItem(name, help=helps[name]) for name in sorted(helps) if name.startswith(incomplete)]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = sorted(LATER.items())
        rows += [(p.name, PLUG_INS.get(p.name, f"plug-in: {p.value}")) for p in _plug_ins() if p.name not in LATER]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _plug_ins() -> metadata.EntryPoints:
    return metadata.entry_points(group="lakeproof.commands")


def _load_command(point: metadata.EntryPoint) -> click.Command:
    try:
        command = point.load()
    except Exception as error:  # a broken plug-in must not break the rest
        why = " ".join(str(error).split())
        raise click.UsageError(
            f"{point.name}: {point.value} cannot be loaded: {why}; is its extra installed?"
        ) from error
    if not isinstance(command, click.Command):
        raise click.UsageError(f"{point.name}: {point.value} is {command!r}, not a click command; mend the plug-in")
    return command


def complain(message: str, *, joined: bool = False) -> None:
    """One line for people, without the secrets of the command's arguments. joined: see `without_secrets`."""
    click.echo(f"lakeproof: {_hide_secrets(message, joined=joined)}", err=True)


def _hide_secrets(message: str, *, joined: bool = False) -> str:
    from lakeproof.stores.redaction import without_secrets

    return without_secrets(message, _arguments, joined=joined)


def _silence_stdout() -> None:
    """Keep the interpreter from trying once more to write what cannot be written."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  # it is never closed
