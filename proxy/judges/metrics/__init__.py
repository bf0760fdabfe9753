"""Metrics with standard names, each a judge: of retrieval by known ids, and of an answer's text against a reference."""
