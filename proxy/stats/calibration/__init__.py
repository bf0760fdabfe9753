"""Calibrate scores against right or wrong: curves, tests and thresholds."""
