"""Scripts: a script is one step of a schedule, which does what its commands do."""

from collections.abc import Callable
from functools import partial
from typing import Final

from lakeproof.gate.fronts.redis import lua
from lakeproof.gate.fronts.redis.arguments import Args, check_flush, integer, not_known
from lakeproof.gate.fronts.redis.replies import OK, CommandError, Value
from lakeproof.gate.fronts.redis.work import Work

Perform = Callable[[Work, Args], Value]
SHA_LENGTH: Final = 40
_NO_SCRIPT: Final = "NOSCRIPT No matching script. Please use EVAL."


def load(work: Work, args: Args) -> Value:
    """``SCRIPT LOAD text``. Raises CommandError: the text is no Lua."""
    text = args[0]
    if text.startswith(b"#!"):
        raise not_known("a script with #!")
    if why := lua.compile_error(text):
        raise CommandError(f"ERR Error compiling script (new function): {why}")
    sha = lua.sha_of(text)
    work.load(sha, text)
    return sha.encode()


def eval_(perform: Perform, work: Work, args: Args) -> Value:
    """``EVAL text numkeys key ... arg ...``. It loads the script, too: also one that then fails."""
    keys, rest = _split_arguments(args)
    load(work, args)
    return _run(perform, work, args[0], keys, rest)


def evalsha(perform: Perform, work: Work, args: Args) -> Value:
    if len(args[0]) != SHA_LENGTH:
        raise CommandError(_NO_SCRIPT)
    keys, rest = _split_arguments(args)
    text = work.script(_sha(args[0]))
    if text is None:
        raise CommandError(_NO_SCRIPT)
    return _run(perform, work, text, keys, rest)


def _sha(given: bytes) -> str:
    """In letters of either case."""
    return given.decode("latin-1").lower()


def _split_arguments(args: Args) -> tuple[Args, Args]:
    count = integer(args[1])
    if count > len(args) - 2:
        raise CommandError("ERR Number of keys can't be greater than number of args")
    if count < 0:
        raise CommandError("ERR Number of keys can't be negative")
    return args[2 : 2 + count], args[2 + count :]


def _run(perform: Perform, work: Work, text: bytes, keys: Args, args: Args) -> Value:
    return lua.run_script(text, keys, args, partial(perform, work), work.note)


def exists(work: Work, args: Args) -> Value:
    return tuple(int(work.script(_sha(each)) is not None) for each in args)


def flush(work: Work, args: Args) -> Value:
    check_flush(args, "ERR SCRIPT FLUSH only support SYNC|ASYNC option")
    work.unload()
    return OK
