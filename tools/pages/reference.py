"""Tables of the reference, made from the code that they describe: invariants, promises, verdicts, commands."""

from collections import Counter, defaultdict
from collections.abc import Iterator

import click

from lakeproof.cli import main
from lakeproof.model.promises import PROMISES, row
from lakeproof.scenario import NO_UNHANDLED_EXCEPTION, NO_UNHANDLED_EXCEPTION_MEANING
from lakeproof.show.table import variant
from tools.catalogues import everything

AREAS_MAX = 4
"""So many areas of the catalogue that ask an invariant are named."""


def invariants() -> str:
    """Every invariant of the catalogue, with its kind, its meaning, and where it is asked."""
    kinds = {NO_UNHANDLED_EXCEPTION: "built in"}
    meanings = {NO_UNHANDLED_EXCEPTION: {NO_UNHANDLED_EXCEPTION_MEANING}}
    areas: dict[str, dict[str, None]] = {NO_UNHANDLED_EXCEPTION: {"every scenario": None}}
    for scenario in everything():
        for each in (*scenario.invariants, *scenario.aftermath):
            kinds[each.id] = type(each).__name__
            meanings.setdefault(each.id, set()).add(each.meaning)
            areas.setdefault(each.id, {}).setdefault(scenario.name.partition("/")[0])
    lines = ["| id | kind | meaning | asked in |", "| --- | --- | --- | --- |"]
    for name, kind in sorted(kinds.items()):
        meaning = _one(meanings[name])
        shown = ", ".join([*areas[name]][:AREAS_MAX]) + (", ..." if len(areas[name]) > AREAS_MAX else "")
        lines.append(f"| `{name}` | {kind} | {meaning} | {shown} |")
    return "\n".join(lines)


def _one(meanings: set[str]) -> str:
    """What an id means. Where families say it in words of their own, all of them. `linearizable` names its kind."""
    bare = {meaning.rpartition(" (")[0] or meaning for meaning in meanings}
    return min(bare) if len(meanings) > 1 and len(bare) == 1 else "; or: ".join(sorted(meanings))


def promises() -> str:
    """What each answer of each operation promises."""
    head = ["| operation | an acknowledgement means | a definite error means | an indefinite one leaves |"]
    return "\n".join([*head, "| --- | --- | --- | --- |", *map(row, PROMISES)])


def verdicts(*designs: str) -> str:
    """The verdicts that every run must find, without the deep scenarios: a table for each family of variants."""
    families: dict[str, dict[str, dict[str, Counter[str]]]] = {}
    for scenario in everything():
        design, _, name = variant(scenario.name).partition("/")
        if design not in designs or scenario.deep:
            continue
        family = families.setdefault(f"{design}/{name.partition('-')[0]}", {})
        for invariant in scenario.named_ids:
            if invariant != NO_UNHANDLED_EXCEPTION or scenario.expected(invariant) != "holds":
                cells = family.setdefault(name, defaultdict(Counter))
                cells[invariant][scenario.expected(invariant)] += 1
    return "\n\n".join(f"### {family}\n\n{_table(rows)}" for family, rows in families.items())


def _table(rows: dict[str, dict[str, Counter[str]]]) -> str:
    """A row a variant, a column an invariant."""
    invariants = dict.fromkeys(invariant for cells in rows.values() for invariant in cells)
    head = ["| | " + " | ".join(f"`{each}`" for each in invariants) + " |", "| --- " * (len(invariants) + 1) + "|"]
    body = (
        f"| `{name}` | " + " | ".join(_cell(cells.get(each)) for each in invariants) + " |"
        for name, cells in rows.items()
    )
    return "\n".join([*head, *body])


def _cell(counts: Counter[str] | None) -> str:
    """The verdicts on one invariant of one variant: a violation anywhere counts."""
    if not counts:
        return "-"
    if counts["violated"]:
        return f"**violated** in {counts['violated']} of {counts.total()}"
    return f"{'?' if counts['inconclusive'] else 'holds'} ({counts.total()})"


def commands() -> str:
    """Every command with its options, as `--help` has them."""
    return "\n\n".join(_command("lakeproof", main, click.Context(main, info_name="lakeproof")))


def _command(name: str, command: click.Command, context: click.Context) -> Iterator[str]:
    if isinstance(command, click.Group):
        for each in command.list_commands(context):
            found = command.get_command(context, each)
            assert found is not None
            yield from _command(f"{name} {each}", found, click.Context(found, context, each))
        return
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"### {name.removeprefix('lakeproof ')}"
    yield f"```text\n{name} {usage}\n```"
    yield "\n\n".join(" ".join(part.split()) for part in (command.help or "").split("\n\n"))
    options = [record for option in command.params if (record := option.get_help_record(context)) is not None]
    if options:
        rows = (f"| `{words}` | {_prose(meaning)} |" for words, meaning in options if meaning)
        yield "\n".join(["| option | meaning |", "| --- | --- |", *rows])


def _prose(text: str) -> str:
    """Text in a cell. A bar would end it, and brackets would be a link."""
    return " ".join(text.split()).replace("|", "\\|").replace("[", "\\[")
