"""Finding scenarios: the catalogue, a user's own file, and the patterns that choose among them."""

import contextlib
import difflib
import hashlib
import importlib.util
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from types import CodeType, ModuleType
from typing import Final, cast

import attrs

from lakeproof.scenario import Scenario, ScenarioError
from lakeproof.search.fence import INTERRUPTS, LOAD_SECONDS_MAX, WATCH, Hangs, is_ours, kind_of, message_of
from lakeproof.verify.machine import rare_collections
from lakeproof.verify.problems import NAME_LENGTH_MAX, kind, problems
from lakeproof.verify.witness import INSTALLED, PACKAGE, STANDARD, WITNESS
from lakeproof.words import Unusable

SUGGESTIONS_MAX: Final = 3


class LoadError(Unusable):
    """Scenarios that cannot be used; one line that names the file, the place in it and the repair."""


@attrs.frozen
class Source:
    """Where scenarios come from: the catalogue, or a user's file. Can be sent to another process."""

    file: Path | None = None

    @property
    def name(self) -> str | None:
        """The name of the file, as traces have it; None for the catalogue."""
        return None if self.file is None else self.file.name

    def load(self, patterns: Sequence[str] = ()) -> tuple[Scenario, ...]:
        """All scenarios, in order; of the catalogue at least those that one of the patterns names.

        Raises:
            LoadError.
        """
        # From here on code of a user may run: what it reads decides verdicts, so it is noted.
        WITNESS.noting = True
        if WITNESS.installed:
            del sys.argv[1:], sys.orig_argv[1:]  # they are no part of a key
        if self.file is None:
            # Here, since it executes the designs: the witness must have begun.
            from lakeproof.designs import catalogue

            try:
                with rare_collections():
                    return catalogue(patterns)
            except ScenarioError as error:
                raise LoadError(str(error)) from error
        return load_file(self.file)


def load_file(path: Path, code: CodeType | None = None) -> tuple[Scenario, ...]:
    """The ``SCENARIOS`` of a Python file. The file is executed; what it prints goes to stderr.

    code: what to execute instead of what the file holds: a mutant of it.

    Raises:
        LoadError: it cannot be read or executed, or what it offers is no list of scenarios.
    """
    with executed_file(path, code) as module:
        return _scenarios_in(module, path)


def _scenarios_in(module: ModuleType, path: Path) -> tuple[Scenario, ...]:
    if not hasattr(module, "SCENARIOS"):
        raise LoadError(f"{path}: defines no SCENARIOS; add SCENARIOS = [Scenario(...)] at the top level")
    offered: object = module.SCENARIOS
    if not isinstance(offered, list | tuple):
        raise LoadError(f"{path}: SCENARIOS is {kind(offered)}; make it a list of Scenario")
    found = tuple(cast("Sequence[object]", offered))
    if not found:
        raise LoadError(f"{path}: SCENARIOS is empty; put a Scenario into it")
    names: dict[str, int] = {}
    scenarios = []
    for number, scenario in enumerate(found):
        place = f"{path}: SCENARIOS[{number}]"
        if not isinstance(scenario, Scenario):
            raise LoadError(f"{place} is {kind(scenario)}; make it a Scenario")
        for problem in problems(scenario):
            raise LoadError(f"{place}.{problem}")
        if scenario.name in names:
            raise LoadError(
                f"{place}.name: {scenario.name!r} is also that of SCENARIOS[{names[scenario.name]}]; rename one"
            )
        names[scenario.name] = number
        scenarios.append(scenario)
    return tuple(scenarios)


def _execute_file(path: Path, code: CodeType | None) -> ModuleType:
    # Not the stem alone: a user's file may be called like a module that is loaded already.
    name = f"_scenarios_{path.stem}_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:8]}"
    try:
        source = path.read_bytes()
    except OSError as error:
        raise LoadError(f"{path}: cannot be read: {error.strerror}; name a Python file with SCENARIOS") from error
    try:
        # From bytes, so that a coding declaration of the file counts.
        code = compile(source, str(path), "exec") if code is None else code
    except SyntaxError as error:
        at = f"{path}:{error.lineno}:{error.offset}" if error.lineno else str(path)
        raise LoadError(f"{at}: not Python: {error.msg}; correct the syntax") from error
    except ValueError as error:  # a null byte
        raise LoadError(f"{path}: not Python: {error}; name a Python file with SCENARIOS") from error
    # Without a loader: the file is compiled here, so that ``code`` can take its place.
    spec = importlib.util.spec_from_loader(name, loader=None, origin=str(path))
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    module.__file__ = str(path)
    sys.modules[name] = module  # where pickle, dataclasses and tracebacks look for it
    import_beside(path)
    exec(code, module.__dict__)  # noqa: S102  # the user's own file, named by the user
    return module


