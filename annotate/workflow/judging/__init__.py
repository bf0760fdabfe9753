"""Items to judges and their outcomes back; it writes scores, failures and runs."""
