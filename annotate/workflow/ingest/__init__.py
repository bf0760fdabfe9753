"""Import plain files into the store; writes items, labels, feedback and quarantine."""
