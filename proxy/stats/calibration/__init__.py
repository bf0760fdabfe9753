"""Scores against right or wrong: arrays in, curves, tests and thresholds out."""
