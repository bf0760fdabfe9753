"""What only reads: estimates and what follows from them; it may use the store, the domain and `proxy`, and changes nothing."""
