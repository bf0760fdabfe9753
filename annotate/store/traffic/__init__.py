"""Items as rows: texts, fields, feedback and quarantine; it may read labels and scores."""
