"""Scripts, known by their text: those of lakeproof's own Redis driver, and of two locks. Lua is not known here.

A script is one step, and does what its commands do. Each of them stands here a second time, as Python.
"""

import hashlib
from collections.abc import Callable, Mapping
from typing import Final

import attrs

from lakeproof.gate.fronts.redis.arguments import Args, check_flush, integer
from lakeproof.gate.fronts.redis.hashes import hdel, hexists, hget, hset, zadd, zrangebylex, zrem
from lakeproof.gate.fronts.redis.keyspace import expire, pttl
from lakeproof.gate.fronts.redis.replies import OK, CommandError, Failure, Value
from lakeproof.gate.fronts.redis.work import Work
from lakeproof.stores import redis_scripts


@attrs.frozen
class Script:
    """A script that is known. sha: of its text. keys, args: so many it needs. writes: whether it may change any key.
    shown: so many of its arguments are a part of its label; None: one for two keys. line: that of its first command,
    for errors."""

    name: str
    sha: str
    do: Callable[[Work, Args, Args], Value]
    args: int
    keys: int = 2
    writes: bool = True
    shown: int | None = 1
    line: int = 1


def _sha(text: bytes) -> str:
    """The name that Redis gives a script."""
    return hashlib.sha1(text, usedforsecurity=False).hexdigest()


def _ours(name: str, text: str, do: Callable[[Work, Args, Args], Value], args: int, writes: bool = True) -> Script:
    return Script(name, _sha(text.encode()), do, args, writes=writes)


def _write(work: Work, keys: Args, args: Args) -> Value:
    # In the order of the Lua: if the second key has another type, the first one is written all the same.
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


def _transact(work: Work, keys: Args, args: Args) -> Value:
    count = len(keys) // 2
    if (len(keys), len(args)) != (2 * count, 3 * count):
        raise CommandError("ERR the script transact needs three arguments for two keys")
    columns = (keys[::2], keys[1::2], args[:count], args[count : 2 * count], args[2 * count :])
    for number, (values, names, key, what, value) in enumerate(zip(*columns, strict=True), 1):
        if what == b"set":
            _write(work, (values, names), (key, value))
        elif what == b"delete":
            _remove(work, (values, names), (key,))
        else:
            found = hget(work, (values, key))
            # As in the Lua: `absent` must find nothing, every other check something, and `equal` this value.
            if (what == b"absent") == (found is not None) or (what == b"equal" and found != value):
                return number
    return 0


def _if_owner(do: Callable[[Work, Args, Args], Value]) -> Callable[[Work, Args, Args], Value]:
    """A script of a lock: its key holds the token of who asks, or 0 is answered."""
    return lambda work, keys, args: do(work, keys, args) if work.string(keys[0]) == args[0] else 0


def _lock(name: str, sha: str, do: Callable[[Work, Args, Args], Value], args: int = 1) -> Script:
    return Script(name, sha, _if_owner(do), args, keys=1, shown=0, line=2)  # their first line is empty


def _release(work: Work, keys: Args, args: Args) -> Value:
    work.put(keys[0], None)
    return 1


def _reacquire(work: Work, keys: Args, args: Args) -> Value:
    return expire(b"PEXPIRE", work, (keys[0], args[1]))


def _extend(work: Work, keys: Args, args: Args) -> Value:
    """By a time, or to it."""
    left = pttl(work, keys)
    if left < 0:
        return 0
    # No time passes, so what is left is all that the key was given. The third argument is 0 to add to it.
    return expire(b"PEXPIRE", work, (keys[0], b"%d" % (integer(args[1]) + left * (args[2] == b"0"))))


def _time_left(work: Work, keys: Args, args: Args) -> Value:
    return max(0, pttl(work, keys))


