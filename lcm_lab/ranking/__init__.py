"""Rankers: values that turn topics into a run over a corpus, and the algebra that composes them."""
