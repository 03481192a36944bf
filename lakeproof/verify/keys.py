"""The key of a verdict: a digest of all that it comes from. What cannot be digested has no key, and is searched.

A verdict is a function of the scenario, the limits, the engine, and the code that the scenario calls. So a key holds:

- the whole value of the scenario, down to code, defaults and closures of its functions (`_Pickler`);
- the code of modules, as the witness saw it executed. Of a user's process: each module. Of the catalogue's: the modules
  of flows and invariants that the functions and classes of the scenario come from, and what these import, so that a
  change of one design leaves the verdicts of the others;
- where modules were found that were not executed, and the status of files of installed packages that were read;
- the files of the engine (of a user's process all of lakeproof's, since his flows may call any of it), and of modules
  that were loaded before the witness began; Python, and what was installed beside, as the installer has recorded it,
  file by file;
- the limits. Memory is none of them: it decides whether there is a verdict, never which.

Why that is enough: a scenario's module reads nothing but modules (else the witness has seen something strange, and
there is no key), so its functions and their globals are made by code that is in the key. What the value does not refer
to cannot matter, unless a module changes another one. A user's may: hence all of his are in the key. The catalogue's do
not: `tests/test_keys.py`.
"""

import os
import pickle
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from hashlib import sha256
from io import BytesIO
from locale import LC_ALL, setlocale
from marshal import dumps
from pathlib import Path
from types import CodeType, FunctionType, MappingProxyType, ModuleType
from typing import Final

from lakeproof.scenario import Scenario
from lakeproof.search.fence import Undecided, in_one_line
from lakeproof.verify.witness import ANOTHER_PROGRAM, ENGINE, INSTALLED, PACKAGE, STANDARD, WITNESS, is_engine, status
from lakeproof.version import version

FOREIGN: Final = "lakeproof.languages"

_MARSHAL: Final = 2
"""The version of marshal that writes equal code as equal bytes: later ones write what is shared in memory once."""


class NoKey(Exception):
    """No key can be made, so no verdict is kept. The message says why, and names the place."""


def key(scenario: Scenario, limits: Iterable[object]) -> str:
    """The key of what a search of a scenario finds within limits.

    Raises:
        NoKey.
    Cost: a millisecond; for the first of a process, the reading of the engine's files.
    """
    if not WITNESS.installed:
        raise NoKey("this process was not witnessed from its beginning")
    # First: from here on, what is imported counts as strange, so the key is made of all that was loaded.
    _check_witness()
    value, roots = _digest_scenario(scenario)
    parts = [_surroundings(), repr(tuple(limits)), value, *sorted(WITNESS.known), *_users_code(), *_closure(roots)]
    return sha256("\n".join(parts).encode()).hexdigest()


def check_still() -> None:
    """Check, after a search, that nothing has happened since the key was made that it does not know of.

    Raises:
        NoKey.
    """
    _check_witness()
    # A search may take hours, and modules are loaded when they are first used: an edit would be half in effect.
    if any(status(file) != first for file, first in _engine_at_first()):
        raise NoKey("files of lakeproof have changed meanwhile")


def _check_witness() -> None:
    WITNESS.running = True
    if WITNESS.strange:
        raise NoKey(WITNESS.strange)


