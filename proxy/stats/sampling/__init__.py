"""Estimates from samples of known probability: arrays in, estimates and variances out."""
