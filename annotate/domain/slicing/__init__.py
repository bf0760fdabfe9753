"""Ways to sort questions into parts; it knows no store."""
