"""The messages of graveler.proto. Their types are in the stub beside, which protoc has generated."""

from lakeproof.model.messages import classes

globals().update(classes("lakeproof.impl.codec", "graveler.binpb"))
