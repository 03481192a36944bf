"""What obstore says of a request that failed, in one line that a reader can use.

Its first line is the request: method, URL, times and tries, hundreds of characters; the status and its reason, if any,
follow, and what a server says of it in XML, and then Rust's own notation of all that. Of

    Generic GCS error: Error performing list request: Error performing GET http://... in 3.9s, after 10 retries, ...  -
    Server returned non-2xx status code: 403 Forbidden: <?xml ...?><Error><Code>AccessDenied</Code>...

this is left: ``Generic GCS error: Error performing list request: Server returned non-2xx status code: 403 Forbidden
(AccessDenied)``.
"""

import re
from typing import Final

WIDEST: Final = 200
_REQUEST: Final = re.compile(r"Error performing [A-Z]+ \S+ in \S+( after \d+ retries, [^-]*)?\s*-\s+")
_CODE: Final = re.compile(r"<Code>\s*([\w.-]{1,60})\s*</Code>")


def said(error: Exception) -> str:
    """At most `WIDEST` characters, without URLs: they may be long, and hold what is signed."""
    whole = " ".join(str(error).partition("Debug source:")[0].split())
    code = _CODE.search(whole)
    text = _REQUEST.sub("", whole).partition(": <")[0]
    if code is not None:
        text += f" ({code.group(1)})"
    return text[:WIDEST] or type(error).__name__
