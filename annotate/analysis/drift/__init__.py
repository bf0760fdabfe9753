"""Detect what changed between time windows; reads labels, scores and signatures."""
