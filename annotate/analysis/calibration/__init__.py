"""Compute what a score says of P(right), and the thresholds that follow; reads labels and scores."""
