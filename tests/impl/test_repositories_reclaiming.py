"""Notes of tokens, addresses that name their instance, and the cleaner that goes by them; on a store by hand."""

from lakeproof.impl.codec import decode_branch
from lakeproof.impl.repositories import reclaiming
from lakeproof.impl.repositories.reviving import reviving
from lakeproof.model import keys
from lakeproof.model.identifiers import InstanceUID
from lakeproof.model.records import Repository
from tests.impl.stepping import Bench, R


def created() -> Bench:
    bench = Bench()
    bench.run(reclaiming.FLOWS.create_repository, R)
    return bench


def tokens(bench: Bench) -> list[str]:
    """The tokens that branches name."""
    found = [value for (_, key), value in bench.store.items() if key.startswith(keys.BRANCHES_PREFIX)]
    return sorted(str(decode_branch(value).staging_token) for value in found)


def notes(bench: Bench) -> list[str]:
    prefix = keys.NOTED_TOKENS_PREFIX
    return sorted(key.removeprefix(prefix).decode() for _, key in bench.store if key.startswith(prefix))


def test_a_token_is_noted_before_its_branch_is_written() -> None:
    bench = created()
    assert bench.story[-3:] == ["set noted-tokens/r-main:u1.u2", "set branches/main", "set_if repos/r"]
    bench.run(reclaiming.FLOWS.create_branch, R, "b")
    note = "set noted-tokens/r-b:u1.u3"
    assert bench.story == ["get repos/r", "get branches/main", note, "set_if branches/b", "get repos/r"]
    assert notes(bench) == tokens(bench)


def test_the_note_says_the_namespace() -> None:
    bench = created()
    where = keys.repository_partition(R, InstanceUID("u1"))
    assert bench.store[where, keys.NOTED_TOKENS_PREFIX + b"r-main:u1.u2"] == b"mem://r"


def test_an_address_names_its_instance() -> None:
    bench = created()
    entry = bench.entry()
    assert isinstance(entry, Repository)
    assert reclaiming.address_name(entry, "o") == "u1/o"
    assert reclaiming.address_prefix(entry.instance_uid) == "data/u1/"


def test_a_flow_keeps_its_name() -> None:
    assert reclaiming.FLOWS.create_repository.__name__ == "create_repository"
    assert reviving(reclaiming.FLOWS).__name__ == "revive_repository"
