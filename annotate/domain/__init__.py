"""What labels, tasks, samples and gold entries are: pure values and rules; it uses `proxy` and knows no store."""
