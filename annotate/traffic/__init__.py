"""Read rows of production traffic as Items, one source format a file; it knows no store."""
