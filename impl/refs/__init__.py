"""What names a repository's history: branches, tags and commits; their iterators, and their dump and restore."""
