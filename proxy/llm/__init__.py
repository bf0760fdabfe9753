"""Ask a model: requests and their faults, concurrency, budget, and what an endpoint can do."""
