"""Read how labels teach judges: what may teach, versions and maps that were measured, and how well they agree with experts."""
