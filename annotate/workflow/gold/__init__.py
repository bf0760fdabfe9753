"""Decisions on the gold set, its releases and its files; it writes the gold set."""
