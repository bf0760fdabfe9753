"""Labels, tasks, samples and gold entries as pure values and rules; it uses `proxy` and knows no store."""
