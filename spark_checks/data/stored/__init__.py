"""The object store of a lakeFS as it lies: ranges and metaranges, which are SSTables, and the listing of objects."""
