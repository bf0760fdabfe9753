"""Build test questions from passages, and export their items for an app to answer; writes questions, gold entries and events."""
