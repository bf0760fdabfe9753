"""Agreement and association of ratings: arrays in, coefficients out."""
