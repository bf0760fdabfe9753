"""What the gold set covers and which answers changed against it; it reads the gold set and never changes it."""
