"""The scripts of `lakeproof.stores.redis_store`. Of each partition a hash has the values (the first key of a script),
and a sorted set the keys (the second one). The gate knows them by their text."""

from typing import Final

WRITE: Final = "redis.call('HSET', KEYS[1], ARGV[1], ARGV[2]) redis.call('ZADD', KEYS[2], 0, ARGV[1]) return 1"
REMOVE: Final = "redis.call('HDEL', KEYS[1], ARGV[1]) redis.call('ZREM', KEYS[2], ARGV[1]) return 1"
IF_ABSENT: Final = f"if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then return 0 end {WRITE}"
IF_PRESENT: Final = f"if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end {WRITE}"
IF_EQUAL: Final = f"if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[3] then return 0 end {WRITE}"
REMOVE_IF: Final = f"if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end {REMOVE}"
SCAN: Final = (
    "local keys = redis.call('ZRANGEBYLEX', KEYS[2], ARGV[1], '+', 'LIMIT', 0, ARGV[2]) local found = {} "
    "for _, key in ipairs(keys) do found[#found + 1] = key found[#found + 1] = redis.call('HGET', KEYS[1], key) end "
    "return found"
)
