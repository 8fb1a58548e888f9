"""``lcm_describe``: one summary or one large file."""
