"""Asking a model: requests and their faults, how many at once, what they may cost, and what an endpoint can do."""