class _Pickler(pickle.Pickler):
    """Writes a value with the code of its functions: what pickle refuses, such as a lock or a generator, has no key."""

    def __init__(self, file: BytesIO, roots: set[str]) -> None:
        super().__init__(file, protocol=5)
        self.fast = True  # what is shared in memory is written again: equal values have equal bytes
        self._roots = roots

    def persistent_id(self, value: object) -> object:
        """What is written in place of a value; None: what pickle writes."""
        if isinstance(value, FunctionType):
            return self._function(value)
        # By name, as pickle does it; the code of its methods is in the module, which becomes a root.
        if isinstance(value, type):
            self._check_place(value)
            return ("class", value.__module__, value.__qualname__)
        if isinstance(value, ModuleType):
            self._roots.add(value.__name__)
            return ("module", value.__name__)
        # pickle refuses it, as it does functions and modules: what stands for it is pickled in its place.
        if isinstance(value, MappingProxyType):
            return ("mapping", dict(value))
        if isinstance(value, set | frozenset):
            # A set has no order of its own: strings hash differently in each process.
            return (type(value), sorted(_pickle_value(each, self._roots) for each in value))
        # The class of a value decides what it does, so its module's code counts.
        self._roots.add(type(value).__module__)
        return ("cached", value.__wrapped__) if isinstance(value, _CACHED) else None

    def _function(self, value: FunctionType) -> object:
        home = str(value.__globals__.get("__name__"))  # not what it says itself: wraps() changes that
        # A function that exec made elsewhere has globals that no witnessed module has filled.
        if home not in sys.modules or value.__globals__ is not vars(sys.modules[home]):
            raise NoKey(f"{value.__qualname__}: a function without a module")
        self._roots.add(home)
        cells = tuple(cell.cell_contents for cell in value.__closure__ or ())
        # Not by name: two functions that one factory has made share it.
        known = (home, value.__qualname__, _bytes_of(value.__code__), value.__defaults__, value.__kwdefaults__)
        # The attributes of a function as well: a decorator leaves there what it wraps.
        return ("function", *known, cells, vars(value))

    def _check_place(self, value: type) -> None:
        """A class is known by its name: one that was made within a function has none."""
        found: object = sys.modules.get(value.__module__)
        for name in value.__qualname__.split("."):
            found = getattr(found, name, None)
        if found is not value:
            raise NoKey(f"{value.__module__}.{value.__qualname__}: a class that was made within a function")
        self._roots.add(value.__module__)


_CACHED: Final = type(lru_cache(abs))


def _pickle_value(value: object, roots: set[str]) -> bytes:
    file = BytesIO()
    _Pickler(file, roots).dump(value)
    return file.getvalue()


def _digest_scenario(scenario: Scenario) -> tuple[str, frozenset[str]]:
    """A digest of the value, and the modules that its functions and classes come from."""
    roots: set[str] = set()
    try:
        written = _pickle_value(scenario, roots)
    except NoKey as error:
        raise NoKey(f"{scenario.name}: {error}") from error
    except (KeyboardInterrupt, Undecided):
        raise
    except BaseException as error:  # a value refuses in whatever way it likes, SystemExit included
        raise NoKey(f"{scenario.name}: a value of it cannot be written: {in_one_line(error)}") from error
    if any(root.startswith(FOREIGN) for root in roots):
        raise NoKey(f"{scenario.name}: {ANOTHER_PROGRAM}")
    return sha256(written).hexdigest(), frozenset(roots)


def _users_code() -> Iterator[str]:
    for file in sorted(WITNESS.executed):
        if not file.startswith(PACKAGE):
            yield _code(file)


def _closure(roots: Iterable[str]) -> Iterator[str]:
    """The code of lakeproof's flows and invariants that these modules reach by imports."""
    files = _files()
    waiting, met = [*roots], set[str]()
    while waiting:
        name = waiting.pop()
        file = files.get(name)
        if file is not None and name not in met:
            met.add(name)
            # The package as well: its ``__init__`` is executed before the module, and may rebind names in it.
            waiting += (*_modules_imported(file), name.rpartition(".")[0])
    yield from (_code(files[name]) for name in sorted(met))


def _files() -> Mapping[str, str]:
    """By name, the file of each module of lakeproof's flows and invariants that is loaded."""
    loaded = ((name, getattr(module, "__file__", None)) for name, module in sys.modules.items())
    return {name: file for name, file in loaded if file and file.startswith(PACKAGE) and not is_engine(file)}


def _bytes_of(code: CodeType) -> bytes:
    """Of equal code the same ones."""
    try:
        return dumps(code, _MARSHAL)
    except ValueError:  # from Python 3.14 on, a slice may be a constant, which that version of marshal does not write
        return dumps(_without_slices(code), _MARSHAL)


