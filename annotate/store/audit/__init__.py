"""What happened and what must stay gone: events, tombstones, policies, forgetting and backups; it uses the engine alone."""
