"""Build test questions from passages, and let them out for an app to answer."""
