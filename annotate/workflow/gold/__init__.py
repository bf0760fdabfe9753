"""Decide on gold entries, release the gold set and read and write its files; writes the gold set."""
