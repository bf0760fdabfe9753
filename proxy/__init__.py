"""What the machine says of an answer, and how far to trust it: pure, usable without a database."""
