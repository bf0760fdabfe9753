"""Rows of production traffic in, Items out, one source format a file; it knows no store."""
