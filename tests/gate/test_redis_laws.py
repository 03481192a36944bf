"""What holds of the Redis front for all requests: those whose footprints are independent can be exchanged."""

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeproof.gate.fronts.footprints import Access, Footprint, Touch, dependent
from lakeproof.gate.fronts.redis import work
from lakeproof.gate.fronts.redis.commands import find_command
from lakeproof.gate.fronts.redis.front import RedisFront, RedisRequest
from lakeproof.gate.fronts.redis.parser import Words
from lakeproof.gate.fronts.redis.replies import CommandError
from lakeproof.gate.fronts.redis.scripts import SCRIPTS
from lakeproof.gate.fronts.redis.state import RedisState
from lakeproof.gate.fronts.redis.work import KEY, SCRIPT, escape_key, of_key
from tests.gate import laws
from tests.gate.redis_requests import KEYS, STEPS, TEXTS, performed, words


def possible(command: Words) -> bool:
    """Whether it is asked of the store: others are answered by the connection."""
    try:
        return find_command(command).do is not None
    except CommandError:
        return False


COMMANDS = STEPS.filter(possible)
WATCHED = st.dictionaries(KEYS, st.integers(0, 2), max_size=2).map(lambda found: tuple(found.items()))
AT_ONCE = st.one_of(
    st.builds(lambda command: RedisRequest("c", (command,)), COMMANDS),
    st.builds(lambda keys: RedisRequest("c", ((b"WATCH", *keys),)), st.lists(KEYS, min_size=1, max_size=2)),
    st.builds(
        lambda commands, watched: RedisRequest("c", tuple(commands), True, watched),
        st.lists(COMMANDS, max_size=3),
        WATCHED,
    ),
)
REQUESTS = st.builds(lambda asked, late: attrs.evolve(asked, late=late), AT_ONCE, st.booleans())
BEFORE = st.lists(REQUESTS, max_size=6)


def after(before: list[RedisRequest]) -> RedisState:
    state = RedisState(expires=True)
    for each in before:
        state, *_ = performed(state, each)
    return state


def exchanged(state: RedisState, one: RedisRequest, other: RedisRequest) -> str:
    return laws.exchanged(performed, state, one, other)


@settings(max_examples=300)
@given(BEFORE, REQUESTS, REQUESTS)
def test_requests_of_independent_footprints_can_be_exchanged(
    before: list[RedisRequest], one: RedisRequest, other: RedisRequest
) -> None:
    assert not exchanged(after(before), one, other)


@settings(max_examples=400)
@given(BEFORE, REQUESTS)
def test_a_request_changes_what_its_footprint_writes_alone_and_each_change_is_a_new_version(
    before: list[RedisRequest], asked: RedisRequest
) -> None:
    state = after(before)
    changed, _, found = performed(state, asked)
    written = [each for each in found if each.touch is not Touch.READ]
    for key in {*state.versions, *changed.versions, *state.keys, *changed.keys}:
        held, now = ((each.keys.get(key), each.versions.get(key), each.lives.get(key)) for each in (state, changed))
        if held != now:
            assert any(each.conflicts(of_key(key, Touch.READ)) for each in written), key
        if held[0] != now[0]:
            assert state.versions.get(key, 0) < changed.versions[key]
    for script in state.scripts ^ changed.scripts:
        assert any(each.key == f"{SCRIPT}{script}" for each in written)
    if not written or not (RedisFront().writes(asked) or asked.late):
        assert changed == state


@settings(max_examples=200)
@given(BEFORE, AT_ONCE)
def test_a_request_before_which_its_keys_expire_is_one_to_a_store_without_them(
    before: list[RedisRequest], asked: RedisRequest
) -> None:
    state = after(before)
    touched = performed(state, asked)[2]
    gone = [key for key in state.lives if any(each.conflicts(of_key(key, Touch.WRITE)) for each in touched)]
    without = performed(state, RedisRequest("c", ((b"DEL", *gone),)))[0] if gone else state
    assert performed(state, attrs.evolve(asked, late=True))[:2] == performed(without, asked)[:2]


