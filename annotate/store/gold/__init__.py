"""The gold set as rows: candidates, decisions, entries and releases; it may read traffic and labels."""
