"""Grep, then describe, then expand_query: at which step the evidence appears, and what it costs."""
