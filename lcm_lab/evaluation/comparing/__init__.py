"""Systems set against each other: one against the rest, all against all, now against before."""
