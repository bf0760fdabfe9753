"""Measure the judges: each against people and its cost, two side by side, its noise, and its corners."""
