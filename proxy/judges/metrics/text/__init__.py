"""Metrics of an answer's text against a reference, a file each."""
