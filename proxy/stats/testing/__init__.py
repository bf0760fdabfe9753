"""Differences, many tests and monitoring: arrays in, p-values and intervals out."""
