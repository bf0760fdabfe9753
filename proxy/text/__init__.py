"""Texts without a model: language, tokens, turns, references and refusals; it uses records alone."""
