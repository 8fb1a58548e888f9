"""``lcm_expand_query`` and ``lcm_expand``: what lies under summaries, read by bounded workers."""
