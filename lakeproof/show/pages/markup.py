"""What all pages have in common: the document with its policy, escaped text, embedded data."""

import json
from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Final

from lakeproof.search.describe import printable

# The parser of HTML looks for </script> and <!-- also within a string of JSON; U+2028 and U+2029 ended a line in older
# JavaScript.
_UNSAFE: Final = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def document(title: str, body: str, script: str, *, live: bool = False) -> str:
    """A page with our style sheet and one of our scripts, and with a policy that forbids all else. No script: an
    empty name. ``live``: it may
    also ask the server that it comes from."""
    style, code = asset("page.css"), asset("common.js") + asset(script) if script else ""
    policy = "; ".join(
        [
            # All that is not named below falls back to this. Hashes admit our script and style, and no other inline
            # one.
            "default-src 'none'",
            f"script-src '{_fingerprint(code)}'" if script else "script-src 'none'",
            f"style-src '{_fingerprint(style)}'",
            *(["connect-src 'self'"] if live else []),
            "base-uri 'none'",  # no fallback to default-src, as for form-action
            "form-action 'none'",
        ]
    )
    page = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="lakeproof">
<title>{text(title)}</title>
<style>{style}</style>
</head>
<body>
{body}
{f"<script>{code}</script>" if script else ""}
</body>
</html>
"""
    # A command in the data may name a file in bytes that are no text. JSON reads what stands for them.
    return page.encode("utf-8", "backslashreplace").decode()


def embed_json(data: object) -> str:
    """Plain values as JSON that can stand in a page: no character of it ends a script or begins a tag."""
    found = json.dumps(data, ensure_ascii=False)
    for unsafe, spelled in _UNSAFE.items():
        found = found.replace(unsafe, spelled)
    return found


def text(content: str) -> str:
    """Any text, as it stands in HTML, in attributes, too."""
    return escape(printable(content), quote=True)


@cache
def asset(name: str) -> str:
    """A file that lies beside this module."""
    return files("lakeproof.show.pages").joinpath(name).read_text(encoding="utf-8")


def _fingerprint(content: str) -> str:
    return "sha256-" + b64encode(sha256(content.encode()).digest()).decode()
