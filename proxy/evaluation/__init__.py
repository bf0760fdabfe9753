"""Estimate how far a rule agrees with annotators, with intervals; it may use `stats` and `text`."""
