"""Policies chosen and weighed by folds over conversations."""
