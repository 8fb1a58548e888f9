"""Rankers of words: posting lists, and what scores over them."""
