"""Compaction: strategies that turn a Dag into one with a shorter frontier, and summarisers."""
