"""Faults in the first floor: which values are one, what an invariant sees, what the stores mean."""

from typing import Final

from tests.mutants.planted import Mutant

_IDENTITY: Final = "model/identity.py"
_IDENTITY_TESTS: Final = "tests/model/test_identity.py"
_SNAPSHOT: Final = "model/snapshot.py"
_SNAPSHOT_TESTS: Final = "tests/model/test_snapshot.py"
_KV: Final = "model/kv.py"
_KV_TESTS: Final = "tests/model/test_kv.py"
_OBJECTS: Final = "model/objects.py"
_OBJECTS_TESTS: Final = "tests/model/test_objects.py"

MUTANTS: Final = (
    Mutant(
        "True is 1",
        _IDENTITY,
        "    bool: lambda value, _: cast(\"bool\", value),\n",
        "",
        _IDENTITY_TESTS,
    ),
)
