"""Estimate how far a rule agrees with people, with intervals; it may use `stats` and `text`."""
