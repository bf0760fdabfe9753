"""The judges that need no model, no key and no network: they compare words."""
