"""Labelling in Label Studio: draws out, annotations back. Both can be repeated at any time, and nothing doubles."""
