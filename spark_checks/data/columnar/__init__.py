"""Protobuf's wire format, read column by column: all rows of a batch at once, field by field."""
