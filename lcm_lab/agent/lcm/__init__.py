"""The tools of LCM: lcm_grep, lcm_describe, lcm_expand_query, lcm_expand."""
