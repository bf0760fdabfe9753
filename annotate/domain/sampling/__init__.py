"""Strata, allocations, designs and draws as values and arrays; it knows no store."""
