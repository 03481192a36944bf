"""The pages of the gallery, made from its files and a run of them.

A page has the text of its file, the shortest counterexample as lanes, and the flows. The table has a row for each page.
"""

import ast
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import attrs
from rich.console import Console
from rich.text import Text

from lakeproof import Scenario, check
from lakeproof.search.trace import Trace
from lakeproof.show.lanes import lanes
from lakeproof.show.story import beginning
from lakeproof.verify.loader import load_file

FOLDER: Final = Path(__file__).parents[2] / "examples" / "gallery"
FLOW_LINES_MAX: Final = 30
THREAD: Final = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+#[1-9]\d*")
HEAD: Final = "| bug | violated | steps | repaired | threads |\n| --- | --- | --- | --- | --- |\n"
WIDTH: Final = 110
LAKEFS: Final = "[lakeFS as it is today](../lakefs-today.md) has this flow in full, with what is left of the race."
SEE_ALSO: Final = {
    "delta_commit_twice": "`deltalake` as it is released shows this race at [the gate](../gate.md).",
    "lakefs_create_during_commit": LAKEFS,
    "lakefs_late_delete": LAKEFS,
    "lakefs_metadata_after_delete": LAKEFS,
}
"""Where a page of the project says more about a bug."""


@attrs.frozen(kw_only=True)
class Bug:
    """A file of the gallery, read and not executed, and its scenarios."""

    path: Path
    text: str
    scenarios: tuple[Scenario, ...]

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def paragraphs(self) -> list[str]:
        """Of the docstring: the title without its full stop, what happens, the repair."""
        first, *rest = (ast.get_docstring(self.tree) or "").split("\n\n")
        return [first.removesuffix("."), *rest]

    @property
    def threads(self) -> list[str]:
        said = self.constant("THREADS")
        return said.split(", ") if isinstance(said, str) else []

    def constant(self, name: str) -> object:
        """The literal that a name stands for; None if there is none."""
        for node in self.tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == name:
                return ast.literal_eval(node.value)
        return None

    @property
    def flows(self) -> list[str]:
        """The source of each flow that a client runs, and of the flows that it awaits; without those of the setup."""
        sources = {
            node.name: ast.get_source_segment(self.text, node) or ""
            for node in self.tree.body
            if isinstance(node, ast.AsyncFunctionDef)
        }
        used = {call.name for scenario in self.scenarios for client in scenario.clients for call in client}
        while more := {
            name for name in sources.keys() - used if any(f"await {name}(" in sources[caller] for caller in used)
        }:
            used |= more
        return [source for name, source in sources.items() if name in used]


def read(path: Path) -> Bug:
    """A file of the gallery. Raises LoadError."""
    return Bug(path=path, text=path.read_text(), scenarios=load_file(path))


def bugs() -> list[Bug]:
    return [read(path) for path in sorted(FOLDER.glob("[a-z]*.py"))]


def problems(bug: Bug) -> Iterator[str]:
    """What a file of the gallery lacks, one sentence each."""
    names = [scenario.name for scenario in bug.scenarios]
    if names[:2] != [f"{bug.name}/published", f"{bug.name}/repaired"]:
        yield f"{bug.name}: the first scenarios are {names[:2]}; expected NAME/published and NAME/repaired"
    else:
        published, repaired = bug.scenarios[:2]
        if list(published.expect.values()) != ["violated"]:
            yield f"{bug.name}: published expects {dict(published.expect)}; expected one invariant that is violated"
        if repaired.expect:
            yield f"{bug.name}: repaired expects {dict(repaired.expect)}; expected nothing: all holds"
        if published.invariants != repaired.invariants:
            yield f"{bug.name}: the two scenarios have different invariants; expected the same"
    if not bug.threads or not all(map(THREAD.fullmatch, bug.threads)):
        yield f"{bug.name}: THREADS is {bug.threads}; expected OWNER/REPOSITORY#NUMBER, separated by commas"
    if any(scenario.source != ", ".join(bug.threads) for scenario in bug.scenarios):
        yield f"{bug.name}: a scenario has another source than THREADS"
    if not isinstance(bug.constant("STEPS"), int):
        yield f"{bug.name}: STEPS is {bug.constant('STEPS')!r}; expected the length of the shortest counterexample"
    lines = sum(len([line for line in source.splitlines() if line.strip()]) for source in bug.flows)
    if lines > FLOW_LINES_MAX:
        yield f"{bug.name}: its flows have {lines} lines; expected at most {FLOW_LINES_MAX}"
    if not any(paragraph.startswith("Repair: ") for paragraph in bug.paragraphs):
        yield f"{bug.name}: no paragraph of the docstring begins with 'Repair: '"


