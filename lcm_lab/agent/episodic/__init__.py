"""The tools of episodic-memory: search, read."""
