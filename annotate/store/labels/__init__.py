"""Annotations, labels, causes, and the outbox of tasks as rows; it uses audit and the engine."""
