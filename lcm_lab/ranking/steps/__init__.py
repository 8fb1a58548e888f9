"""What acts on hits that others found: by age, by likeness, by rank, by list."""
