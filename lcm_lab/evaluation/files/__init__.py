"""An evaluation on disk, and as a table for other programs."""
