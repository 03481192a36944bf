"""The layers of a branch are streams: what is read when, and that nothing is read ahead but one page."""

from hypothesis import given
from hypothesis import strategies as st

from lakeproof.impl.effects import Env
from lakeproof.impl.graveler import lock_free, resetting
from lakeproof.impl.graveler.layers import begun, changes
from lakeproof.impl.graveler.reading import changes_of
from lakeproof.impl.retention import runs
from lakeproof.model import kv
from lakeproof.model.records import Repository, StagedEntry
from lakeproof.scenarios._branch_data import BRANCH
from tests.impl.hand import Hand, Running
from tests.impl.graveler.test_layers import QUICK, layered, layers, prefixes, write


async def streamed(
    env: Env, repository: Repository, tokens: tuple[str, ...], prefix: bytes, batch_size: int
) -> tuple[tuple[StagedEntry, ...], tuple[StagedEntry, ...]]:
    """The stream, and what is gathered."""
    found = changes(env, tokens, prefix, batch_size)  # type: ignore[arg-type]
    gathered = await changes_of(env, tokens, prefix)  # type: ignore[arg-type]
    return tuple([change async for change in await begun(found)]), tuple(gathered.values())


def scanned(running: Running) -> list[bytes]:
    """The partitions that a flow scans, in order, to its end."""
    found = []
    while running.op is not None:
        if isinstance(running.op, kv.ScanBatch):
            found.append(running.op.partition)
        running.step()
    return found


@QUICK
@given(layers, prefixes, st.sampled_from([0, 1, 2]))
def test_a_stream_has_what_is_gathered_in_pages_of_any_size(
    changed: list[dict[bytes, bytes | None]], prefix: bytes, batch_size: int
) -> None:
    hand = layered({}, changed)
    stream, gathered = hand.run(streamed, hand.branch().tokens, prefix, batch_size)
    assert stream == gathered


def test_a_commit_scans_the_oldest_token_first_and_each_once() -> None:
    hand = layered({b"a": b"0"}, [{b"a": b"1"}, {b"b": b"1"}, {b"a/1": b"1"}])
    running = hand.start(lock_free.commit, BRANCH, "m").step(2)
    oldest_first = [token.encode() for token in reversed(hand.branch().sealed_tokens)]
    assert len(oldest_first) == 3
    assert scanned(running) == [*oldest_first, *reversed(oldest_first)]  # the second time they are dropped


def test_a_commit_reads_its_second_page_after_the_head_when_it_comes_to_it() -> None:
    hand = Hand.founded()
    write(hand, {b"a": b"1", b"b": b"1"})
    running = hand.start(lock_free.commit, BRANCH, "m", batch_size=1).step(2)
    kinds = []
    while not isinstance(running.op, kv.Set):
        kinds.append(type(running.op).__name__)
        running.step()
    assert [kind for kind in kinds if kind != "Now"] == ["ScanBatch", "Get", "ScanBatch", "Put", "Put"]
    running.finish()
    assert hand.content() == {b"a": b"1", b"b": b"1"}


def test_a_reset_of_a_prefix_reads_in_pages_and_resets_what_it_has_read() -> None:
    hand = layered({b"a": b"0"}, [{b"a": b"1"}, {b"a/1": b"1", b"b": b"1"}])
    hand.run(resetting.reset_prefix, BRANCH, b"a", batch_size=1)
    assert hand.content() == {b"a": b"0", b"b": b"1"}


def test_a_stream_that_has_begun_reads_no_more_until_it_is_asked() -> None:
    hand = layered({}, [{b"a": b"1", b"b": b"1"}])
    (token,) = hand.branch().tokens

    async def first_page(env: Env, repository: Repository) -> None:
        await begun(changes(env, (token,), batch_size=1))

    assert scanned(hand.start(first_page)) == [token.encode()]


async def seen_by(env: Env, repository: Repository, batch_size: int) -> tuple[int, tuple[str, ...]]:
    """How many commits a run sees, and which branches."""
    seen = await runs.look(env, repository, runs.AS_WRITTEN, batch_size)
    return len(seen.commits), tuple(sorted(seen.heads))


def test_a_run_of_retention_sees_the_same_in_pages_of_any_size() -> None:
    hand = layered({b"a": b"0"}, [{b"a": b"1"}])
    assert {hand.run(seen_by, batch_size) for batch_size in (0, 1, 2)} == {(2, ("b", "main"))}
