"""Topics mined from a history that nobody labelled: what is asked, what is right, what is hidden.

Each kind has a file of its own; `mine` puts them together.
"""
