"""Whether a synthetic collection ranks systems as a real one does."""
