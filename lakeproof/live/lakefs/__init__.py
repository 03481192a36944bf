"""Whole services that speak lakeFS' API, behind a DSN: clients, what they were told, and whether that can be right.

See docs/services.md.
"""
