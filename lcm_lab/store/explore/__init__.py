"""Explorations: what a large file holds, told in a few lines."""
