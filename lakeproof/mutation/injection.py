"""Planting a mutant: one module is compiled from a mutated tree, in a process that has not imported it yet."""

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Final

SUBSTRATE: Final = (
    *("codec", "stores", "diagnostics", "parallel", "scheduling"),
    *("closable", "effects", "flows", "frames", "live", "operations", "printable", "wellformed"),
)
"""Modules and folders of `lakeproof.impl` that hold no flow, but what flows and the search are built on. They are not
mutated."""
ENGINE: Final = ("search", "model/linearizability")


def package() -> Path:
    """The folder of `lakeproof` itself, as its modules know it."""
    import lakeproof

    found = lakeproof.__file__
    assert found is not None
    return Path(found).parent


def flow_files() -> dict[str, Path]:
    """By name, such as ``impl/staging.py``: the files of the catalogue's flows."""
    root = package()
    return {
        path.relative_to(root).as_posix(): path
        for path in sorted((root / "impl").rglob("*.py"))
        if path.relative_to(root / "impl").parts[0].removesuffix(".py") not in SUBSTRATE and path.name != "__init__.py"
    }


def engine_files() -> dict[str, Path]:
    """By name, such as ``search/kernel.py``: the files of the search, and of the checker of recorded histories. Without
    the board: the processes that judge mutants have it loaded themselves."""
    root = package()
    # `work.run` has imported the board before anything is planted.
    kept_out = {"__init__.py", "board.py"}
    found = [path for room in ENGINE for path in sorted((root / room).glob("*.py")) if path.name not in kept_out]
    return {path.relative_to(root).as_posix(): path for path in found}


def module_of(name: str) -> str:
    """The module of a file, by the name of the file."""
    return ".".join(("lakeproof", *Path(name).with_suffix("").parts))


class AlreadyLoaded(Exception):
    """The module that was to be mutated is loaded: the mutant would not run."""


class _Planted(importlib.machinery.SourceFileLoader):
    """Executes other code than that of the file, never from bytecode, and writes none."""

    def __init__(self, name: str, path: str, code: CodeType) -> None:
        super().__init__(name, path)
        self.planted = code

    def get_code(self, fullname: str) -> CodeType:
        return self.planted


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, paths: Mapping[str, Path], code: Callable[[str], CodeType]) -> None:
        self.paths = paths
        self.code = code

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname not in self.paths:
            return None
        where = str(self.paths[fullname])
        loader = _Planted(fullname, where, self.code(fullname))
        # With the path of the file: tracebacks, and searches for the lines of a flow, look into it.
        return importlib.util.spec_from_file_location(fullname, where, loader=loader)


def plant(paths: Mapping[str, Path], code: Callable[[str], CodeType]) -> None:
    """Let modules be what this code says, from their first import on. paths: of their files.

    Raises:
        AlreadyLoaded.
    """
    for module in paths:
        if module in sys.modules:
            raise AlreadyLoaded(f"{module} is loaded already: the mutant would not run")
    sys.meta_path.insert(0, _Finder(paths, code))  # before the finder of files
