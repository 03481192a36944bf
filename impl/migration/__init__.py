"""Migration of an older lakeFS: five SQL tables into a key-value store. Source: graveler-on-kv.md, "Tables" and
"Execution Plan"."""
