"""The store: conversations in one SQLite file, with their indexes and what was made of them."""
