"""Detect changes over time windows and of judges; it may use `evaluation` and `stats`."""
