"""Policies with a name: those of the systems under study, and the recommended one."""
