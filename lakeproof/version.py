"""The version of lakeproof, as traces and ``--version`` say it."""

from functools import cache


@cache
def version() -> str:
    """The installed version; "unknown" where lakeproof runs from a folder that was never installed."""
    from importlib import metadata  # takes longer than everything else that a start needs

    try:
        return metadata.version("lakeproof")
    except metadata.PackageNotFoundError:
        return "unknown"
