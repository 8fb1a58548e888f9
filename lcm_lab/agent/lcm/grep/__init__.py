"""``lcm_grep``: what was said, by words or by a pattern."""
