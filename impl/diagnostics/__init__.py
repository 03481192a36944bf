"""Diagnostics: what a store holds, and what is wrong with it. Reads only.

Partition by partition: the repository entries; each repository's branches, commits and tags; the changes under each
staging token; the cleanup records, and what is left of those instances. What users wrote stays out of it: no
messages, no metadata, no paths, no data. A store that others write to meanwhile is no reason for false alarms: whatever
seems to be missing is read once more.
Source: graveler-on-kv.md, "Note: All the above tables ... are also used by `pkg/diagnostics`"; lakeFS issue 3575.
"""

from lakeproof.impl.diagnostics.archive import NotWritten, escape_bytes, write_zip
from lakeproof.impl.diagnostics.collector import collect
from lakeproof.impl.diagnostics.findings import NOTES, UNJUDGED, Collected, Diagnosis

__all__ = ["NOTES", "UNJUDGED", "Collected", "Diagnosis", "NotWritten", "collect", "escape_bytes", "write_zip"]
