"""Waves drawn and exported; it writes frames, strata and draws."""
