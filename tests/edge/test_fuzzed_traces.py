"""Traces that are damaged at random: `show` and `replay` say so in one line, or what is left of them is still true."""

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Final

import attrs
import pytest

from tests.commands import HEAD, lakeproof

HUGE: Final = "9" * 4_400
ODD: Final[tuple[object, ...]] = (
    *(None, True, False, 0, -1, 1.5, 10**30, float("nan"), float("inf")),
    *("", "x", "\0", "\ud800", "\x1b[2J", "x" * 50_000, "\u202e", "\n\n", "a", "z", "s", "ab", "../..", "@"),
    *([], {}, [[]], [None], {"a": 1}, ["a", "b", "c"], ["k", None, None], [[["deep"]]]),
    *("crash", "normal", "tick", "deliver", "increments-count", "no-unhandled-exception", "counters/faulty"),
)


@attrs.frozen
class Sound:
    """Traces as `verify` writes them, and the file of their scenarios."""

    file: Path
    traces: list[bytes]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Sound:
    """With faults, with an aftermath, without either."""
    folder = tmp_path_factory.mktemp("traces")
    file = folder / "races.py"
    file.write_text(f"{HEAD}SCENARIOS = [LOST_UPDATE, FAULTY, AFTERWARDS]\n")
    lakeproof("verify", "--from", str(file), "--out", str(folder / "out"))
    found = [path.read_bytes() for path in sorted((folder / "out").glob("*.json"))]
    assert len(found) == 3
    return Sound(file, found)


def _places(data: object) -> Iterator[tuple[object, object]]:
    """All containers, with each of their keys."""
    keys: list[object] = (
        list(data) if isinstance(data, dict) else list(range(len(data))) if isinstance(data, list) else []
    )
    for key in keys:
        yield data, key
        yield from _places(data[key])  # type: ignore[index]  # a dict or a list


def _structure(random: Random, trace: bytes) -> bytes:
    """One to three places of the JSON hold something else, are gone, twice, or in another order."""
    data = json.loads(trace)
    for _ in range(random.choice((1, 1, 2, 3))):
        places = list(_places(data))
        if not places:
            break
        holder, key = random.choice(places)
        match random.randrange(6):
            case 0 if isinstance(holder, dict):
                del holder[key]
            case 1 if isinstance(holder, dict):
                holder[random.choice(("", "new", "trace", "\0"))] = holder.pop(key)
            case 2 if isinstance(holder, list):
                random.shuffle(holder)
            case 3 if isinstance(holder, list):
                holder.insert(random.randrange(len(holder) + 1), copy.deepcopy(random.choice(holder)))
            case 4 if isinstance(holder, list):
                del holder[random.randrange(len(holder)) :]
            case _:
                holder[key] = copy.deepcopy(random.choice(ODD))  # type: ignore[index]
    return json.dumps(data, ensure_ascii=random.random() < 0.5).encode("utf-8", "surrogatepass")


def _bytes(random: Random, trace: bytes) -> bytes:
    """Some bytes are others, a part is gone, a part is there twice."""
    damaged = bytearray(trace)
    for _ in range(random.choice((1, 1, 2, 8))):
        at = random.randrange(len(damaged))
        match random.randrange(4):
            case 0:
                damaged[at] = random.randrange(256)
            case 1:
                damaged[at] ^= 1 << random.randrange(8)
            case 2:
                del damaged[at : at + random.choice((1, 1, 10, 1000))]
            case _:
                damaged[at:at] = damaged[at : at + random.choice((1, 20))]
        if not damaged:
            break
    return bytes(damaged)


def _text(random: Random, trace: bytes) -> bytes:
    """A number, a string or a bracket of the text is something that JSON readers stumble over."""
    text = trace.decode()
    digits = [at for at, one in enumerate(text) if one.isdigit() and not text[at - 1].isalnum()]
    quotes = [at for at, one in enumerate(text) if one == '"']
    match random.randrange(6):
        case 0:
            at = random.choice(digits)
            text = text[:at] + random.choice((HUGE, f"-{HUGE}", "1e999", "NaN", "-0", "01", "1.0")) + text[at + 1 :]
        case 1:
            at = random.choice(quotes)
            text = text[:at] + "[" * random.choice((10, 100_000)) + text[at:]
        case 2:
            at = random.choice(digits)
            text = text[:at] + '{"a":' * 50_000 + "1" + "}" * 50_000 + text[at + 1 :]
        case 3:
            line = random.choice(text.splitlines()[1:-1])
            text = text.replace(line, f"{line.rstrip(',')},\n{line}", 1)
        case 4:
            text = "\ufeff" + text
        case _:
            text = random.choice(
                ("", "null", "[]", "{}", '""', "1", '{"trace": 1}', '{"trace": {}}', text * 2, "\0" * 100)
            )
    return text.encode()


KINDS: Final[tuple[Callable[[Random, bytes], bytes], ...]] = (_structure, _structure, _structure, _bytes, _text)


def _obeys(path: Path, sound: Sound) -> None:
    """No traceback (`lakeproof` sees to it); 2 with one line, or what the exit code says."""
    shown = lakeproof("show", str(path))
    assert shown.exit_code in (0, 2), shown.output
    replayed = lakeproof("replay", str(path), "--from", str(sound.file))
    assert replayed.exit_code in (0, 1, 2), replayed.output
    if shown.exit_code == 2:
        assert replayed.exit_code == 2, path.read_bytes()[:2000]
    for result in (shown, replayed):
        if result.exit_code == 2:
            [line] = result.stderr.splitlines()
            assert line.startswith("lakeproof: ")
            assert len(line) < 2_000
            assert "please report it" not in line
        assert "\x1b[2J" not in result.output


def test_sound_traces_are_shown_and_followed(sound: Sound, tmp_path: Path) -> None:
    for trace in sound.traces:
        (tmp_path / "trace.json").write_bytes(trace)
        assert lakeproof("show", str(tmp_path / "trace.json")).exit_code == 0
        assert lakeproof("replay", str(tmp_path / "trace.json"), "--from", str(sound.file)).exit_code == 0


def test_a_schedule_without_steps_proves_nothing(sound: Sound, tmp_path: Path) -> None:
    for trace in sound.traces:
        (tmp_path / "trace.json").write_text(json.dumps({**json.loads(trace), "schedule": []}))
        assert lakeproof("replay", str(tmp_path / "trace.json"), "--from", str(sound.file)).exit_code == 1


@pytest.mark.deep
def test_damaged_traces_are_an_error_of_one_line_or_what_they_say_is_checked(sound: Sound, tmp_path: Path) -> None:
    random, path = Random(0), tmp_path / "trace.json"
    for _ in range(300):
        path.write_bytes(random.choice(KINDS)(random, random.choice(sound.traces)))
        _obeys(path, sound)
