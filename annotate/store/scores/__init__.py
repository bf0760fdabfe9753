"""Scores, failures, rules, verdicts and their totals as rows; it uses the engine alone."""
