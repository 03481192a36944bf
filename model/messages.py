"""Messages of Protocol Buffers: their classes are made when the first one is needed, from a descriptor.

What ``protoc`` generates for Python runs with one major version of the runtime and the next. A descriptor, which is the
``.proto`` file compiled, runs with each: so lakeproof goes with protobuf 5, 6 and 7. A search of flows that store bytes
of their own needs no protobuf at all.

Example: ``pb = Later("lakeproof.model.catalog_pb2")`` imports nothing; ``pb.EntryData()`` imports that module, which
`classes` fills from ``catalog.binpb``.
"""

from importlib import import_module
from pkgutil import get_data
from typing import Final

EXTRA: Final = "pip install 'lakeproof[lakefs]'"


class NoProtobuf(ImportError):
    """A record of lakeFS was to be read or written, and protobuf is not installed."""

    def __str__(self) -> str:
        return f"records of lakeFS need protobuf: {EXTRA}"


class Later:
    """A module of messages that is imported when a name of it is used first."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> object:
        """Raises NoProtobuf; AttributeError: the module has no such name."""
        if name.startswith("__"):  # copy and pickle look for methods
            raise AttributeError(name)
        try:
            # All names at once: `__getattr__` is only called for what is missing, so that later uses cost nothing.
            vars(self).update(vars(import_module(self._module)))
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith("google"):  # a mistake in the module itself, and no missing protobuf
                raise
            raise NoProtobuf from error
        if name not in vars(self):
            raise AttributeError(f"module {self._module!r} has no attribute {name!r}")
        return vars(self)[name]


def classes(package: str, descriptor: str) -> dict[str, object]:
    """The messages and enumerations of a file, by name, with `DESCRIPTOR`, as ``protoc`` would generate them.

    descriptor: a ``FileDescriptorSet`` of one file in the package, as ``protoc --descriptor_set_out`` writes it.
    """
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, timestamp_pb2
    from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper

    assert timestamp_pb2.DESCRIPTOR is not None  # imported for what it registers: both files refer to it
    data = get_data(package, descriptor)
    assert data is not None
    [compiled] = descriptor_pb2.FileDescriptorSet.FromString(data).file
    file = descriptor_pool.Default().AddSerializedFile(compiled.SerializeToString())
    found: dict[str, object] = {"DESCRIPTOR": file}
    for name, message in file.message_types_by_name.items():
        found[name] = message_factory.GetMessageClass(message)
    for name, enum in file.enum_types_by_name.items():
        found[name] = EnumTypeWrapper(enum)
        found |= {value.name: value.number for value in enum.values}
    return found
