"""Say what is done with the gold set, what it holds, how it grows, and what a check against it finds."""
