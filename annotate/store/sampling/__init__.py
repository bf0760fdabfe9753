"""Waves as rows: frames, strata and draws with their inclusion probabilities; it may read labels and scores."""
