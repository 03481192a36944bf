"""The gallery, run: `python examples/gallery` prints one line for each bug. With names of bugs, only these.

A line says in how many steps the published flow is refuted, and in how many states the repaired one is proved. The exit
code is 0 if each verdict and each number of steps is as its file says, 1 if one is not, and 2 for a name that no file
has. Sequential, in one process: a few seconds.
"""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from lakeproof import NotAsExpected, check

FOLDER = Path(__file__).parent


def load(path: Path) -> ModuleType:
    """A file of the gallery, executed."""
    spec = importlib.util.spec_from_file_location(f"gallery_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def line(path: Path) -> tuple[bool, str]:
    """Whether all is as the file says, and the line to print."""
    bug = load(path)
    published, repaired = bug.SCENARIOS[:2]
    try:
        [trace] = [verdict.trace for verdict in check(published).verdicts if verdict.trace is not None]
        states = check(repaired).states
        for more in bug.SCENARIOS[2:]:
            check(more)
    except NotAsExpected as error:
        return False, f"{path.stem}: NOT AS EXPECTED: {error}"
    steps = len(trace.schedule)
    text = f"{path.stem:31} {trace.invariant} refuted in {steps} steps; repaired: proved, {states:,} states"
    if steps != bug.STEPS:
        return False, f"{text}; NOT AS EXPECTED: STEPS is {bug.STEPS}"
    return True, text


def main(names: list[str]) -> int:
    """Print the lines of the bugs of these names, or of all; the exit code."""
    paths = {path.stem: path for path in sorted(FOLDER.glob("[a-z]*.py"))}
    for name in names:
        if name not in paths:
            sys.stderr.write(f"gallery: no bug is called {name!r}; the names are: {', '.join(paths)}\n")
            return 2
    right = True
    for name in names or paths:
        as_said, text = line(paths[name])
        right = right and as_said
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    count = len(names or paths)
    bugs = "1 bug" if count == 1 else f"{count} bugs"
    sys.stdout.write(f"{bugs}: {'all as expected' if right else 'NOT AS EXPECTED'}\n")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
