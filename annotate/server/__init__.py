"""HTTP from outside: the webhook; it may wake and feed the workflow."""
