"""Measure the judges: each against annotators and its cost, two side by side, its noise, and its quadrants."""
