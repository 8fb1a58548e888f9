"""Rankers of meaning: vectors, what makes them, and how they are searched."""
