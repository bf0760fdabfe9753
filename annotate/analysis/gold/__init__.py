"""Measure what the gold set covers and which answers changed against it; reads the gold set and never changes it."""
