"""Scripts, known by their text: those of lakeproof's own Redis driver, and one of redis-py. Lua is not known here.

A script is one step, and does what its commands do. Each of them stands here a second time, as Python.
"""

import hashlib
from collections.abc import Callable, Mapping
from typing import Final

import attrs

from lakeproof.gate.redis.arguments import Args, integer
from lakeproof.gate.redis.hashes import hdel, hexists, hget, hset, zadd, zrangebylex, zrem
from lakeproof.gate.redis.replies import OK, CommandError, Failure, Value
from lakeproof.gate.redis.work import Work
from lakeproof.targets import redis_scripts


@attrs.frozen
class Script:
    """A script that is known. sha: of its text. keys, args: so many it needs. writes: whether it may change any key.
    told: so many of its arguments are a part of its label. line: that of its first command, for errors."""

    name: str
    sha: str
    do: Callable[[Work, Args, Args], Value]
    args: int
    keys: int = 2
    writes: bool = True
    told: int = 1
    line: int = 1


def _sha(text: bytes) -> str:
    """The name that Redis gives a script."""
    return hashlib.sha1(text, usedforsecurity=False).hexdigest()


def _ours(name: str, text: str, do: Callable[[Work, Args, Args], Value], args: int, writes: bool = True) -> Script:
    return Script(name, _sha(text.encode()), do, args, writes=writes)


def _write(work: Work, keys: Args, args: Args) -> Value:
    hset(work, (keys[0], args[0], args[1]))
    zadd(work, (keys[1], b"0", args[0]))
    return 1


def _remove(work: Work, keys: Args, args: Args) -> Value:
    hdel(work, (keys[0], args[0]))
    zrem(work, (keys[1], args[0]))
    return 1


def _if_absent(work: Work, keys: Args, args: Args) -> Value:
    return 0 if hexists(work, (keys[0], args[0])) else _write(work, keys, args)


def _if_present(work: Work, keys: Args, args: Args) -> Value:
    return _write(work, keys, args) if hexists(work, (keys[0], args[0])) else 0


def _if_equal(work: Work, keys: Args, args: Args) -> Value:
    return _write(work, keys, args) if hget(work, (keys[0], args[0])) == args[2] else 0


def _remove_if(work: Work, keys: Args, args: Args) -> Value:
    return _remove(work, keys, args) if hget(work, (keys[0], args[0])) == args[1] else 0


def _scan(work: Work, keys: Args, args: Args) -> Value:
    members = zrangebylex(work, (keys[1], args[0], b"+", b"LIMIT", b"0", args[1]))
    assert isinstance(members, tuple)
    return tuple(each for key in members if isinstance(key, bytes) for each in (key, hget(work, (keys[0], key))))


def _release(work: Work, keys: Args, args: Args) -> Value:
    """Of a lock of redis-py: remove the key if it holds a token."""
    if work.string(keys[0]) != args[0]:
        return 0
    work.put(keys[0], None)
    return 1


SCRIPTS: Final = (
    _ours("set", redis_scripts.WRITE, _write, args=2),
    _ours("delete", redis_scripts.REMOVE, _remove, args=1),
    _ours("set_if_absent", redis_scripts.IF_ABSENT, _if_absent, args=2),
    _ours("set_if_present", redis_scripts.IF_PRESENT, _if_present, args=2),
    _ours("set_if_equal", redis_scripts.IF_EQUAL, _if_equal, args=3),
    _ours("delete_if_equal", redis_scripts.REMOVE_IF, _remove_if, args=2),
    _ours("scan", redis_scripts.SCAN, _scan, args=2, writes=False),
    Script("release", "c3f8721cbb97f72bc19e972846bd7aaf91901658", _release, args=1, keys=1, told=0, line=2),
)
"""The last one is `redis.lock.Lock.LUA_RELEASE_SCRIPT` of redis-py."""
_BY_SHA: Final[Mapping[str, Script]] = {each.sha: each for each in SCRIPTS}
_NO_SCRIPT: Final = "NOSCRIPT No matching script. Please use EVAL."


def of_text(text: bytes) -> Script | None:
    """A script by its text."""
    return _BY_SHA.get(_sha(text))


def of_sha(sha: bytes) -> Script | None:
    """A script by its sha, in letters of either case."""
    return _BY_SHA.get(sha.decode("latin-1").lower())


def _known(text: bytes) -> Script:
    script = of_text(text)
    if script is None:
        names = ", ".join(each.name for each in SCRIPTS)
        why = f"this script is not known here: the gate has no Lua; it knows by their text {names}"
        raise CommandError(f"ERR {why}", f"the Lua of {_sha(text)}")
    return script


def eval_(work: Work, args: Args) -> Value:
    """``EVAL text numkeys key ... arg ...``. It loads the script, too."""
    keys, rest = _parted(args)
    script = _known(args[0])
    work.load(script.name)
    return _done(work, script, keys, rest)


def evalsha(work: Work, args: Args) -> Value:
    keys, rest = _parted(args)
    script = of_sha(args[0])
    if script is None or not work.loaded(script.name):
        raise CommandError(_NO_SCRIPT)
    return _done(work, script, keys, rest)


def _parted(args: Args) -> tuple[Args, Args]:
    count = integer(args[1])
    if count > len(args) - 2:
        raise CommandError("ERR Number of keys can't be greater than number of args")
    if count < 0:
        raise CommandError("ERR Number of keys can't be negative")
    return args[2 : 2 + count], args[2 + count :]


def _done(work: Work, script: Script, keys: Args, args: Args) -> Value:
    if len(keys) < script.keys or len(args) < script.args:
        raise CommandError(f"ERR the script {script.name} needs {script.keys} keys and {script.args} arguments")
    try:
        return script.do(work, keys, args)
    except CommandError as error:  # what was done before it stays
        return Failure(f"{error} script: {script.sha}, on @user_script:{script.line}.")


def load(work: Work, args: Args) -> Value:
    script = _known(args[0])
    work.load(script.name)
    return script.sha.encode()


def exists(work: Work, args: Args) -> Value:
    found = [of_sha(each) for each in args]
    return tuple(int(each is not None and work.loaded(each.name)) for each in found)


def flush(work: Work, args: Args) -> Value:
    if len(args) > 1 or (args and args[0].upper() not in (b"ASYNC", b"SYNC")):
        raise CommandError("ERR SCRIPT FLUSH only support SYNC|ASYNC option")
    work.unload(frozenset(each.name for each in SCRIPTS))
    return OK
