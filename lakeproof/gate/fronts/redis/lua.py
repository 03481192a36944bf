"""Lua 5.1 with what Redis 7 gives a script: `redis.call`, `KEYS`, `ARGV`, and globals that are read-only.

Each run has an interpreter of its own, so a script knows nothing but its text, its arguments and what its commands
answer. What differs from run to run (random numbers), and the libraries `bit`, `cjson`, `cmsgpack` and `struct`, are
not known here.

Source: https://redis.io/docs/latest/develop/programmability/lua-api/.
"""

import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from lakeproof.gate.fronts.redis.replies import Failure, Members, NilArray, Pairs, Simple, Value, number

if TYPE_CHECKING:
    from lupa.lua51 import LuaRuntime


Perform = Callable[[tuple[bytes, ...]], Value]
"""What a command answers that a script calls."""
RawGet = Callable[[object, object], object]
"""Lua's `rawget`: what a table has itself. Redis does not ask a metatable."""

STEPS_MAX: Final = 10_000_000
"""A script that executes more instructions of Lua is not known: it may have no end."""
DEPTH_MAX: Final = 100
"""A reply with tables within tables deeper than this is not known: a table may contain itself."""

_SOURCE: Final = "user_script"
_ARGUMENTS: Final = Failure("ERR Lua redis lib command arguments must be strings or integers")
_NO_ARGUMENTS: Final = Failure("ERR Please specify at least one argument for this redis lib call")
_OF_RESP3: Final = (b"double", b"map", b"set", b"big_number", b"verbatim_string")
"""What marks a table that stands for a reply of RESP3."""

# Errors begin with the line of the script, as those of Lua do: level 2 is where the script stands.
_RUN: Final = b"""
local ask, unknown, sha1, text, keys, argv, steps_max = ...

local function lacks(name) return function() unknown(name) end end
local function refuse() error('Attempt to modify a readonly table', 2) end
local function freeze(members) return setmetatable({}, {__index = members, __newindex = refuse}) end
local function single(field, prefix)
    return function(...)
        local given = ...
        if select('#', ...) ~= 1 or type(given) ~= 'string' then
            return {err = 'ERR wrong number or type of arguments'}
        end
        return {[field] = prefix(given)}
    end
end

local redis = {
    call = function(...)
        local found = ask(...)
        if type(found) == 'table' and found.err then error(found) end
        return found
    end,
    pcall = function(...) return ask(...) end,
    error_reply = single('err', function(given)
        given = given:gsub('^%-', '')
        return given:find(' ', 1, true) and given or 'ERR ' .. given
    end),
    status_reply = single('ok', function(given) return given end),
    sha1hex = function(...)
        if select('#', ...) ~= 1 then error({err = 'ERR wrong number of arguments'}) end
        local given = ...
        return sha1((type(given) == 'string' or type(given) == 'number') and tostring(given) or '')
    end,
    log = function(...)
        local level = tonumber((...))
        if select('#', ...) < 2 then error({err = 'ERR redis.log() requires two arguments or more.'}) end
        if not level then error({err = 'ERR First argument must be a number (log level).'}) end
        if level < 0 or level > 3 then error({err = 'ERR Invalid debug level.'}) end
    end,
    replicate_commands = function() return true end,
    LOG_DEBUG = 0, LOG_VERBOSE = 1, LOG_NOTICE = 2, LOG_WARNING = 3,
    REPL_NONE = 0, REPL_AOF = 1, REPL_SLAVE = 2, REPL_REPLICA = 2, REPL_ALL = 3,
    REDIS_VERSION = '7.0.0', REDIS_VERSION_NUM = 0x070000,
}
for _, name in ipairs({'acl_check_cmd', 'breakpoint', 'debug', 'set_repl', 'setresp'}) do
    redis[name] = lacks('redis.' .. name)
end

local globals = {redis = freeze(redis), KEYS = keys, ARGV = argv, _VERSION = _VERSION}
for _, name in ipairs({'assert', 'error', 'getmetatable', 'ipairs', 'next', 'pairs', 'rawequal', 'select',
        'setmetatable', 'tonumber', 'tostring', 'type', 'unpack', 'xpcall'}) do
    globals[name] = _G[name]
end
for _, name in ipairs({'coroutine', 'string', 'table'}) do globals[name] = freeze(_G[name]) end
math.random, math.randomseed = lacks('math.random'), lacks('math.randomseed')
globals.math = freeze(math)
for _, name in ipairs({'collectgarbage', 'gcinfo', 'load', 'loadstring', 'rawget', 'rawset'}) do
    globals[name] = lacks(name)
end
-- An error of a command is its text, where Lua would have the table.
local function answer(ok, ...)
    local found = ...
    if ok then return ok, ... end
    return ok, type(found) == 'table' and type(found.err) == 'string' and found.err or found
end
globals.pcall = function(...) return answer(pcall(...)) end
local libraries = {bit = 1, cjson = 1, cmsgpack = 1, struct = 1}
local environment = setmetatable({}, {
    __index = function(_, name)
        local found = globals[name]
        if found == nil then
            if libraries[name] then unknown(name) end
            error("Script attempted to access nonexistent global variable '" .. tostring(name) .. "'", 2)
        end
        return found
    end,
    __newindex = refuse,
})
globals._G = environment

local chunk, why = loadstring(text, '@user_script')
if not chunk then return nil, why end
setfenv(chunk, environment)
-- The last line counts where the script stands no more: `return redis.call(...)` leaves its function, as a tail call.
local last = 0
debug.sethook(function(event, line)
    if event ~= 'line' then unknown('a script of so many steps') end
    if debug.getinfo(2, 'S').source == '@user_script' then last = line end
end, 'l', steps_max)
return xpcall(chunk, function(found)
    local level, at = 2, nil
    repeat
        at = debug.getinfo(level, 'Sl')
        level = level + 1
    until not at or at.what == 'tail' or at.source == '@user_script'
    if type(found) ~= 'table' then found = {err = 'ERR ' .. tostring(found)} end
    if type(found.err) ~= 'string' then unknown('an error that is a table without err') end
    return {err = found.err, line = at and at.currentline > 0 and at.currentline or last}
end)
"""


