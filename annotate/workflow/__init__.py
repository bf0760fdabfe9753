"""What changes the store: each act is logged and is one durable transaction; it may use everything below."""
