"""What people said as rows: annotations, labels, causes, and the outbox of tasks; it uses audit and the engine."""
