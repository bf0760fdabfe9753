"""What judges said as rows: scores, failures, rules, verdicts and their totals; it uses the engine alone."""
