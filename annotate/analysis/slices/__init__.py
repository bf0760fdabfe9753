"""Find slices where the proxy errs more than elsewhere; reads labels, scores and fields."""
