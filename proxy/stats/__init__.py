"""Estimators as small functions on numbers and arrays: numpy and scipy.special only, no records, no I/O."""
