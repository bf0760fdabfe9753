"""Metrics of retrieval by id, a file each."""