def counterexample(bug: Bug) -> Trace:
    """The shortest one of the published flow. Raises NotAsExpected."""
    [trace] = [verdict.trace for verdict in check(bug.scenarios[0]).verdicts if verdict.trace is not None]
    return trace


def linked(threads: list[str]) -> str:
    """Each thread as a link. GitHub leads from the number of an issue to a pull request, if it is one."""
    return ", ".join(f"[{one}](https://github.com/{one.replace('#', '/issues/')})" for one in threads)


def faults(scenario: Scenario) -> str:
    """What may go wrong in a scenario."""
    budget = attrs.asdict(scenario.faults, recurse=False).items()
    return ", ".join(f"`{kind}={count}`" for kind, count in budget if count) or "no fault"


def page(bug: Bug, trace: Trace) -> str:
    """The page of a bug, in Markdown."""
    title, *paragraphs = bug.paragraphs
    body = "\n\n".join(paragraphs).replace("Repair: ", "**Repair:** ", 1)
    console = Console(file=io.StringIO(), width=WIDTH, no_color=True, legacy_windows=False)
    console.print(Text("\n").join(beginning([trace])), soft_wrap=True)
    console.print(lanes(trace))
    assert isinstance(console.file, io.StringIO)
    picture = "\n".join(line.rstrip() for line in console.file.getvalue().strip().splitlines())
    more = [
        f"- `{scenario.name}`: {', '.join(sorted(scenario.expect.values())) or 'proved'}; {faults(scenario)}."
        for scenario in bug.scenarios[2:]
    ]
    others = ["A third scenario:", "\n".join(more)] if more else []
    see_also = [SEE_ALSO[bug.name]] if bug.name in SEE_ALSO else []
    published, repaired = bug.scenarios[:2]
    parts = [
        f"# {title}",
        f"Threads: {linked(bug.threads)}.",
        body,
        *see_also,
        (
            f"- Published: `{trace.invariant}` ({published.meaning(trace.invariant)}) is violated in "
            f"{len(trace.schedule)} steps; {faults(published)}.\n"
            f"- Repaired: proved; {faults(repaired)}."
        ),
        *others,
        "## A shortest counterexample",
        f"```text\n{picture}\n```",
        f"Evidence: {trace.evidence}.",
        "## The flows",
        "```python\n" + "\n\n\n".join(bug.flows) + "\n```",
        (
            f"The [file](../../examples/gallery/{bug.path.name}) has the invariant and the scenarios. It runs with "
            f"`lakeproof verify --from examples/gallery/{bug.path.name}`."
        ),
        "[All bugs](README.md)",
    ]
    return "\n\n".join(parts) + "\n"


def row(bug: Bug, trace: Trace) -> str:
    """The row of a bug in the table of all."""
    cells = (
        f"[{bug.paragraphs[0]}]({bug.name}.md)",
        f"`{trace.invariant}`",
        str(len(trace.schedule)),
        "proved",
        linked(bug.threads),
    )
    return f"| {' | '.join(cells)} |\n"


def made() -> tuple[str, dict[str, str]]:
    """The table, and the pages by name. Cost: a search of each published flow, some seconds."""
    found = [(bug, counterexample(bug)) for bug in bugs()]
    table = HEAD + "".join(row(bug, trace) for bug, trace in found)
    return table, {f"{bug.name}.md": page(bug, trace) for bug, trace in found}
