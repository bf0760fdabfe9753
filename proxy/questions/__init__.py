"""Build test questions from a team's own passages, and score answers to them by RGB's four abilities."""