SCRIPTS: Final = (
    _ours("set", redis_scripts.WRITE, _write, args=2),
    _ours("delete", redis_scripts.REMOVE, _remove, args=1),
    _ours("set_if_absent", redis_scripts.IF_ABSENT, _if_absent, args=2),
    _ours("set_if_present", redis_scripts.IF_PRESENT, _if_present, args=2),
    _ours("set_if_equal", redis_scripts.IF_EQUAL, _if_equal, args=3),
    _ours("delete_if_equal", redis_scripts.REMOVE_IF, _remove_if, args=2),
    # It takes any number of pairs of keys, so it needs none.
    attrs.evolve(_ours("transact", redis_scripts.TRANSACT, _transact, args=0), keys=0, shown=None),
    _ours("scan", redis_scripts.SCAN, _scan, args=2, writes=False),
    _lock("release", "c3f8721cbb97f72bc19e972846bd7aaf91901658", _release),
    _lock("extend", "a4e8783852e6b949f9ef3a97212805108459a890", _extend, args=3),
    _lock("reacquire", "1cac51482acf5858da00f6d685d68f886cd6b6b2", _reacquire, args=2),
    _lock("pottery/acquired", "f5f7bd3a3aa4a63c507c1155c5ea1219b350d992", _time_left),
    _lock("pottery/extend", "ba015a80261b616e7a62d35df0b8e3edbe6c9414", _reacquire, args=2),
    _lock("pottery/release", "a4aada0b36710970eedaaaeec4a6b7d8c78c4f80", _release),
)
"""Those after ``scan`` are of `redis.lock.Lock` of redis-py, and of `pottery.Redlock`."""
_BY_SHA: Final[Mapping[str, Script]] = {each.sha: each for each in SCRIPTS}
_NO_SCRIPT: Final = "NOSCRIPT No matching script. Please use EVAL."


def of_text(text: bytes) -> Script | None:
    """A script by its text."""
    return _BY_SHA.get(_sha(text))


def of_sha(sha: bytes) -> Script | None:
    """A script by its sha, in letters of either case."""
    return _BY_SHA.get(sha.decode("latin-1").lower())


def _find_script(text: bytes) -> Script:
    script = of_text(text)
    if script is None:
        names = ", ".join(each.name for each in SCRIPTS)
        why = f"this script is not known here: the gate has no Lua; it knows by their text {names}"
        raise CommandError(f"ERR {why}", f"the Lua of {_sha(text)}")
    return script


def eval_(work: Work, args: Args) -> Value:
    """``EVAL text numkeys key ... arg ...``. It loads the script, too."""
    keys, rest = _split_arguments(args)
    script = _find_script(args[0])
    # First: Redis keeps a script that it has compiled, whatever comes of running it.
    work.load(script.name)
    return _run_script(work, script, keys, rest)


def evalsha(work: Work, args: Args) -> Value:
    keys, rest = _split_arguments(args)
    script = of_sha(args[0])
    if script is None or not work.loaded(script.name):
        raise CommandError(_NO_SCRIPT)
    return _run_script(work, script, keys, rest)


def _split_arguments(args: Args) -> tuple[Args, Args]:
    count = integer(args[1])
    if count > len(args) - 2:
        raise CommandError("ERR Number of keys can't be greater than number of args")
    if count < 0:
        raise CommandError("ERR Number of keys can't be negative")
    return args[2 : 2 + count], args[2 + count :]


def _run_script(work: Work, script: Script, keys: Args, args: Args) -> Value:
    if len(keys) < script.keys or len(args) < script.args:
        raise CommandError(f"ERR the script {script.name} needs {script.keys} keys and {script.args} arguments")
    try:
        return script.do(work, keys, args)
    except CommandError as error:  # what was done before it stays
        return Failure(f"{error} script: {script.sha}, on @user_script:{script.line}.")


def load(work: Work, args: Args) -> Value:
    script = _find_script(args[0])
    work.load(script.name)
    return script.sha.encode()


def exists(work: Work, args: Args) -> Value:
    found = [of_sha(each) for each in args]  # a script that is unknown here was never loaded
    return tuple(int(each is not None and work.loaded(each.name)) for each in found)


def flush(work: Work, args: Args) -> Value:
    check_flush(args, "ERR SCRIPT FLUSH only support SYNC|ASYNC option")
    work.unload(frozenset(each.name for each in SCRIPTS))
    return OK
