"""A front that speaks S3: a pure function from a state and a request to a state and an answer."""

from lakeproof.gate.fronts.s3.state import BucketState

__all__ = ["BucketState"]
