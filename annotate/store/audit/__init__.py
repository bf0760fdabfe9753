"""Events, tombstones, policies, forgetting and backups; it uses the engine alone."""
