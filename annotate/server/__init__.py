"""HTTP from outside: one Starlette app, a file for each route; it may wake and feed the workflow."""
