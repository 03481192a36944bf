"""The races of today's lakeFS, one module for each part of it."""
