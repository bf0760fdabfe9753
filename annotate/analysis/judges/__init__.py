"""What is known of the judges: each against people and what it took, two beside each other, its noise, and its corners."""