def ask(*lines: str, watched: tuple[tuple[bytes, int], ...] | None = None) -> RedisRequest:
    return RedisRequest("c", tuple(map(words, lines)), watched is not None, watched or ())


ELSEWHERE = Access(Touch.READ, "?")
FULL = [
    ask("SET a 1"),
    ask("HSET h f 1"),
    ask("ZADD z 0 f"),
    RedisRequest("c", ((b"SCRIPT", b"LOAD", TEXTS[SCRIPTS[0].sha]),)),
]
SHA = SCRIPTS[0].sha


@pytest.mark.parametrize(
    ("name", "planted", "one", "other"),
    [
        ("of_key", lambda *_: ELSEWHERE, ask("SET a 2"), ask("GET a")),
        ("of_key", lambda key, _: of_key(key, Touch.READ), ask("DEL a"), ask("DEL a")),
        ("of_key", lambda key, _: Access(Touch.DELETE, f"{KEY}{escape_key(key)}"), ask("DEL a"), ask("DEL a")),
        ("of_key", lambda key, _: of_key(key, Touch.READ), ask("SET a 1"), ask("WATCH a")),
        ("of_key", lambda key, _: of_key(key, Touch.READ), ask("SET a 1"), ask("GET h", watched=((b"a", 1),))),
        ("of_prefix", lambda *_: ELSEWHERE, ask("DBSIZE"), ask("DEL a")),
        ("of_prefix", lambda *_: ELSEWHERE, ask("KEYS a*"), ask("DEL a")),
        ("of_prefix", lambda prefix, _: Access(Touch.READ, "?redis/", True), ask("FLUSHDB"), ask("DBSIZE")),
        ("of_script", lambda *_: ELSEWHERE, ask("SCRIPT FLUSH"), ask(f"SCRIPT EXISTS {SHA}")),
    ],
)  # fmt: skip
def test_a_footprint_that_is_too_small_breaks_the_law(
    name: str, planted: object, one: RedisRequest, other: RedisRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = after(FULL)
    assert not exchanged(state, one, other)
    monkeypatch.setattr(work, name, planted)
    assert "answered" in exchanged(state, one, other)


def footprint(asked: RedisRequest) -> Footprint:
    return performed(after(FULL), asked)[2]


@pytest.mark.parametrize(
    ("one", "other", "are"),
    [
        (ask("SET a 2"), ask("SET b 2"), False),
        (ask("SET a 2 NX"), ask("SET a 3 NX"), False),
        (ask("DEL none"), ask("DEL none"), False),
        (ask("DEL a"), ask("DEL a"), True),
        (ask("SET a 1"), ask("WATCH a"), True),
        (ask("KEYS b*"), ask("SET a 2"), False),
        (ask("KEYS b*"), ask("SET b1 2"), True),
        (ask("SCAN 0 MATCH b*"), ask("SET a 2"), False),
        (ask("SCAN 0"), ask("SET a 2"), True),
        (ask("GET a", "SET b 1", watched=((b"h", 1),)), ask("SET c 1"), False),
        (ask("GET a", "SET b 1", watched=((b"h", 1),)), ask("HSET h f 1"), True),
        (ask("FLUSHDB"), ask("GET none"), True),
        (ask(f"EVALSHA {SHA} 2 h z f 2"), ask(f"EVALSHA {SHA} 2 i y f 2"), False),
    ],
)  # fmt: skip
def test_requests_are_dependent_only_where_they_meet(one: RedisRequest, other: RedisRequest, are: bool) -> None:
    assert dependent(footprint(one), footprint(other)) is are


@settings(max_examples=200)
@given(st.binary(max_size=5), st.binary(max_size=5))
def test_two_keys_have_two_names_and_a_prefix_has_the_beginning_of_them(one: bytes, other: bytes) -> None:
    assert (escape_key(one) == escape_key(other)) is (one == other)
    assert escape_key(one + other).startswith(escape_key(one))
