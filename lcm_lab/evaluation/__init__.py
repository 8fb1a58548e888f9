"""Evaluation: systems, a collection and measures in; one tidy table out."""
