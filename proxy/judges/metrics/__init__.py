"""Metrics with standard names, each a judge: by known ids, by an answer's text against a reference, by a model's verdicts."""
