"""Real input: agent transcripts and benchmark files, recognised by what is in them."""
