"""Clients on a store or a server that runs: their traffic, the record of it, and its judge."""
