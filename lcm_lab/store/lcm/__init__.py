"""Databases of lossless-claw, read and left as they were."""
