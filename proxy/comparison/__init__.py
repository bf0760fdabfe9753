"""Two systems compared and many ranked, with intervals; it may use `evaluation` and `stats`."""
