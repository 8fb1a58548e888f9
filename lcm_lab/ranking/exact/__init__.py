"""Rankers that ask for the very words: full text, phrases, patterns."""
