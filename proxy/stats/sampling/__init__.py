"""Estimate from samples of known probability."""
