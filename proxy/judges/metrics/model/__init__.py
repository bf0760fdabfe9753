"""The metrics that ask a model for verdicts, one a file."""
