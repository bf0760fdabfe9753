"""The JSON of what concerns the gold set."""
