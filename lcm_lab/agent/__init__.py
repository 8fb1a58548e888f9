"""The outermost layer: how people and agents reach the library. Nothing imports it."""
