"""The metrics that compare the vectors of texts, one a file."""