def _without_slices(code: CodeType) -> CodeType:
    return code.replace(co_consts=tuple(map(_plain, code.co_consts)))


def _plain(constant: object) -> object:
    match constant:
        case CodeType():
            return _without_slices(constant)
        case tuple():
            return tuple(map(_plain, constant))
        case slice():
            return ("slice", constant.start, constant.stop, constant.step)
    return constant


@cache
def _code(file: str) -> str:
    """A digest of what was executed of a file."""
    digest = sha256(file.encode())
    # Several, where a module was reloaded or one file was executed under two names.
    for code in WITNESS.executed.get(file, ()):
        digest.update(_bytes_of(code))
    if file not in WITNESS.executed:
        raise NoKey(f"{file} was loaded before it could be witnessed")
    return digest.hexdigest()


@cache
def _modules_imported(file: str) -> frozenset[str]:
    """The loaded modules that code of a file may import: each of its names, and each pair of them, that is one."""
    found: set[str] = set()
    waiting = list(WITNESS.executed.get(file, ()))
    while waiting:
        code = waiting.pop()
        # Each name, not only those of imports: a module too many costs a search, one too few a wrong verdict.
        found.update(code.co_names)
        waiting += (each for each in code.co_consts if isinstance(each, CodeType))
    modules = {name for name in found if name in sys.modules}
    # ``from lakeproof.impl import effects`` has the names "lakeproof.impl" and "effects".
    pairs = (f"{package}.{name}" for package in modules if "." in package for name in found)
    return frozenset(modules) | {pair for pair in pairs if pair in sys.modules}


@cache
def installation() -> str:
    """Python, and what is installed."""
    # What changes the behaviour of code that is the same: -O, -W, -X, the time zone, the encoding of texts.
    python = (sys.version, sys.flags, sys.warnoptions, sys._xoptions, time.tzname, time.timezone, setlocale(LC_ALL))  # noqa: SLF001
    digest = sha256(repr((version(), python, os.uname().machine)).encode())
    for info in sorted(info for folder in INSTALLED for info in Path(folder).glob("*-info")):
        digest.update(info.name.encode())  # Debian's packages have no RECORD: the name has the version
        # RECORD lists the files of a distribution with their SHA-256. The files of an editable install lie elsewhere,
        # and are witnessed.
        if (record := info / "RECORD").is_file():
            digest.update(record.read_bytes())
    return digest.hexdigest()


@cache
def _surroundings() -> str:
    """Python, what is installed, and the engine."""
    digest = sha256(installation().encode())
    for file, first in _engine_at_first():
        # Which version of it was loaded is not known.
        if first[0] >= WITNESS.began_ns:
            raise NoKey(f"{file} has changed since the command began")
        try:
            digest.update(Path(file).read_bytes())
        except OSError as error:  # a module may name a folder as its file
            raise NoKey(f"{file} cannot be read") from error
    return digest.hexdigest()


@cache
def _engine_at_first() -> tuple[tuple[str, tuple[int, ...]], ...]:
    # The files and not the code: modules of the engine were loaded before the witness began.
    engine = {str(path) for folder in ENGINE for path in Path(PACKAGE, folder).glob("*.py")}
    # A user's file may reach any module: `import_module` and chains of attributes leave no name of it in its code.
    if any(not file.startswith(PACKAGE) for file in WITNESS.executed):
        links = ("", "model", "impl", "spark_checks")  # which rglob does not follow
        engine |= {str(path) for link in links for path in Path(PACKAGE, link).rglob("*.py")}
    # So was what a sitecustomize of the user imports. A module may name a file that there is not.
    loaded = (getattr(module, "__file__", None) for module in sys.modules.values())
    others = {str(file) for file in loaded if file} - WITNESS.executed.keys()
    theirs = {file for file in others if not file.startswith((PACKAGE, STANDARD, *INSTALLED)) and status(file)}
    return tuple((file, status(file)) for file in sorted(engine | theirs))
