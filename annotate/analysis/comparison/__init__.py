"""Whether one system is better than another, and the order of many; it reads labels and scores."""
