"""Compare two systems, and rank several; reads labels and scores."""
