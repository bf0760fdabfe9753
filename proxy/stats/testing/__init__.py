"""Test differences, also many at once, and monitor rates."""
