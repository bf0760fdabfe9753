"""Draw and export waves; writes frames, strata and draws."""
