"""Compute estimates and what follows from them; reads the store, the domain and `proxy`, and changes nothing."""
