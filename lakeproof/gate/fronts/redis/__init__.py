"""Redis at the gate: a store of strings, hashes and sorted sets in memory, that speaks RESP2 and RESP3.

Nothing expires, nothing is replicated, and there is one database. Commands and their errors are those of Redis 7.
"""
