"""Redaction of texts before they leave the house: patterns and stand-ins; it reads settings and knows no store."""
