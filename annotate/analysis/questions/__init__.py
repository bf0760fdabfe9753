"""Read the test questions, and score the answers that a system gave to them."""
