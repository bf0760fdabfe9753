"""What a score says of P(right), and the thresholds that follow; it reads labels and scores."""
