"""What changed between time windows; it reads labels, scores and signatures."""
