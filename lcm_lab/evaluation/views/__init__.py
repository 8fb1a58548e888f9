"""What can be asked of an evaluation: tables, groups, bounds, ties, losses, abstention."""
