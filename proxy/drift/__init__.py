"""Windows of time and changes of judges in, what changed out; it may use `evaluation` and `stats`."""
