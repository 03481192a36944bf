"""Whole services that speak lakeFS' API, behind a DSN: clients, their answers, and whether these can be right.

See docs/services.md.
"""
