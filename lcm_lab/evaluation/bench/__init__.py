"""Engines, stores, tools and sweeps timed side by side."""
