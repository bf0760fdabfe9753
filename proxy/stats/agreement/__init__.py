"""Measure agreement and association of ratings."""
