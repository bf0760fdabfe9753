"""What may leave the house of a text: patterns, stand-ins and redaction; it reads settings and knows no store."""
