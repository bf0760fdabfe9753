"""Where labels go and what they would tell, before anyone labels; it may use `evaluation` and `stats`."""