def sha_of(text: bytes) -> str:
    """The name that Redis gives a script."""
    return hashlib.sha1(text, usedforsecurity=False).hexdigest()


def compile_error(text: bytes) -> str:
    """Why a text is no script; empty: it is one."""
    why = _runtime().eval(b"function(text) return select(2, loadstring(text, '@user_script')) end")(text)
    return why.decode("latin-1") if why else ""


def run_script(
    text: bytes, keys: Sequence[bytes], args: Sequence[bytes], perform: Perform, unknown: Callable[[str], None]
) -> Value:
    """What a script answers. perform: does a command that it calls. unknown: is called with what is not known here, and
    the answer is then none of Redis."""
    lua = _runtime()

    def ask(*words: object) -> object:
        given = tuple(_words(words))
        if None in given:
            return _to_lua(lua, _ARGUMENTS)
        return _to_lua(lua, perform(given) if given else _NO_ARGUMENTS)  # type: ignore[arg-type]

    def lacks(name: bytes) -> None:
        unknown(name.decode("latin-1"))
        raise ValueError(name)

    def sha1(given: bytes) -> bytes:
        return sha_of(given).encode()

    done = lua.execute(_RUN, ask, lacks, sha1, text, lua.table_from(keys), lua.table_from(args), STEPS_MAX)
    ran, *found = done if isinstance(done, tuple) else (done,)
    if ran:
        return _from_lua(found[0] if found else None, lua.eval(b"rawget"), unknown)
    return Failure(f"{_text(found[0][b'err'])} script: {sha_of(text)}, on @{_SOURCE}:{found[0][b'line']}.")


def _runtime() -> "LuaRuntime":
    from lupa.lua51 import LuaRuntime  # in the extra `gate`, which a session without scripts does not load

    return LuaRuntime(encoding=None, unpack_returned_tuples=True, register_eval=False, register_builtins=False)


def _words(given: Sequence[object]) -> Iterator[bytes | None]:
    """The words of a command; None for what is none."""
    for each in given:
        if isinstance(each, bool) or not isinstance(each, bytes | int | float):
            yield None
        else:
            yield each if isinstance(each, bytes) else number(float(each))


def _to_lua(lua: "LuaRuntime", value: Value) -> object:
    """A reply of RESP2, as a value of Lua. Nil is false."""
    match value:
        case None | NilArray():
            return False
        case Simple(text):
            return lua.table_from({b"ok": text.encode("latin-1")})
        case Failure(text):
            return lua.table_from({b"err": text.encode("latin-1")})
        case float():
            return number(value)
        case int() | bytes():
            return value
        case Pairs(pairs):
            return lua.table_from([_to_lua(lua, each) for pair in pairs for each in pair])
        case Members(members):
            return lua.table_from(sorted(members))
        case _:
            return lua.table_from([_to_lua(lua, each) for each in value])


def _from_lua(found: object, get: RawGet, unknown: Callable[[str], None], depth: int = 0) -> Value:
    """A value of Lua as a reply: a table is an array up to its first nil, unless it has `err` or `ok`."""
    from lupa.lua51 import lua_type

    match found:
        case bytes():
            return found
        case True:
            return 1
        case int() | float() if found is not False:
            # As a C compiler for x86 makes a double a number of 64 bits.
            return int(found) if math.isfinite(found) and -(1 << 63) <= found < 1 << 63 else -(1 << 63)
    if lua_type(found) != "table":
        return None  # nil, false, or a function
    for field, kind in ((b"err", Failure), (b"ok", Simple)):
        if isinstance(text := get(found, field), bytes):
            return kind(_text(text))
    for field in _OF_RESP3:
        if get(found, field) is not None:
            unknown("a reply of RESP3")  # no Lua is running here that an exception could end
    if depth > DEPTH_MAX:
        unknown(f"a reply of more than {DEPTH_MAX} tables within each other")
        return None
    return tuple(_members(found, get, unknown, depth + 1))


def _members(table: object, get: RawGet, unknown: Callable[[str], None], depth: int) -> Iterator[Value]:
    at = 1
    while (each := get(table, at)) is not None:
        yield _from_lua(each, get, unknown, depth)
        at += 1


def _text(found: bytes) -> str:
    return found.decode("latin-1")
