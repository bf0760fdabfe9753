"""Plain files into the store; it writes items, labels, feedback and quarantine."""
