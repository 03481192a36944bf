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

_TOLD_APART: Final = f"{_IDENTITY_TESTS}::test_what_differs_in_type_or_bits_is_told_apart"
_AGAIN: Final = f"{_IDENTITY_TESTS}::test_a_value_that_is_built_again_is_the_same"

MUTANTS: Final = (
    Mutant(
        "True is 1",
        _IDENTITY,
        "    if kind in _PLAIN:\n        return value\n",
        "    if kind in _PLAIN or kind is bool:\n        return cast(Hashable, value)\n",
        f"{_TOLD_APART}[1-True]",
    ),
    Mutant(
        "floats are compared by ==",
        _IDENTITY,
        '    bool: lambda value, _: cast("bool", value),\n'
        '    float: lambda value, _: struct.pack(">d", cast("float", value)),',
        '    bool: lambda value, _: cast("bool", value),\n    float: lambda value, _: cast("float", value),',
        f"{_TOLD_APART}[0.0--0.0]",
    ),
    Mutant(
        "a tuple is a list",
        _IDENTITY,
        "        return (kind, known(value, depth + 1))",
        "        return (tuple if kind is list else kind, known(value, depth + 1))",
        f"{_TOLD_APART}[()-[]]",
    ),
    Mutant(
        "what is nested is compared by ==",
        _IDENTITY,
        'return tuple([identity(part, depth) for part in cast("tuple[object, ...]", value)])',
        'return tuple(cast("tuple[Hashable, ...]", value))',
        f"{_TOLD_APART}[(1,)-(True,)]",
    ),
    Mutant(
        "members of a set are compared by ==",
        _IDENTITY,
        'return frozenset([identity(part, depth) for part in cast("frozenset[object]", value)])',
        'return frozenset(cast("frozenset[Hashable]", value))',
        f"{_TOLD_APART}[frozenset({{1}})-frozenset({{True}})]",
    ),
    Mutant(
        "values of a class are equal if the class says so",
        _IDENTITY,
        "    if isinstance(value, Enum):\n        return (kind, value.name)\n",
        "    if isinstance(value, Enum):\n        return (kind, value.name)\n"
        "    if kind.__eq__ is not object.__eq__ and kind.__hash__:\n        return cast(Hashable, value)\n",
        _TOLD_APART,
    ),
    Mutant(
        "the class of a value plays no part",
        _IDENTITY,
        "    return (kind, *(identity(part, depth + 1) for part in _parts(value, kind)))",
        "    return tuple(identity(part, depth + 1) for part in _parts(value, kind))",
        _TOLD_APART,
    ),
    Mutant(
        "slots play no part",
        _IDENTITY,
        "return (kind, *[identity(_held(get, value), depth + 1) for get in getters])",
        "return (kind, len(getters))",
        _TOLD_APART,
    ),
    Mutant(
        "what a class derived from a built-in one holds plays no part",
        _IDENTITY,
        "        yield (base, _BUILT_IN_CONTENT[base](value))",
        "        yield base",
        _TOLD_APART,
    ),
    Mutant(
        "attributes are asked of the class",
        _IDENTITY,
        "        return descriptor.__get__",
        "        return lambda value: getattr(value, descriptor.__name__)",
        _TOLD_APART,
    ),
    Mutant(
        "what a value keeps for speed is a part of it",
        _IDENTITY,
        "    return name in _CACHES or isinstance(getattr(kind, name, None), cached_property)",
        "    return name in _CACHES",
        f"{_IDENTITY_TESTS}::TestCaches::test_a_property_that_is_kept",
    ),
    Mutant(
        "slots that a path fills when it is used are a part of it",
        _IDENTITY,
        '    standard = modules <= sys.stdlib_module_names - {"builtins"}',
        "    standard = not modules",
        f"{_IDENTITY_TESTS}::TestCaches::test_slots_that_a_path_fills_when_it_is_used",
    ),
    Mutant(
        "objects that show nothing are one",
        _IDENTITY,
        "        return isinstance(other, _Same) and self.value is other.value",
        "        return isinstance(other, _Same) and self.value == other.value",
        f"{_IDENTITY_TESTS}::TestReferences",
    ),
    Mutant(
        "exact values are compared by ==",
        _IDENTITY,
        "        return isinstance(other, Exact) and self._key == other._key",
        "        return isinstance(other, Exact) and self.value == other.value",
        f"{_IDENTITY_TESTS}::TestExact",
    ),
    Mutant(
        "a value may be nested without end",
        _IDENTITY,
        "    if depth > DEPTH_MAX:",
        "    if depth > DEPTH_MAX * 1000:",
        f"{_IDENTITY_TESTS}::TestDepth",
    ),
    Mutant(
        "what was not declared can be read",
        _SNAPSHOT,
        "        return self if reads == self._reads else attrs.evolve(self, reads=reads, repair=repair)",
        "        return self",
        f"{_SNAPSHOT_TESTS}::TestReads::test_what_was_not_declared_cannot_be_read",
    ),
    Mutant(
        "clients can be read wherever the store can",
        _SNAPSHOT,
        "        if Reads.CLIENTS not in self._reads:",
        "        if Reads.CLIENTS not in self._reads and Reads.STORE not in self._reads:",
        f"{_SNAPSHOT_TESTS}::TestReads::test_what_was_not_declared_cannot_be_read",
    ),
    Mutant(
        "an invariant can change what the next one sees",
        _SNAPSHOT,
        "object.__setattr__(self, name, MappingProxyType(held))",
        "object.__setattr__(self, name, held)",
        f"{_SNAPSHOT_TESTS}::TestImmutability",
    ),
    Mutant(
        "calls without names are none",
        _SNAPSHOT,
        "if not names or call.name in names)",
        "if call.name in names)",
        f"{_SNAPSHOT_TESTS}::TestCalls::test_without_names_there_are_all",
    ),
    Mutant(
        "a call whose client crashed is done",
        _SNAPSHOT,
        "return self.status in (Status.OK, Status.FAIL, Status.INFO)",
        "return self.status is not Status.PENDING",
        f"{_SNAPSHOT_TESTS}::TestCalls::test_a_call_is_done_when_it_has_answered",
    ),
    Mutant(
        "any predicate is met where nothing is",
        _KV,
        "    return found == predicate\n",
        "    return found in (None, predicate)\n",
        f"{_KV_TESTS}::TestSetIf",
    ),
    Mutant(
        "EXISTS is not met by an empty value",
        _KV,
        "        return found is not None\n",
        "        return bool(found)\n",
        f"{_KV_TESTS}::TestSetIf",
    ),
    Mutant(
        "a conditional delete has no condition",
        _KV,
        "            if store.get((partition, key)) == predicate:",
        "            if predicate is not None:",
        f"{_KV_TESTS}::TestDeleteIf",
    ),
    Mutant(
        "a batch leaves out the key that it starts at",
        _KV,
        "if part == partition and key >= start)",
        "if part == partition and key > start)",
        f"{_KV_TESTS}::TestScan",
    ),
    Mutant(
        "the last batch says that there is more",
        _KV,
        "more=len(cut) < len(keys))",
        "more=bool(batch_size) and len(cut) <= len(keys))",
        f"{_KV_TESTS}::TestScan",
    ),
    Mutant(
        "an answer that never came is definite",
        _KV,
        "    definite = False\n",
        "    definite = True\n",
        f"{_KV_TESTS}::test_only_an_answer_that_never_came_leaves_open_what_happened",
    ),
    Mutant(
        "metadata are written without a count",
        _OBJECTS,
        "metageneration=found.metageneration + 1)",
        "metageneration=found.metageneration)",
        f"{_OBJECTS_TESTS}::TestSetMetadata",
    ),
    Mutant(
        "a request expires one microsecond early",
        _OBJECTS,
        "op.not_after is not None and now > op.not_after:",
        "op.not_after is not None and now >= op.not_after:",
        f"{_OBJECTS_TESTS}::TestExpiry",
    ),
    Mutant(
        "a page begins with the address that it comes after",
        _OBJECTS,
        "if at.startswith(prefix) and at > after)",
        "if at.startswith(prefix) and at >= after)",
        f"{_OBJECTS_TESTS}::TestListObjects",
    ),
    Mutant(
        "a copy ignores its condition",
        _OBJECTS,
        "    if op.if_match is not None and op.if_match != found.etag:",
        "    if op.if_match is not None and not found.etag:",
        f"{_OBJECTS_TESTS}::TestCopy",
    ),
)
