"""The scripts of `lakeproof.stores.redis_store`. Of each partition a hash has the values (the first key of a script),
and a sorted set the keys (the second one)."""

from typing import Final

# All members have the score 0: ZRANGEBYLEX is defined only for equal scores, and then compares bytes.
WRITE: Final = "redis.call('HSET', KEYS[1], ARGV[1], ARGV[2]) redis.call('ZADD', KEYS[2], 0, ARGV[1]) return 1"
REMOVE: Final = "redis.call('HDEL', KEYS[1], ARGV[1]) redis.call('ZREM', KEYS[2], ARGV[1]) return 1"
IF_ABSENT: Final = f"if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then return 0 end {WRITE}"
IF_PRESENT: Final = f"if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end {WRITE}"
# HGET of an absent field is false in Lua, which differs from every string.
IF_EQUAL: Final = f"if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[3] then return 0 end {WRITE}"
REMOVE_IF: Final = f"if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end {REMOVE}"
TRANSACT: Final = (
    "local n = #KEYS / 2 for i = 1, n do "
    "local values, keys, key, what, value = KEYS[2 * i - 1], KEYS[2 * i], ARGV[i], ARGV[n + i], ARGV[2 * n + i] "
    "if what == 'set' then redis.call('HSET', values, key, value) redis.call('ZADD', keys, 0, key) "
    "elseif what == 'delete' then redis.call('HDEL', values, key) redis.call('ZREM', keys, key) "
    "else local found = redis.call('HGET', values, key) "
    "if (what == 'absent') == (found ~= false) or (what == 'equal' and found ~= value) then return i end end "
    "end return 0"
)
"""All checks, then all writes: the two keys of each; then the key within the partition of each, what is checked or done
with it, and the value. Returns the number of the first check that does not hold, from 1; else 0."""
SCAN: Final = (
    "local keys = redis.call('ZRANGEBYLEX', KEYS[2], ARGV[1], '+', 'LIMIT', 0, ARGV[2]) local found = {} "
    "for _, key in ipairs(keys) do found[#found + 1] = key found[#found + 1] = redis.call('HGET', KEYS[1], key) end "
    "return found"
)
