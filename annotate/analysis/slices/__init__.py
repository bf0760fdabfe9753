"""Where the proxy errs more than elsewhere; it reads labels, scores and fields."""
