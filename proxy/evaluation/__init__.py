"""How far a rule agrees with people: the ledger in, estimates with intervals out; it may use `stats` and `text`."""
