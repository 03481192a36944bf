"""The catalog: objects on branches, over Graveler's entries and an object store."""