@contextlib.contextmanager
def executed_file(path: Path, code: CodeType | None = None) -> Iterator[ModuleType]:
    """A file of a user, executed. Within, too, only its code may raise: what its values say of themselves
    (``__repr__``, ``__eq__``). code: what to execute instead of what the file holds.

    Raises:
        LoadError: it cannot be read, it raised, or does not end.
    """
    try:
        with (
            # Results go to stdout, as JSON lines perhaps; a print of the file would be among them.
            contextlib.redirect_stdout(sys.stderr),
            INTERRUPTS.noticed(),
            WATCH.set_up(LOAD_SECONDS_MAX),
            WATCH.over(),
        ):
            yield _execute_file(path, code)
    except LoadError:
        raise
    except Hangs as error:
        where = place_in_file(error, path) or path
        raise LoadError(f"{where}: still executing after {LOAD_SECONDS_MAX:g} s; end its loop") from error
    except BaseException as error:
        # The file itself may use up the memory; at this point nothing else runs, so it is to blame.
        if is_ours(error) and not isinstance(error, MemoryError):
            raise
        shown = message_of(error) or "no message"
        raise LoadError(f"{place_in_file(error, path) or path}: {kind_of(error)}: {shown}") from error


def place_in_file(error: BaseException, path: Path) -> str | None:
    """``FILE:LINE`` of the innermost place of a traceback that lies in the user's file; None if there is none."""
    # The innermost one: further in, the traceback is in libraries that the file calls, or in lakeproof.
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return f"{path}:{frames[-1].lineno}" if frames else None


def import_beside(path: Path) -> None:
    """Let a user's file import what lies beside it; last, so that it hides nothing that lakeproof itself imports.

    A file in a package (a folder with ``__init__.py``) imports by the name of its package, as in pytest.
    """
    folder = path.resolve().parent
    while (folder / "__init__.py").exists():
        folder = folder.parent
    if str(folder) not in sys.path:
        # It stays there: flows may import within a function, while the search runs.
        sys.path.append(str(folder))


def choose(scenarios: Sequence[Scenario], patterns: Iterable[str], *, deep: bool = True) -> tuple[Scenario, ...]:
    """The scenarios that `matching` finds, in their own order. Without ``deep`` those that are marked so are left out,
    unless a pattern is their whole name.

    Raises:
        LoadError: a pattern that names none; nothing is left.
    """
    wanted = tuple(patterns)
    chosen = matching([scenario.name for scenario in scenarios], wanted)
    found = [scenario for scenario in scenarios if scenario.name in chosen]
    left = tuple(scenario for scenario in found if deep or not scenario.deep or scenario.name in wanted)
    if not left:
        what = " ".join(wanted) or "the file"
        raise LoadError(f"{what}: all {len(found)} scenarios are deep; say --deep to run them")
    return left


def matching(names: Sequence[str], patterns: Sequence[str]) -> frozenset[str]:
    """The names that any of the patterns names; all of them without a pattern. A pattern is a name, or else a glob over
    the whole name, or a part of it.

    Raises:
        LoadError: a pattern that names none.
    """
    chosen: set[str] = set() if patterns else set(names)
    for pattern in patterns:
        # Not fnmatch, which folds case on some systems: a pattern means the same everywhere.
        matched = {name for name in names if fnmatchcase(name, pattern) or pattern in name}
        # A whole name names one scenario, also where it is a part of others: "a/b" does not mean "a/b-c".
        if pattern in names:
            matched = {pattern}
        if not matched:
            raise LoadError(f"no scenario matches {pattern!r}; {_suggestion(pattern, names)}")
        chosen |= matched
    return frozenset(chosen)


def users_files() -> set[Path]:
    """The files of loaded modules that are neither Python's, nor installed, nor lakeproof's."""
    # Not that of `__main__`: it is another one for each way to start the same command.
    modules = (module for name, module in sys.modules.items() if name != "__main__")
    names = (name for module in modules if (name := getattr(module, "__file__", None)))
    others = (Path(name) for name in names if not name.startswith((PACKAGE, STANDARD, *INSTALLED)))
    return {path for path in others if path.is_file()}


def scenario_named(scenarios: Sequence[Scenario], name: str, place: str) -> Scenario:
    """The scenario of a name. ``place`` is what asks for it.

    Raises:
        LoadError: there is none.
    """
    by_name: Mapping[str, Scenario] = {scenario.name: scenario for scenario in scenarios}
    if name not in by_name:
        shown = name if len(name) <= NAME_LENGTH_MAX else f"{name[:NAME_LENGTH_MAX]}..."
        raise LoadError(f"{place}: no scenario is called {shown!r}; {_suggestion(name, list(by_name))}")
    return by_name[name]


def _suggestion(pattern: str, names: Sequence[str]) -> str:
    # First a name that is nearly this one; else the beginnings of names, as a design and variant may be meant.
    close = difflib.get_close_matches(pattern, names, SUGGESTIONS_MAX, cutoff=0.75)
    if not close:
        parts = sorted({"/".join(name.split("/")[:2]) for name in names})
        close = difflib.get_close_matches(pattern, parts, SUGGESTIONS_MAX)
    if close:
        return f"did you mean {' or '.join(close)}?"
    return "`lakeproof scenarios [--from FILE]` lists them all"
