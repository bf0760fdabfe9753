"""Score items with judges and put rules in force; writes scores, failures and runs."""
