"""Judges that are trained on the project's own references: what teaches them, their versions, and what labels say of them."""
