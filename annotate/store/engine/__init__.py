"""One SQLite file: schema, transactions, chain, seals, and what all tables share; it uses no other part of the store."""
