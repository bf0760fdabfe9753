"""Change the store: each act is logged and is one durable transaction; may use everything below."""
