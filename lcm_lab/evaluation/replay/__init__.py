"""Replay: what a compaction keeps of what was said, and what can be got back."""
