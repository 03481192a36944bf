"""Identifiers: distinct types, so that a branch is never passed where a repository is meant."""

from typing import NewType

RepositoryID = NewType("RepositoryID", str)
InstanceUID = NewType("InstanceUID", str)
"""Tells a repository from earlier and later ones of the same `RepositoryID`."""
BranchID = NewType("BranchID", str)
TagID = NewType("TagID", str)
CommitID = NewType("CommitID", str)
StagingToken = NewType("StagingToken", str)
MetaRangeID = NewType("MetaRangeID", str)
StorageNamespace = NewType("StorageNamespace", str)
