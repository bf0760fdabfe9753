"""The judges that ask a model: pure generators of asks, one a file; prompts are files beside them."""
